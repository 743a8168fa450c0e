// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.values.CelByteString;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What calls cost: mostly a unit, or a tenth for each character that is looked at. The figures are those of kube-scheduler's CEL
 * library and of Kubernetes' own functions.
 */
final class CallCosts {
    private static final int LIST = 10;
    // Where the compiler cannot tell which overload it is, the library does not count.
    private static final Set<String> COUNTED_BY_OVERLOAD = Set.of("sort", "flatten", Macros.SORT_BY_KEYS);
    private static final double PER_CHARACTER = 0.1;
    private static final double PER_CHARACTER_OF_PATTERN = 0.25;

    private CallCosts() {}

    /** The cost of a call; the overload is empty if the compiler could not tell it. */
    static long of(String name, String overload, Object[] arguments, Object result) {
        if (arguments.length == 0) {
            return 1;
        }
        if (overload.isEmpty() && COUNTED_BY_OVERLOAD.contains(name)) {
            return 1;
        }
        return switch (name) {
            case "slice", "lists.range", "reverse" -> list(1, count(result));
            case "flatten" -> list(arguments.length == 2 ? (double) (Long) arguments[1] : 1, count(arguments[0]));
            case "distinct", "sort" -> comparisons(arguments[0]);
            case "@sortByAssociatedKeys" -> comparisons(arguments[1]);
            case "sets.contains", "sets.intersects" -> 1 + product(arguments);
            case "sets.equivalent" -> 1 + 2 * product(arguments);
            case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf" -> traversal(arguments[0]);
            case "url",
                    "lowerAscii",
                    "upperAscii",
                    "format",
                    "substring",
                    "trim",
                    "cidr",
                    "isIP",
                    "isCIDR",
                    "quantity",
                    "isQuantity",
                    "semver",
                    "isSemver" -> characters(count(arguments[0]));
            case "replace", "split", "ip.isCanonical" -> characters(2 * count(arguments[0]));
            case "join" -> characters(2 * count(result));
            case "ip" -> arguments[0] instanceof Cidr ? 1 : characters(count(arguments[0]));
            case "find", "findAll" -> match(arguments[0], count(arguments[1]));
            case "containsIP" ->
                characters(2 * count(arguments[0]))
                        + (!overload.isEmpty() && arguments[1] instanceof String ? characters(count(arguments[1])) : 0);
            case "containsCIDR" ->
                characters(2 * count(arguments[0]))
                        + characters(count(arguments[0]))
                        + 1
                        + (!overload.isEmpty() && arguments[1] instanceof String ? characters(count(arguments[1])) : 0);
            case "validate" ->
                arguments[0] instanceof NamedFormat format ? match(arguments[1], format.patternSize()) : 1;
            case "_==_" ->
                arguments[0] instanceof InetAddress || arguments[0] instanceof Cidr
                        ? 1
                        : ofStandardCall(overload, arguments);
            default -> ofStandardCall(overload, arguments);
        };
    }

    private static long ofStandardCall(String overload, Object[] arguments) {
        return switch (overload) {
            case "starts_with_string", "ends_with_string", "string_to_bytes", "bytes_to_string", "strings_quote" ->
                characters(size(arguments[0]));
            case "in_list" -> size(arguments[1]);
            case "less_string",
                    "greater_string",
                    "less_equals_string",
                    "greater_equals_string",
                    "less_bytes",
                    "greater_bytes",
                    "less_equals_bytes",
                    "greater_equals_bytes",
                    "equals",
                    "not_equals" -> characters(Math.min(size(arguments[0]), size(arguments[1])));
            case "add_string", "add_bytes" -> characters(size(arguments[0]) + size(arguments[1]));
            case "matches_string" -> match(arguments[0], size(arguments[1]));
            case "contains_string" -> characters(size(arguments[0])) * characters(size(arguments[1]));
            default -> 1;
        };
    }

    private static long size(Object value) {
        return value instanceof Optional<?> optional && optional.isPresent() ? size(optional.get()) : count(value);
    }

    // How many parts a value has: 1 if it is of a kind that has no size.
    private static long count(Object value) {
        if (value instanceof String text) {
            return text.codePointCount(0, text.length());
        }
        if (value instanceof List<?> list) {
            return list.size();
        }
        if (value instanceof Map<?, ?> map) {
            return map.size();
        }
        if (value instanceof CelByteString bytes) {
            return bytes.size();
        }
        if (value instanceof InetAddress address) {
            return address.getAddress().length;
        }
        return value instanceof Cidr cidr ? (cidr.prefix() + 7) / 8 : 1;
    }

    private static long characters(long count) {
        return (long) Math.ceil(count * PER_CHARACTER);
    }

    private static long match(Object text, long patternSize) {
        return (long) Math.ceil((1.0 + count(text)) * PER_CHARACTER)
                * (long) Math.ceil(patternSize * PER_CHARACTER_OF_PATTERN);
    }

    private static long list(double factor, long size) {
        return (long) (size * factor) + 1 + LIST;
    }

    private static long comparisons(Object value) {
        long size = count(value);
        boolean hasTexts = value instanceof List<?> list
                && !list.isEmpty()
                && (list.get(0) instanceof String || list.get(0) instanceof CelByteString);
        return list(hasTexts ? 2 + PER_CHARACTER : 2.0, size * size);
    }

    private static long product(Object[] lists) {
        return count(lists[0]) * count(lists[1]);
    }

    private static long traversal(Object value) {
        if (value instanceof String text) {
            return (long) (text.getBytes(StandardCharsets.UTF_8).length * PER_CHARACTER);
        }
        if (value instanceof CelByteString bytes) {
            return (long) (bytes.size() * PER_CHARACTER);
        }
        long sum = 0;
        if (value instanceof List<?> list) {
            for (Object element : list) {
                sum += traversal(element);
            }
            return sum;
        }
        if (value instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                sum += traversal(entry.getKey()) + traversal(entry.getValue());
            }
            return sum;
        }
        return 1;
    }
}
