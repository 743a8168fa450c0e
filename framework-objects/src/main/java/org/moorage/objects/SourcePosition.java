// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import com.fasterxml.jackson.core.JsonLocation;

/** A line and a column of an input, counted from 1. */
record SourcePosition(String file, int line, int column) {

    static SourcePosition of(String file, JsonLocation location) {
        return new SourcePosition(file, location.getLineNr(), location.getColumnNr());
    }

    @Override
    public String toString() {
        return file + ":" + line + ":" + column;
    }
}
