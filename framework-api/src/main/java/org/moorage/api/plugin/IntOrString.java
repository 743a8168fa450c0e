// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;

/**
 * An argument that is an integer or a string, such as a time range of {@code 60} (minutes) or {@code 90s}.
 *
 * @param text the string, or the digits of the integer
 * @param isNumber whether it is an integer
 */
public record IntOrString(String text, boolean isNumber) {
    public IntOrString {
        Objects.requireNonNull(text, "text");
    }

    /** Returns an integer. */
    public static IntOrString of(long number) {
        return new IntOrString(Long.toString(number), true);
    }

    /** Returns a string. */
    public static IntOrString of(String text) {
        return new IntOrString(text, false);
    }

    /** Returns the string, or the digits of the integer. */
    @Override
    public String toString() {
        return text;
    }
}
