// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Texts as Go has them: compared byte by byte, and quoted in errors. */
final class Texts {
    private Texts() {}

    static int compare(String one, String other) {
        return Integer.signum(
                Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8)));
    }

    /** A text in quotes, with escapes for what cannot be printed. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(point -> {
            switch (point) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case 7 -> quoted.append("\\a");
                case '\b' -> quoted.append("\\b");
                case '\f' -> quoted.append("\\f");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                case 11 -> quoted.append("\\v");
                default -> {
                    if (point < ' ' || point == 0x7f) {
                        quoted.append(String.format("\\x%02x", point));
                    } else if (!isPrintable(point)) {
                        quoted.append(String.format(point > 0xffff ? "\\U%08x" : "\\u%04x", point));
                    } else {
                        quoted.appendCodePoint(point);
                    }
                }
            }
        });
        return quoted.append('"').toString();
    }

    private static boolean isPrintable(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> point == ' ';
            default -> true;
        };
    }

    /** The first bytes of a text, which may end within a character. */
    static String ofBytes(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
