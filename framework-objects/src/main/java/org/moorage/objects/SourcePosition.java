// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/**
 * A place in an input.
 *
 * @param file the name of the input
 * @param line the line, counted from 1
 * @param column the column, counted from 1
 */
public record SourcePosition(String file, int line, int column) {

    /** Returns the place of an object: its file and line. */
    public String place() {
        return file + ":" + line;
    }

    @Override
    public String toString() {
        return file + ":" + line + ":" + column;
    }
}
