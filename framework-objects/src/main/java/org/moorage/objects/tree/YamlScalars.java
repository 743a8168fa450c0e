// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the scalars of YAML as Kubernetes' YAML library does, for manifests and for configurations. Its rules are a
 * mixture of YAML 1.1 and 1.2: {@code yes} is true, {@code 010}, {@code 0o10} and {@code 0x8} are 8, and {@code 1:30}
 * and {@code 2001-01-01} are texts.
 */
public final class YamlScalars {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String TAGS = "tag:yaml.org,2002:";
    private static final int LONGEST_WORD = "FALSE".length();
    private static final Pattern DECIMAL =
            Pattern.compile("[-+]?(?:\\.[0-9]++|[0-9]++(?:\\.[0-9]*+)?+)(?:[eE][-+]?[0-9]++)?+");
    // Allowed between digits only, as in numbers of Go.
    private static final Pattern UNDERSCORE = Pattern.compile("(?<=[0-9])_(?=[0-9])");

    /** The longest text of an integer that is read: 64 bits in base 2 with a sign and a prefix. */
    private static final int LONGEST_INTEGER = 67;

    /** No number of 64 bits needs more characters; those of a long text take long to compute. */
    private static final int LONGEST_DECIMAL = 1_000;

    private static final BigInteger MOST = BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);
    private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);

    // From here on Go writes numbers with an exponent, and no integer is read from them.
    private static final double LARGE = 1e21;

    private YamlScalars() {}

    /**
     * Returns the value of a scalar.
     *
     * @param tag its tag, in the long form; empty if it has none
     * @param isPlain whether it is written without quotes, and not as a block
     * @param text its text
     */
    public static JsonNode value(String tag, boolean isPlain, String text) {
        if (tag.isEmpty()) {
            return isPlain ? plain(text) : NODES.textNode(text);
        }
        if (!tag.startsWith(TAGS)) {
            return NODES.textNode(text);
        }
        return ofTag(tag.substring(TAGS.length()), text).orElseGet(() -> NODES.textNode(text));
    }

    private static Optional<JsonNode> ofTag(String tag, String text) {
        return switch (tag) {
            case "int" -> text.isEmpty() ? Optional.empty() : integer(text.replace("_", ""));
            case "float" -> Optional.of(plain(text)).filter(JsonNode::isNumber);
            case "bool" -> Optional.of(plain(text)).filter(JsonNode::isBoolean);
            case "null" -> Optional.of(plain(text)).filter(JsonNode::isNull);
            default -> Optional.empty();
        };
    }

    /** Returns the value of a scalar that has neither a tag nor quotes. */
    public static JsonNode plain(String text) {
        if (text.isEmpty()) {
            return NODES.nullNode();
        }
        char first = text.charAt(0);
        if (first == '.' || first == '-' || first == '+' || first >= '0' && first <= '9') {
            return number(text).orElseGet(() -> NODES.textNode(text));
        }
        if (text.length() > LONGEST_WORD) {
            return NODES.textNode(text);
        }
        return switch (text) {
            case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON" -> NODES.booleanNode(true);
            case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF" -> NODES.booleanNode(false);
            case "~", "null", "Null", "NULL" -> NODES.nullNode();
            default -> NODES.textNode(text);
        };
    }

    private static Optional<JsonNode> number(String text) {
        if (text.length() > LONGEST_DECIMAL) {
            return Optional.empty();
        }
        if (text.charAt(0) == '.') {
            return decimal(UNDERSCORE.matcher(text).replaceAll(""));
        }
        String digits = text.indexOf('_') < 0 ? text : text.replace("_", "");
        Optional<JsonNode> integer = integer(digits);
        return integer.isPresent() ? integer : decimal(digits);
    }

    private static Optional<JsonNode> integer(String text) {
        if (text.length() > LONGEST_INTEGER) {
            return Optional.empty();
        }
        boolean hasSign = text.startsWith("-") || text.startsWith("+");
        String sign = text.startsWith("-") ? "-" : "";
        String digits = hasSign ? text.substring(1) : text;
        int radix = 10;
        if (digits.length() > 1 && digits.charAt(0) == '0') {
            radix = switch (digits.charAt(1)) {
                case 'b', 'B' -> 2;
                case 'o', 'O' -> 8;
                case 'x', 'X' -> 16;
                default -> 0;
            };
            boolean hasPrefix = radix != 0;
            radix = hasPrefix ? radix : 8;
            digits = digits.substring(hasPrefix ? 2 : 1);
            // An oddity of the library: a second sign, in base 2 only.
            boolean hasInnerSign = text.startsWith("0b-") || text.startsWith("0b+");
            if (hasInnerSign) {
                sign = text.charAt(2) == '-' ? "-" : "";
                digits = digits.substring(1);
            }
        }
        if (!isOfDigits(digits, radix)) {
            return Optional.empty();
        }
        BigInteger value = new BigInteger(sign + digits, radix);
        if (value.compareTo(LEAST) < 0 || value.compareTo(MOST) > 0 || hasSign && value.bitLength() >= Long.SIZE) {
            return Optional.empty();
        }
        return Optional.of(node(value));
    }

    private static boolean isOfDigits(String text, int radix) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80 || Character.digit(text.charAt(i), radix) < 0) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    private static Optional<JsonNode> decimal(String text) {
        if (!DECIMAL.matcher(text).matches()) {
            return Optional.empty();
        }
        double value = Double.parseDouble(text);
        if (Double.isInfinite(value)) {
            return Optional.empty();
        }
        boolean isInteger = value == Math.rint(value) && Math.abs(value) < LARGE;
        return Optional.of(
                isInteger ? node(new BigDecimal(Double.toString(value)).toBigInteger()) : NODES.numberNode(value));
    }

    // As a JSON parser would have made it, so that trees can be compared.
    private static JsonNode node(BigInteger value) {
        if (value.bitLength() >= Long.SIZE) {
            return NODES.numberNode(value);
        }
        long number = value.longValue();
        return number == (int) number ? NODES.numberNode((int) number) : NODES.numberNode(number);
    }
}
