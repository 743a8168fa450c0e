// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.values.CelByteString;
import java.util.List;
import java.util.Map;

/**
 * The costs of function calls: mostly one unit, or a tenth of a unit for each character that is read. The figures are
 * those of kube-scheduler's CEL library and of Kubernetes' own functions, apart from a few units.
 */
final class CallCosts {
    private static final int LIST = 11;
    private static final double PER_CHARACTER = 0.1;
    private static final double PER_CHARACTER_OF_PATTERN = 0.25;

    private CallCosts() {}

    /** Returns the cost of a call that had a result. */
    static long of(String function, Object[] arguments, Object result) {
        if (arguments.length == 0) {
            return 1;
        }
        long first = size(arguments[0]);
        long second = arguments.length > 1 ? size(arguments[1]) : 1;
        return switch (function) {
            case "slice", "lists.range", "reverse" -> LIST + size(result);
            case "flatten" -> LIST + first;
            case "distinct", "sort", ListLibrary.SORT_BY -> LIST + 2 * first * first;
            case "sets.contains", "sets.intersects" -> 1 + first * second;
            case "sets.equivalent" -> 1 + 2 * first * second;
            case "@in" -> arguments[1] instanceof List ? second : 1;
            case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes" ->
                arguments[0] instanceof String ? (long) (first * PER_CHARACTER) : first;
            case "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_" -> characters(Math.min(first, second));
            case "_+_" -> arguments[0] instanceof List ? 1 : characters(first + second);
            case "replace", "split", "ip.isCanonical", "containsIP", "containsCIDR" -> characters(2 * first);
            case "join" -> characters(2 * size(result));
            case "startsWith", "endsWith" -> characters(second);
            case "contains" -> characters(first) * characters(second);
            case "matches", "find", "findAll" -> match(first, second);
            case "validate" -> arguments[0] instanceof NamedFormat format ? match(second, format.patternSize()) : 1;
            case "size", "dyn", "type", "int", "uint", "double", "duration", "timestamp" -> 1;
            default -> arguments[0] instanceof List || arguments[0] instanceof Map ? 1 : characters(first);
        };
    }

    // How many parts a value has: 1 if it is of a kind that has no size.
    private static long size(Object value) {
        if (value instanceof String text) {
            return text.codePointCount(0, text.length());
        }
        if (value instanceof List<?> list) {
            return list.size();
        }
        if (value instanceof Map<?, ?> map) {
            return map.size();
        }
        return value instanceof CelByteString bytes ? bytes.size() : 1;
    }

    private static long characters(long count) {
        return (long) Math.ceil(count * PER_CHARACTER);
    }

    private static long match(long textSize, long patternSize) {
        return characters(1 + textSize) * (long) Math.ceil(patternSize * PER_CHARACTER_OF_PATTERN);
    }
}
