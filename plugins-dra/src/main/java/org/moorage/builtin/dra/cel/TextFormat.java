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
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code format} of texts. */
final class TextFormat {
    private static final int DIGITS = 6;
    private static final int MOST_DIGITS = 400;
    private static final Pattern PRECISION = Pattern.compile("(?:\\.([0-9]{1,9}))?");

    private TextFormat() {}

    /** What a clause of a template makes of an argument. */
    interface Clauses {
        String format(char clause, int precision, int argument);
    }

    static String format(String template, List<?> arguments) {
        return interpolated(
                template,
                arguments.size(),
                (clause, precision, argument) -> formatted(clause, precision, arguments.get(argument)));
    }

    /**
     * Goes through a template.
     *
     * @throws IllegalArgumentException if it is malformed, or has more clauses than there are arguments
     */
    static String interpolated(String template, int count, Clauses clauses) {
        StringBuilder built = new StringBuilder();
        int argument = 0;
        for (int i = 0; i < template.length(); i++) {
            if (template.charAt(i) != '%' || template.startsWith("%%", i)) {
                built.append(template.charAt(i));
                i += template.charAt(i) == '%' ? 1 : 0;
                continue;
            }
            Matcher dot = PRECISION.matcher(template).region(i + 1, template.length());
            i = dot.lookingAt() ? dot.end() : i + 1;
            int precision = dot.group(1) == null ? DIGITS : Integer.parseInt(dot.group(1));
            if (i >= template.length()) {
                throw new IllegalArgumentException("unexpected end of string");
            }
            if (argument >= count) {
                throw new IllegalArgumentException("index " + argument + " out of range");
            }
            char clause = template.charAt(i);
            if ("sdfebxXo".indexOf(clause) < 0) {
                throw new IllegalArgumentException(
                        "could not parse formatting clause: unrecognized formatting clause \"" + clause + "\"");
            }
            try {
                built.append(clauses.format(clause, precision, argument++));
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException("error during formatting: " + wrong.getMessage(), wrong);
            }
        }
        return built.toString();
    }

    /** What is said of an argument of the wrong type. */
    static IllegalArgumentException wrongType(char clause, String type) {
        return new IllegalArgumentException(switch (clause) {
                    case 's' ->
                        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists,"
                                + " types, durations, and timestamps";
                    case 'd' -> "decimal clause can only be used on integers";
                    case 'f' -> "fixed-point clause can only be used on doubles";
                    case 'e' -> "scientific clause can only be used on doubles";
                    case 'b' -> "only integers and bools can be formatted as binary";
                    case 'o' -> "octal clause can only be used on integers";
                    default -> "only integers, byte buffers, and strings can be formatted as hex";
                }
                + ", was given " + type);
    }

    private static String formatted(char clause, int precision, Object value) {
        return switch (clause) {
            case 's' -> text(value);
            case 'f' -> fraction("%,." + precision + "f", precision, number(clause, value));
            case 'e' -> fraction("%.6e", MOST_DIGITS, number(clause, value));
            case 'x' -> hex(value);
            case 'X' -> hex(value).toUpperCase(Locale.ROOT);
            case 'b' -> value instanceof Boolean flag ? (flag ? "1" : "0") : whole(clause, value, 2);
            case 'o' -> whole(clause, value, 8);
            default -> whole(clause, value, 10);
        };
    }

    private static String whole(char clause, Object value, int radix) {
        if (value instanceof Long number) {
            return Long.toString(number, radix);
        }
        if (value instanceof UnsignedLong number) {
            return number.toString(radix);
        }
        throw wrongType(clause, Functions.type(value).name());
    }

    private static String hex(Object value) {
        if (value instanceof String text) {
            return BaseEncoding.base16().lowerCase().encode(text.getBytes(StandardCharsets.UTF_8));
        }
        return value instanceof CelByteString bytes
                ? BaseEncoding.base16().lowerCase().encode(bytes.toByteArray())
                : whole('x', value, 16);
    }

    private static double number(char clause, Object value) {
        if (value instanceof Double number) {
            return number;
        }
        if (value instanceof String text && text.matches("NaN|-?Infinity")) {
            return Double.parseDouble(text);
        }
        throw wrongType(clause, Functions.type(value).name());
    }

    private static String fraction(String format, int digits, double number) {
        return Double.isNaN(number) || Double.isInfinite(number)
                ? shortest(number)
                : String.format(Locale.US, format, new BigDecimal(number).setScale(digits, RoundingMode.HALF_EVEN));
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
            return new BigDecimal(duration.toNanos())
                            .movePointLeft(9)
                            .stripTrailingZeros()
                            .toPlainString() + "s";
        }
        if (value instanceof TypeType type) {
            return type.containingTypeName();
        }
        if (Functions.isOfKubernetes(value)) {
            throw wrongType('s', Functions.type(value).name());
        }
        return value.toString();
    }

    // As it would be written in an expression.
    private static String literal(Object value) {
        if (value instanceof Double number && !Double.isNaN(number) && !Double.isInfinite(number)) {
            return new BigDecimal(number)
                    .setScale(DIGITS, RoundingMode.HALF_EVEN)
                    .toPlainString();
        }
        String quoted = "\"" + text(value).replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        if (value instanceof Duration || value instanceof Instant) {
            return (value instanceof Duration ? "duration(" : "timestamp(") + quoted + ")";
        }
        if (value instanceof CelByteString) {
            return "b" + quoted;
        }
        return value instanceof String || value instanceof Double ? quoted : text(value);
    }

    /** The shortest text that is read as the same number, with an exponent where Go's {@code %g} has one. */
    static String shortest(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
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
