// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code format} of texts. */
final class TextFormat {
    private static final int DIGITS = 6;
    private static final String SUPERSCRIPT = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

    private TextFormat() {}

    /**
     * What a clause does with an argument.
     *
     * @see Validation, which asks the same of types before anything is evaluated
     */
    interface Clauses {
        /** The argument of a number, from 0. */
        Object argument(int index);

        /** The argument formatted. */
        String format(char clause, int precision, Object argument);
    }

    static Object format(String template, List<?> arguments) {
        return interpolated(template, arguments.size(), new Clauses() {
            @Override
            public Object argument(int index) {
                if (index >= arguments.size()) {
                    throw new IllegalArgumentException("index " + index + " out of range");
                }
                return arguments.get(index);
            }

            @Override
            public String format(char clause, int precision, Object argument) {
                return formatted(clause, precision, argument);
            }
        });
    }

    /** Goes through a template. */
    static String interpolated(String template, int count, Clauses clauses) {
        StringBuilder built = new StringBuilder();
        int index = 0;
        int i = 0;
        while (i < template.length()) {
            if (template.charAt(i) != '%') {
                built.append(template.charAt(i++));
                continue;
            }
            if (template.startsWith("%%", i)) {
                built.append('%');
                i += 2;
                continue;
            }
            Object argument = clauses.argument(index);
            if (++i >= template.length()) {
                throw new IllegalArgumentException("unexpected end of string");
            }
            if (index >= count) {
                throw new IllegalArgumentException("index " + index + " out of range");
            }
            int precision = DIGITS;
            if (template.charAt(i) == '.') {
                int start = ++i;
                while (i < template.length() && template.charAt(i) >= '0' && template.charAt(i) <= '9') {
                    i++;
                }
                precision = precision(template, start, i);
            }
            char clause = template.charAt(i++);
            if ("sdfebxXo".indexOf(clause) < 0) {
                throw new IllegalArgumentException(
                        "could not parse formatting clause: unrecognized formatting clause \"" + clause + "\"");
            }
            try {
                built.append(clauses.format(clause, precision, argument));
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException("error during formatting: " + wrong.getMessage(), wrong);
            }
            index++;
        }
        return built.toString();
    }

    private static int precision(String template, int start, int end) {
        String prefix = "could not parse formatting clause: error while parsing precision: ";
        if (end >= template.length()) {
            throw new IllegalArgumentException(prefix + "could not find end of precision specifier");
        }
        String digits = template.substring(start, end);
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException invalid) {
            throw new IllegalArgumentException(
                    prefix + "error while converting precision to integer: strconv.Atoi: parsing "
                            + Texts.quoted(digits) + ": "
                            + (digits.isEmpty() ? "invalid syntax" : "value out of range"),
                    invalid);
        }
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
            case 'f' -> fixed(number(clause, value), precision);
            case 'e' -> scientific(number(clause, value));
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
        throw wrongType(clause, Values.typeName(value));
    }

    private static String hex(Object value) {
        if (value instanceof String text) {
            return hex(text.getBytes(StandardCharsets.UTF_8));
        }
        return value instanceof CelByteString bytes ? hex(bytes.toByteArray()) : whole('x', value, 16);
    }

    private static String hex(byte[] bytes) {
        StringBuilder hex = new StringBuilder();
        for (byte part : bytes) {
            hex.append(String.format("%02x", part));
        }
        return hex.toString();
    }

    private static double number(char clause, Object value) {
        if (value instanceof Double number) {
            return number;
        }
        if (value instanceof String text) {
            switch (text) {
                case "NaN":
                    return Double.NaN;
                case "Infinity":
                    return Double.POSITIVE_INFINITY;
                case "-Infinity":
                    return Double.NEGATIVE_INFINITY;
                default:
                    break;
            }
        }
        throw wrongType(clause, Values.typeName(value));
    }

    private static String special(double value) {
        return Double.isNaN(value) ? "NaN" : value < 0 ? "-\u221e" : "\u221e";
    }

    private static String fixed(double value, int precision) {
        return Double.isNaN(value) || Double.isInfinite(value)
                ? special(value)
                : String.format(
                        Locale.US,
                        "%,." + precision + "f",
                        new BigDecimal(value).setScale(precision, RoundingMode.HALF_EVEN));
    }

    private static String scientific(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return special(value);
        }
        // As for English readers; the precision is taken for a width, and has no effect.
        BigDecimal decimal = new BigDecimal(value).round(new MathContext(DIGITS + 1, RoundingMode.HALF_EVEN));
        int exponent = decimal.signum() == 0 ? 0 : decimal.precision() - decimal.scale() - 1;
        String digits = String.format("%02d", Math.abs(exponent))
                .chars()
                .mapToObj(digit -> String.valueOf(SUPERSCRIPT.charAt(digit - '0')))
                .collect(Collectors.joining());
        return decimal.movePointLeft(exponent)
                        .setScale(DIGITS, RoundingMode.HALF_EVEN)
                        .toPlainString()
                + "\u00d710"
                + (exponent < 0 ? "\u207b" : "")
                + digits;
    }

    private static String text(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(TextFormat::literal).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> Map.entry(key(entry.getKey()), literal(entry.getValue())))
                    .sorted((one, other) -> Texts.compare(one.getKey(), other.getKey()))
                    .map(entry -> entry.getKey() + ":" + entry.getValue())
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof NullValue) {
            return "null";
        }
        if (Values.isComparable(value) || value instanceof Values.TypeValue) {
            return StandardLibrary.toText(value);
        }
        throw wrongType('s', Values.typeName(value));
    }

    private static String key(Object key) {
        if (key instanceof Double) {
            throw new IllegalArgumentException("no formatting function for map key of type double");
        }
        return literal(key);
    }

    // As it would be written in an expression.
    private static String literal(Object value) {
        if (value instanceof String text) {
            return Texts.quoted(text);
        }
        if (value instanceof CelByteString bytes) {
            return "b" + Texts.quoted(bytes.toStringUtf8());
        }
        if (value instanceof Double number) {
            return Double.isNaN(number) || Double.isInfinite(number)
                    ? Texts.quoted(Numbers.shortest(number))
                    : new BigDecimal(number)
                            .setScale(DIGITS, RoundingMode.HALF_EVEN)
                            .toPlainString();
        }
        if (value instanceof Duration duration) {
            return "duration(" + Texts.quoted(Times.text(duration)) + ")";
        }
        if (value instanceof OffsetDateTime time) {
            return "timestamp(" + Texts.quoted(Times.text(time)) + ")";
        }
        if (value instanceof List
                || value instanceof Map
                || value instanceof NullValue
                || Values.isComparable(value)
                || value instanceof Values.TypeValue) {
            return text(value);
        }
        throw new IllegalArgumentException("no formatting function for " + Values.typeName(value));
    }
}
