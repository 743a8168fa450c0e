// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;

/** Points in time as texts of RFC 3339. */
final class ApiTime {
    private static final String FORM = "0000-00-00T00:00:00Z";
    private static final int LONGEST_YEAR = 4;
    private static final int SECONDS_PER_DAY = 86_400;

    private ApiTime() {}

    /**
     * Reads a point in time. The API server writes nearly all in UTC and whole seconds, for which the JDK's parser,
     * which knows all forms, is slow.
     *
     * @throws DateTimeException if the text is none
     */
    static Instant parse(String text) {
        if (!isUsual(text)) {
            // Go writes later years without a sign, and the API server takes the last day of 9999 in any zone.
            return Instant.parse(text.indexOf('-') > LONGEST_YEAR && text.charAt(0) != '+' ? "+" + text : text);
        }
        int hour = number(text, 11, 13);
        int minute = number(text, 14, 16);
        int second = number(text, 17, 19);
        if (hour > 23 || minute > 59 || second > 59) {
            return Instant.parse(text);
        }
        long day = LocalDate.of(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10))
                .toEpochDay();
        return Instant.ofEpochSecond(day * SECONDS_PER_DAY + (hour * 60L + minute) * 60 + second);
    }

    private static boolean isUsual(String text) {
        if (text.length() != FORM.length()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char seen = text.charAt(i);
            char expected = FORM.charAt(i);
            if (expected == '0' ? seen < '0' || seen > '9' : seen != expected) {
                return false;
            }
        }
        return true;
    }

    private static int number(String text, int from, int to) {
        int number = 0;
        for (int i = from; i < to; i++) {
            number = number * 10 + text.charAt(i) - '0';
        }
        return number;
    }
}
