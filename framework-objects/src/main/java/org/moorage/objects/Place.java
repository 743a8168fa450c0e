// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import com.fasterxml.jackson.core.JsonLocation;

/** Where in the input something stands. */
record Place(String file, int line, int column) {

    static Place of(String file, JsonLocation location) {
        return new Place(file, location.getLineNr(), location.getColumnNr());
    }

    @Override
    public String toString() {
        return file + ":" + line + ":" + column;
    }
}
