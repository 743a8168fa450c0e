// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;

/**
 * An argument that is given as a whole number or as a text, such as a time range of {@code 60}, which are minutes, or {@code 90s}.
 *
 * @param text the text, or the digits of the number
 * @param isNumber whether it is a number
 */
public record IntOrString(String text, boolean isNumber) {
    public IntOrString {
        Objects.requireNonNull(text, "text");
    }

    /** A number. */
    public static IntOrString of(long number) {
        return new IntOrString(Long.toString(number), true);
    }

    /** A text. */
    public static IntOrString of(String text) {
        return new IntOrString(text, false);
    }

    /** The text, or the digits. */
    @Override
    public String toString() {
        return text;
    }
}
