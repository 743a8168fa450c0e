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
 * Reads single values strictly: a text is never read as a number. A value of the wrong type is reported, and the result
 * is empty.
 */
public final class Scalars {
    private static final int LONGEST_SHOWN = 80;

    // Expected values, in messages.
    static final String WHOLE = "a whole number";
    static final String NUMBER = "a number";
    static final String BOOLEAN = "true or false";
    static final String TEXT = "a text";
    static final String DURATION = "a duration such as 15s, 1m30s or 100ms";

    private Scalars() {}

    public static Optional<Long> whole(JsonNode value, long least, long most, Problems problems) {
        if (!value.isNumber()) {
            return refused(value, WHOLE, problems);
        }
        BigDecimal number = value.decimalValue();
        if (number.compareTo(BigDecimal.valueOf(least)) < 0 || number.compareTo(BigDecimal.valueOf(most)) > 0) {
            return refused(value, "a whole number from " + least + " to " + most, problems);
        }
        return number.stripTrailingZeros().scale() <= 0
                ? Optional.of(number.longValueExact())
                : refused(value, WHOLE, problems);
    }

    static Optional<Integer> integer(JsonNode value, Problems problems) {
        return whole(value, Integer.MIN_VALUE, Integer.MAX_VALUE, problems).map(Long::intValue);
    }

    static Optional<Long> longInteger(JsonNode value, Problems problems) {
        return whole(value, Long.MIN_VALUE, Long.MAX_VALUE, problems);
    }

    static Optional<Double> number(JsonNode value, Problems problems) {
        return value.isNumber() ? Optional.of(value.doubleValue()) : refused(value, NUMBER, problems);
    }

    public static Optional<Boolean> bool(JsonNode value, Problems problems) {
        return value.isBoolean() ? Optional.of(value.booleanValue()) : refused(value, BOOLEAN, problems);
    }

    public static Optional<String> text(JsonNode value, Problems problems) {
        return value.isTextual()
                ? Optional.of(value.textValue())
                : refused(value, value.isValueNode() ? TEXT + "; quote it" : TEXT, problems);
    }

    static Optional<Duration> duration(JsonNode value, Problems problems) {
        Optional<Duration> duration = value.isTextual() ? GoDuration.parse(value.textValue()) : Optional.empty();
        return duration.isPresent() ? duration : refused(value, DURATION, problems);
    }

    private static <T> Optional<T> refused(JsonNode value, String expected, Problems problems) {
        wrong(value, expected, problems);
        return Optional.empty();
    }

    public static void wrong(JsonNode value, String expected, Problems problems) {
        String shown = value.toString();
        problems.report((shown.length() <= LONGEST_SHOWN ? shown : shown.substring(0, LONGEST_SHOWN) + "…")
                + " (expected: " + expected + ")");
    }

    /**
     * Returns whether a field that an object must have, such as {@code kind}, has the expected text; reports it
     * otherwise.
     *
     * @param allowed describes the expected texts, in messages
     */
    public static boolean isGiven(JsonNode object, String field, String expected, String allowed, Problems problems) {
        JsonNode value = object.path(field);
        Problems at = problems.at(field);
        if (isBlank(value)) {
            at.missing(expected);
            return false;
        }
        Optional<String> text = text(value, at);
        text.filter(other -> !other.equals(expected)).ifPresent(other -> at.invalid(other, allowed));
        return text.filter(expected::equals).isPresent();
    }

    /** Returns whether a value is absent, null or an empty text. */
    public static boolean isBlank(JsonNode value) {
        return value.isMissingNode()
                || value.isNull()
                || value.isTextual() && value.textValue().isEmpty();
    }

    /** Returns a number as a JSON parser would have made it, so that trees can be compared. */
    public static JsonNode node(long value) {
        return value == (int) value ? IntNode.valueOf((int) value) : LongNode.valueOf(value);
    }

    /** Returns a number as a JSON parser would have made it of the shortest text, so that trees can be compared. */
    public static JsonNode node(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? node((long) value) : DoubleNode.valueOf(value);
    }
}
