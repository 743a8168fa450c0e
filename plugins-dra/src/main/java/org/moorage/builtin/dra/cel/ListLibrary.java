// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.BYTES;
import static dev.cel.common.types.SimpleType.DOUBLE;
import static dev.cel.common.types.SimpleType.DURATION;
import static dev.cel.common.types.SimpleType.DYN;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.cel.common.types.SimpleType.TIMESTAMP;
import static dev.cel.common.types.SimpleType.UINT;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.TypeParamType;
import dev.cel.common.values.CelByteString;
import dev.cel.runtime.CelFunctionOverload;
import dev.cel.runtime.RuntimeEquality;
import dev.cel.runtime.RuntimeHelpers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Kubernetes' functions of lists, those of CEL that depend on the type of the elements, and what macros need. */
final class ListLibrary {
    private static final TypeParamType T = TypeParamType.create("T");
    private static final ListType LIST = ListType.create(T);
    private static final List<CelType> COMPARABLE =
            List.of(INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES);
    private static final List<CelType> SUMMABLE = List.of(INT, UINT, DOUBLE, DURATION);
    private static final int MOST_INCLUDED = 48;
    static final RuntimeEquality EQUALITY = RuntimeEquality.create(RuntimeHelpers.create(), SelectorLanguage.OPTIONS);

    private ListLibrary() {}

    static void addTo(Functions functions) {
        CelFunctionOverload isSorted = a -> isSorted((List<?>) a[0]);
        CelFunctionOverload max = a -> extreme((List<?>) a[0], "max", -1);
        CelFunctionOverload min = a -> extreme((List<?>) a[0], "min", 1);
        CelFunctionOverload sum = a -> ((List<?>) a[0])
                .stream().<Object>map(x -> x).reduce(ListLibrary::plus).orElse(0L);
        CelFunctionOverload sort = a -> sorted((List<?>) a[0], (List<?>) a[0]);
        CelFunctionOverload sortByKeys = a -> sorted((List<?>) a[0], (List<?>) a[1]);
        for (CelType type : COMPARABLE) {
            List<CelType> list = List.of(ListType.create(type));
            functions.member("isSorted", BOOL, list, isSorted);
            functions.member("max", type, list, max);
            functions.member("min", type, list, min);
            functions.member("sort", list.get(0), list, sort);
            functions.member(Macros.SORT_BY_KEYS, LIST, List.of(LIST, list.get(0)), sortByKeys);
            if (SUMMABLE.contains(type)) {
                functions.member("sum", type, list, sum);
            }
        }
        functions.member("includes", BOOL, List.of(DYN, DYN), a -> includes(a[0], a[1]));
        functions.member(
                "indexOf",
                INT,
                List.of(LIST, T),
                a -> places((List<?>) a[0], a[1]).findFirst().orElse(-1L));
        functions.member(
                "lastIndexOf",
                INT,
                List.of(LIST, T),
                a -> places((List<?>) a[0], a[1]).reduce(-1L, (first, second) -> second));
        functions.global("lists.range", ListType.create(INT), Long.class, end -> {
            // Costs a unit for each element, and is refused before they are there.
            if (end >= CostTracker.LIMIT) {
                throw CostTracker.limitExceeded();
            }
            return LongStream.range(0, end).boxed().toList();
        });
        functions.member(
                "unwrapOpt",
                LIST,
                List.of(ListType.create(OptionalType.create(T))),
                a -> ((List<?>) a[0])
                        .stream()
                                .flatMap(element -> ((Optional<?>) element).stream())
                                .toList());
        TypeParamType value = TypeParamType.create("V");
        MapType map = MapType.create(T, value);
        functions.global(
                "cel.@mapInsert", map, List.of(map, T, value), a -> inserted((Map<?, ?>) a[0], Map.of(a[1], a[2])));
        functions.global("cel.@mapInsert", map, List.of(map, map), a -> inserted((Map<?, ?>) a[0], (Map<?, ?>) a[1]));
    }

    @SuppressWarnings("unchecked") // Both are of one class.
    private static int compare(Object one, Object other) {
        if (one instanceof CelByteString first && other instanceof CelByteString second) {
            return CelByteString.unsignedLexicographicalComparator().compare(first, second);
        }
        if (one.getClass() == other.getClass() && COMPARABLE.contains(Functions.type(one))) {
            return ((Comparable<Object>) one).compareTo(other);
        }
        if (one instanceof Number first && other instanceof Number second) {
            return Double.compare(first.doubleValue(), second.doubleValue());
        }
        throw new IllegalArgumentException("no such overload");
    }

    private static Stream<Long> places(List<?> list, Object element) {
        return LongStream.range(0, list.size())
                .filter(i -> EQUALITY.objectEquals(list.get((int) i), element))
                .boxed();
    }

    private static List<?> sorted(List<?> list, List<?> keys) {
        for (Object key : keys) {
            if (keys.size() > 1 && !Functions.type(key).equals(Functions.type(keys.get(0)))) {
                throw new IllegalArgumentException("list elements must have the same type");
            }
        }
        return IntStream.range(0, list.size())
                .boxed()
                .sorted((one, other) -> compare(keys.get(one), keys.get(other)))
                .<Object>map(list::get)
                .toList();
    }

    private static boolean isSorted(List<?> list) {
        return IntStream.range(1, list.size()).allMatch(i -> compare(list.get(i - 1), list.get(i)) <= 0);
    }

    private static Object extreme(List<?> list, String name, int sign) {
        return list.stream()
                .<Object>map(x -> x)
                .reduce((one, other) -> compare(one, other) * sign > 0 ? other : one)
                .orElseThrow(() -> new IllegalArgumentException(name + " called on empty list"));
    }

    private static Object plus(Object one, Object other) {
        if (one instanceof Long first && other instanceof Long second) {
            return Math.addExact(first, second);
        }
        if (one instanceof UnsignedLong first && other instanceof UnsignedLong second) {
            return UnsignedLong.valueOf(first.bigIntegerValue().add(second.bigIntegerValue()));
        }
        if (one instanceof Double first && other instanceof Double second) {
            return first + second;
        }
        if (one instanceof Duration first && other instanceof Duration second) {
            return first.plus(second);
        }
        throw new IllegalArgumentException("no such overload");
    }

    private static boolean includes(Object value, Object included) {
        if (!(value instanceof List<?> list)) {
            return EQUALITY.objectEquals(value, included);
        }
        boolean isThere =
                list.stream().limit(MOST_INCLUDED).anyMatch(element -> EQUALITY.objectEquals(element, included));
        if (!isThere && list.size() > MOST_INCLUDED) {
            throw new IllegalArgumentException(
                    "'includes' function cannot be applied to lists longer than " + MOST_INCLUDED + " values");
        }
        return isThere;
    }

    // What a loop has made so far is added to in place, since a copy for each turn would take quadratic time.
    private static Map<?, ?> inserted(Map<?, ?> map, Map<?, ?> added) {
        GrowingMap all = map instanceof GrowingMap growing ? growing : new GrowingMap(map);
        for (Map.Entry<?, ?> entry : added.entrySet()) {
            if (EQUALITY.findInMap(all, entry.getKey()).isPresent()) {
                throw new IllegalArgumentException("insert failed: key " + entry.getKey() + " already exists");
            }
            all.put(entry.getKey(), entry.getValue());
        }
        return all;
    }

    private static final class GrowingMap extends LinkedHashMap<Object, Object> {
        private static final long serialVersionUID = 1L;

        GrowingMap(Map<?, ?> start) {
            super(start);
        }
    }
}
