// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import com.fasterxml.jackson.core.JsonLocation;

/**
 * A place in an input.
 *
 * @param file the name of the input
 * @param line the line, counted from 1
 * @param column the column, counted from 1
 */
public record SourcePosition(String file, int line, int column) {

    static SourcePosition of(String file, JsonLocation location) {
        return new SourcePosition(file, location.getLineNr(), location.getColumnNr());
    }

    /** The place of an object: its file and line. */
    public String place() {
        return file + ":" + line;
    }

    @Override
    public String toString() {
        return file + ":" + line + ":" + column;
    }
}
