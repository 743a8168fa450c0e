// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.DYN;
import static dev.cel.common.types.SimpleType.INT;

import com.google.common.collect.Comparators;
import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.TypeParamType;
import dev.cel.common.values.CelByteString;
import dev.cel.runtime.RuntimeEquality;
import dev.cel.runtime.RuntimeHelpers;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/** Functions of lists that the library lacks. */
final class ListLibrary {
    private static final TypeParamType T = TypeParamType.create("T");
    private static final List<CelType> LIST = List.of(ListType.create(T));
    private static final List<CelType> LIST_AND_ELEMENT = List.of(LIST.get(0), T);
    private static final int LONGEST_RANGE = 1_000_000;
    /** The function that the library's macro {@code sortBy} expands to: it sorts pairs of keys and values by key. */
    static final String SORT_BY = "lists.@sortByAssociatedKeys";

    static final RuntimeEquality EQUALITY = RuntimeEquality.create(RuntimeHelpers.create(), SelectorLanguage.OPTIONS);

    private ListLibrary() {}

    static void addTo(Functions functions) {
        functions.member("isSorted", BOOL, LIST, a -> Comparators.isInOrder(list(a[0]), ListLibrary::compare));
        functions.instead(
                "list_sort",
                LIST,
                a -> list(a[0]).stream().sorted(ListLibrary::compare).toList());
        functions.global(
                SORT_BY,
                LIST.get(0),
                List.of(ListType.create(LIST.get(0))),
                a -> list(a[0]).stream()
                        .sorted((one, other) ->
                                compare(list(one).get(0), list(other).get(0)))
                        .map(keyAndValue -> list(keyAndValue).get(1))
                        .toList());
        functions.member("max", T, LIST, a -> Collections.max(list(a[0]), ListLibrary::compare));
        functions.member("min", T, LIST, a -> Collections.min(list(a[0]), ListLibrary::compare));
        functions.member(
                "sum",
                T,
                LIST,
                a -> list(a[0]).stream().reduce(ListLibrary::plus).orElse(0L));
        functions.member("includes", BOOL, List.of(DYN, DYN), a -> includes(a[0], a[1]));
        functions.member(
                "indexOf", INT, LIST_AND_ELEMENT, a -> indexes(a).findFirst().orElse(-1L));
        functions.member("lastIndexOf", INT, LIST_AND_ELEMENT, a -> indexes(a).reduce(-1, (first, second) -> second));
        functions.instead("lists_range", List.of(INT), a -> {
            long size = (Long) a[0];
            if (size < 0) {
                throw new IllegalArgumentException("lists.range: size must be non-negative, got " + size);
            }
            if (size > LONGEST_RANGE) {
                throw new IllegalArgumentException(
                        "lists.range: size " + size + " exceeds maximum allowed (" + LONGEST_RANGE + ")");
            }
            // A range costs one unit for each element, and is rejected before its elements are created.
            if (size >= CostTracker.LIMIT) {
                throw CostTracker.limitExceeded();
            }
            return LongStream.range(0, size).boxed().toList();
        });
        functions.member(
                "unwrapOpt",
                LIST.get(0),
                List.of(ListType.create(OptionalType.create(T))),
                a -> list(a[0]).stream()
                        .flatMap(element -> ((Optional<?>) element).stream())
                        .toList());
    }

    @SuppressWarnings("unchecked") // Elements are only read.
    private static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    @SuppressWarnings("unchecked") // Both are of one class.
    private static int compare(Object one, Object other) {
        if (one instanceof CelByteString first && other instanceof CelByteString second) {
            return CelByteString.unsignedLexicographicalComparator().compare(first, second);
        }
        if (one.getClass() == other.getClass() && one instanceof Comparable && !Functions.isOfKubernetes(one)) {
            return ((Comparable<Object>) one).compareTo(other);
        }
        if (one instanceof Number first && other instanceof Number second) {
            return Double.compare(first.doubleValue(), second.doubleValue());
        }
        throw new IllegalArgumentException("no such overload");
    }

    private static LongStream indexes(Object[] listAndElement) {
        List<Object> list = list(listAndElement[0]);
        return LongStream.range(0, list.size())
                .filter(i -> EQUALITY.objectEquals(list.get((int) i), listAndElement[1]));
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
        List<?> values = value instanceof List<?> list ? list : List.of(value);
        return values.stream().anyMatch(each -> EQUALITY.objectEquals(each, included));
    }
}
