// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import org.moorage.api.plugin.Problems;
import org.moorage.objects.GoDuration;

/**
 * Reads single values strictly: a text is never taken for a number. A value that will not do is reported, and something
 * returned that is not to be used.
 */
public final class Scalars {
    private static final int LONGEST_SHOWN = 80;

    // What is expected, in messages.
    public static final String WHOLE = "a whole number";
    public static final String NUMBER = "a number";
    public static final String BOOLEAN = "true or false";
    public static final String TEXT = "a text";
    public static final String DURATION = "a duration such as 15s, 1m30s or 100ms";

    private Scalars() {}

    public static long whole(JsonNode value, long least, long most, Problems problems) {
        if (value.isNumber()) {
            BigDecimal number = value.decimalValue();
            boolean fits =
                    number.compareTo(BigDecimal.valueOf(least)) >= 0 && number.compareTo(BigDecimal.valueOf(most)) <= 0;
            if (fits && number.stripTrailingZeros().scale() <= 0) {
                return number.longValueExact();
            }
            if (!fits) {
                wrong(value, "a whole number from " + least + " to " + most, problems);
                return 0;
            }
        }
        wrong(value, WHOLE, problems);
        return 0;
    }

    public static int integer(JsonNode value, Problems problems) {
        return (int) whole(value, Integer.MIN_VALUE, Integer.MAX_VALUE, problems);
    }

    public static double number(JsonNode value, Problems problems) {
        if (!value.isNumber()) {
            wrong(value, NUMBER, problems);
            return 0;
        }
        return value.doubleValue();
    }

    public static boolean bool(JsonNode value, Problems problems) {
        if (!value.isBoolean()) {
            wrong(value, BOOLEAN, problems);
        }
        return value.booleanValue();
    }

    public static String text(JsonNode value, Problems problems) {
        if (!value.isTextual()) {
            wrong(value, value.isValueNode() ? TEXT + "; quote it" : TEXT, problems);
            return "";
        }
        return value.textValue();
    }

    public static Duration duration(JsonNode value, Problems problems) {
        Optional<Duration> duration = value.isTextual() ? GoDuration.parse(value.textValue()) : Optional.empty();
        if (duration.isEmpty()) {
            wrong(value, DURATION, problems);
        }
        return duration.orElse(Duration.ZERO);
    }

    public static void wrong(JsonNode value, String expected, Problems problems) {
        String shown = value.toString();
        problems.report((shown.length() <= LONGEST_SHOWN ? shown : shown.substring(0, LONGEST_SHOWN) + "…")
                + " (expected: " + expected + ")");
    }

    /** A number as a JSON parser would have made it, so that trees can be compared. */
    public static JsonNode node(long value) {
        return value == (int) value ? IntNode.valueOf((int) value) : LongNode.valueOf(value);
    }

    /** A number as a JSON parser would have made it of the shortest text, so that trees can be compared. */
    public static JsonNode node(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? node((long) value) : DoubleNode.valueOf(value);
    }
}
