// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

/**
 * The names of fields in messages about a configuration that was converted from an object of another shape: the names
 * in that object.
 *
 * @param path the path of a value of the configuration; empty for all of it
 * @param name the path that the value has in the object; empty if the names are the same
 */
public record FieldNames(String path, String name) {
    /** The names of a configuration that was read as it is. */
    public static final FieldNames SAME = new FieldNames("", "");

    /** Returns the name of the field at a path of the configuration. */
    public String of(String at) {
        if (name.isEmpty()) {
            return at;
        }
        if (path.isEmpty()) {
            return at.isEmpty() ? name : name + ": " + at;
        }
        boolean isWithin = at.startsWith(path + ".") || at.startsWith(path + "[");
        return isWithin || at.equals(path) ? name + at.substring(path.length()) : at;
    }
}
