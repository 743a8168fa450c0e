// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.values.CelByteString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What calls cost: mostly a unit, or a tenth for each character that is looked at. The figures are those of kube-scheduler's CEL
 * library and of Kubernetes' own functions.
 */
final class Costs {
    static final int LIST = 10;
    static final int MAP = 30;
    // Where the compiler cannot tell which overload it is, the library does not count.
    private static final Set<String> COUNTED_BY_OVERLOAD = Set.of("sort", "flatten", "@sortByAssociatedKeys");
    private static final double PER_CHARACTER = 0.1;
    private static final double PER_CHARACTER_OF_PATTERN = 0.25;

    private Costs() {}

    static long ofCall(String name, String overload, Object[] arguments, Object result) {
        if (arguments.length == 0) {
            return 1;
        }
        if (overload.isEmpty() && COUNTED_BY_OVERLOAD.contains(name)) {
            return 1;
        }
        return switch (name) {
            case "slice", "lists.range", "reverse" -> list(1, Values.size(result));
            case "flatten" -> list(arguments.length == 2 ? (double) (Long) arguments[1] : 1, Values.size(arguments[0]));
            case "distinct", "sort" -> comparisons(arguments[0]);
            case "@sortByAssociatedKeys" -> comparisons(arguments[1]);
            case "sets.contains", "sets.intersects" -> 1 + product(arguments);
            case "sets.equivalent" -> 1 + 2 * product(arguments);
            case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf" -> traversal(arguments[0]);
            case "url",
                    "lowerAscii",
                    "upperAscii",
                    "substring",
                    "trim",
                    "cidr",
                    "isIP",
                    "isCIDR",
                    "quantity",
                    "isQuantity",
                    "semver",
                    "isSemver" -> characters(Values.size(arguments[0]));
            case "replace", "split", "ip.isCanonical" -> characters(2 * Values.size(arguments[0]));
            case "join" -> characters(2 * Values.size(result));
            case "ip" -> overload.equals("cidr_ip") ? 1 : characters(Values.size(arguments[0]));
            case "find", "findAll" -> match(arguments[0], Values.size(arguments[1]));
            case "containsIP" ->
                characters(2 * Values.size(arguments[0]))
                        + (overload.equals("cidr_contains_ip_string") ? characters(Values.size(arguments[1])) : 0);
            case "containsCIDR" ->
                characters(2 * Values.size(arguments[0]))
                        + characters(Values.size(arguments[0]))
                        + 1
                        + (overload.equals("cidr_contains_cidr_string") ? characters(Values.size(arguments[1])) : 0);
            case "validate" ->
                arguments[0] instanceof NamedFormat format ? match(arguments[1], format.patternSize()) : 1;
            case "_==_" ->
                arguments[0] instanceof Address || arguments[0] instanceof Subnet
                        ? 1
                        : ofStandardCall(overload, arguments);
            default -> ofStandardCall(overload, arguments);
        };
    }

    private static long ofStandardCall(String overload, Object[] arguments) {
        return switch (overload) {
            case "starts_with_string",
                    "ends_with_string",
                    "string_to_bytes",
                    "bytes_to_string",
                    "strings_quote",
                    "string_format" -> characters(size(arguments[0]));
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
        return value instanceof Optional<?> optional && optional.isPresent()
                ? size(optional.get())
                : Values.size(value);
    }

    private static long characters(long count) {
        return (long) Math.ceil(count * PER_CHARACTER);
    }

    private static long match(Object text, long patternSize) {
        return (long) Math.ceil((1.0 + Values.size(text)) * PER_CHARACTER)
                * (long) Math.ceil(patternSize * PER_CHARACTER_OF_PATTERN);
    }

    private static long list(double factor, long size) {
        return (long) (size * factor) + 1 + LIST;
    }

    private static long comparisons(Object value) {
        long size = Values.size(value);
        boolean hasTexts = value instanceof List<?> list
                && !list.isEmpty()
                && (list.get(0) instanceof String || list.get(0) instanceof CelByteString);
        return list(hasTexts ? 2 + PER_CHARACTER : 2.0, size * size);
    }

    private static long product(Object[] lists) {
        return Values.size(lists[0]) * Values.size(lists[1]);
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
