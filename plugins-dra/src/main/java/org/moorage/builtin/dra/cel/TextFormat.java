// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.io.BaseEncoding;
import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.TypeType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The {@code format} function of strings. */
final class TextFormat {
    private static final int DIGITS = 6;
    private static final Pattern CLAUSE = Pattern.compile("%(?:\\.([0-9]{1,3}))?(.?)", Pattern.DOTALL);

    private TextFormat() {}

    /** Returns the letters of the clauses of a template that take an argument, in order. */
    static List<String> clauses(String template) {
        return CLAUSE.matcher(template)
                .results()
                .map(clause -> clause.group(2))
                .filter(letter -> !letter.equals("%"))
                .toList();
    }

    static String format(String template, List<?> arguments) {
        Iterator<?> rest = arguments.iterator();
        return CLAUSE.matcher(template)
                .replaceAll(clause ->
                        Matcher.quoteReplacement(clause.group(2).equals("%") ? "%" : formatted(clause, rest.next())));
    }

    private static String formatted(MatchResult clause, Object value) {
        int precision = clause.group(1) == null ? DIGITS : Integer.parseInt(clause.group(1));
        return switch (clause.group(2)) {
            case "s" -> text(value);
            case "d" -> whole(value, 10);
            case "b" -> value instanceof Boolean flag ? (flag ? "1" : "0") : whole(value, 2);
            case "o" -> whole(value, 8);
            case "x" -> hex(value);
            case "X" -> hex(value).toUpperCase(Locale.ROOT);
            case "f", "e" -> fraction(clause.group(2), precision, number(value));
            default -> throw new IllegalArgumentException("unrecognized formatting clause: " + clause.group(2));
        };
    }

    private static String whole(Object value, int radix) {
        if (value instanceof UnsignedLong number) {
            return number.toString(radix);
        }
        return Long.toString((Long) value, radix);
    }

    private static String hex(Object value) {
        if (value instanceof String text) {
            return hex(CelByteString.of(text.getBytes(StandardCharsets.UTF_8)));
        }
        return value instanceof CelByteString bytes
                ? BaseEncoding.base16().lowerCase().encode(bytes.toByteArray())
                : whole(value, 16);
    }

    private static String fraction(String letter, int precision, double number) {
        if (!Double.isFinite(number)) {
            return shortest(number);
        }
        return letter.equals("e")
                ? String.format(Locale.US, "%.6e", number)
                : String.format(Locale.US, "%,." + precision + "f", rounded(number, precision));
    }

    private static double number(Object value) {
        return value instanceof String text ? Double.parseDouble(text) : (Double) value;
    }

    private static BigDecimal rounded(double number, int digits) {
        return new BigDecimal(number).setScale(digits, RoundingMode.HALF_EVEN);
    }

    private static String text(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(TextFormat::literal).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> literal(entry.getKey()) + ":" + literal(entry.getValue()))
                    .sorted()
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof NullValue) {
            return "null";
        }
        if (value instanceof Double number) {
            return shortest(number);
        }
        if (value instanceof CelByteString bytes) {
            return bytes.toStringUtf8();
        }
        if (value instanceof Duration duration) {
            BigDecimal seconds = BigDecimal.valueOf(duration.toNanos(), 9);
            return seconds.stripTrailingZeros().toPlainString() + "s";
        }
        if (value instanceof TypeType type) {
            return type.containingTypeName();
        }
        if (Functions.isOfKubernetes(value)) {
            throw new IllegalArgumentException(
                    "no text: " + Functions.type(value).name());
        }
        return value.toString();
    }

    // As it would be written in an expression.
    private static String literal(Object value) {
        if (value instanceof Double number && Double.isFinite(number)) {
            return rounded(number, DIGITS).toPlainString();
        }
        String text = text(value);
        return value instanceof String ? "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"" : text;
    }

    /** Returns the shortest text that is read as the same number, with an exponent where Go's {@code %g} has one. */
    static String shortest(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "NaN" : value < 0 ? "-Inf" : "+Inf";
        }
        BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        int exponent = decimal.precision() - decimal.scale() - 1;
        if (value == 0 || exponent >= -4 && exponent < DIGITS) {
            return value == 0 ? (1 / value < 0 ? "-0" : "0") : decimal.toPlainString();
        }
        return decimal.movePointLeft(exponent).stripTrailingZeros().toPlainString()
                + String.format("e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
}
