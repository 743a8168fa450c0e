// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** Lists, of CEL's extension and of Kubernetes, sets, and the maps that loops make. */
final class CollectionLibraries {
    private static final TypeParamType T = TypeParamType.create("T");
    private static final ListType LIST = ListType.create(T);
    private static final List<CelType> COMPARABLE = List.of(
            SimpleType.INT,
            SimpleType.UINT,
            SimpleType.DOUBLE,
            SimpleType.BOOL,
            SimpleType.DURATION,
            SimpleType.TIMESTAMP,
            SimpleType.STRING,
            SimpleType.BYTES);
    private static final Map<CelType, Object> ZEROS = Map.of(
            SimpleType.INT,
            0L,
            SimpleType.UINT,
            UnsignedLong.ZERO,
            SimpleType.DOUBLE,
            0.0,
            SimpleType.DURATION,
            Duration.ZERO);

    private static final int MOST_INCLUDED = 48;

    private CollectionLibraries() {}

    static void addTo(Functions functions) {
        addExtension(functions);
        addKubernetes(functions);
        addSets(functions);
        addMaps(functions);
    }

    private static void addExtension(Functions functions) {
        functions
                .extension("slice")
                .member(
                        "list_slice",
                        LIST,
                        List.of(LIST, SimpleType.INT, SimpleType.INT),
                        a -> slice(list(a[0]), (Long) a[1], (Long) a[2]));
        functions
                .extension("flatten")
                .member("list_flatten", LIST, List.of(ListType.create(LIST)), a -> flattened(a[0], 1))
                .member(
                        "list_flatten_int",
                        ListType.create(SimpleType.DYN),
                        List.of(ListType.create(SimpleType.DYN), SimpleType.INT),
                        a -> flattened(a[0], (Long) a[1]))
                .unchecked();
        Function sort = functions.extension("sort");
        Function sortByKeys = functions.extension(Macros.SORT_BY_KEYS);
        for (CelType type : COMPARABLE) {
            ListType keys = ListType.create(type);
            sort.member("list_" + type.name() + "_sort", keys, List.of(keys), a -> a[0]);
            sortByKeys.member("list_" + type.name() + "_sortByAssociatedKeys", LIST, List.of(LIST, keys), a -> a[0]);
        }
        sort.all(
                a -> a[0] instanceof List ? sorted(list(a[0]), list(a[0])) : StandardLibrary.unsupported("sort", a[0]));
        sortByKeys.all(a -> a[0] instanceof List
                ? sorted(list(a[0]), list(a[1]))
                : StandardLibrary.unsupported(Macros.SORT_BY_KEYS, a[0]));
        functions
                .extension("lists.range")
                .global("lists_range", ListType.create(SimpleType.INT), List.of(SimpleType.INT), a -> {
                    if ((Long) a[0] >= Meter.LIMIT) {
                        throw new Meter.Exceeded();
                    }
                    return LongStream.range(0, (Long) a[0]).boxed().toList();
                });
        functions.extension("reverse").member("list_reverse", LIST, List.of(LIST), a -> reversed(list(a[0])));
        functions.extension("distinct").member("list_distinct", LIST, List.of(LIST), a -> distinct(list(a[0])));
    }

    private static List<?> list(Object value) {
        return (List<?>) value;
    }

    private static Object slice(List<?> list, long start, long end) {
        String call = "cannot slice(" + start + ", " + end + "), ";
        if (start < 0 || end < 0) {
            return new Failure(call + "negative indexes not supported");
        }
        if (start > end) {
            return new Failure(call + "start index must be less than or equal to end index");
        }
        return list.size() < end
                ? new Failure(call + "list is length " + list.size())
                : List.copyOf(list.subList((int) start, (int) end));
    }

    private static Object flattened(Object value, long depth) {
        if (!(value instanceof List<?> list)) {
            return new Failure("no such overload: " + Values.typeName(value) + ".flatten()");
        }
        if (depth < 0) {
            return new Failure("level must be non-negative");
        }
        List<Object> flat = new ArrayList<>();
        flatten(list, depth, flat);
        return flat;
    }

    private static void flatten(List<?> list, long depth, List<Object> flat) {
        for (Object element : list) {
            if (element instanceof List<?> nested && depth > 0) {
                flatten(nested, depth - 1, flat);
            } else {
                flat.add(element);
            }
        }
    }

    private static Object sorted(List<?> list, List<?> keys) {
        if (list.isEmpty() || list.size() != keys.size()) {
            return list;
        }
        if (!Values.isComparable(keys.get(0))) {
            return new Failure("list elements must be comparable");
        }
        for (Object key : keys) {
            if (keys.size() > 1 && !Values.typeName(key).equals(Values.typeName(keys.get(0)))) {
                return new Failure("list elements must have the same type");
            }
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            order.add(i);
        }
        order.sort((one, other) -> Values.compare(keys.get(one), keys.get(other)) instanceof Integer known ? known : 0);
        List<Object> sorted = new ArrayList<>(order.size());
        for (int index : order) {
            sorted.add(list.get(index));
        }
        return sorted;
    }

    private static List<?> reversed(List<?> list) {
        List<Object> reversed = new ArrayList<>(list);
        java.util.Collections.reverse(reversed);
        return reversed;
    }

    private static List<?> distinct(List<?> list) {
        // Counted as quadratic, and refused before that time is spent.
        if ((double) list.size() * list.size() > Meter.LIMIT) {
            throw new Meter.Exceeded();
        }
        List<Object> distinct = new ArrayList<>();
        for (Object element : list) {
            if (!Values.contains(distinct, element)) {
                distinct.add(element);
            }
        }
        return distinct;
    }

    private static void addKubernetes(Functions functions) {
        for (CelType type : COMPARABLE) {
            ListType listType = ListType.create(type);
            String id = "list_" + type.name().replaceFirst(".*\\.", "").toLowerCase(java.util.Locale.ROOT);
            functions
                    .extension("isSorted")
                    .member(id + "_is_sorted_bool", SimpleType.BOOL, List.of(listType), a -> isSorted(list(a[0])));
            functions
                    .extension("max")
                    .member(id + "_max", type, List.of(listType), a -> extreme("max", list(a[0]), -1));
            functions.extension("min").member(id + "_min", type, List.of(listType), a -> extreme("min", list(a[0]), 1));
            Object zero = ZEROS.get(type);
            if (zero != null) {
                functions.extension("sum").member(id + "_sum", type, List.of(listType), a -> sum(list(a[0]), zero));
            }
        }
        functions
                .extension("includes")
                .member(
                        "dra_includes_dyn_dyn",
                        SimpleType.BOOL,
                        List.of(SimpleType.DYN, SimpleType.DYN),
                        a -> includes(a[0], a[1]));
        functions
                .extension("indexOf")
                .member("list_a_index_of_int", SimpleType.INT, List.of(LIST, T), a -> indexOf(list(a[0]), a[1]));
        functions
                .extension("lastIndexOf")
                .member(
                        "list_a_last_index_of_int",
                        SimpleType.INT,
                        List.of(LIST, T),
                        a -> lastIndexOf(list(a[0]), a[1]));
    }

    private static Object includes(Object value, Object included) {
        if (!(value instanceof List<?> list)) {
            return Values.isTrue(Values.equal(value, included));
        }
        int looked = Math.min(list.size(), MOST_INCLUDED);
        for (int i = 0; i < looked; i++) {
            if (Values.isTrue(Values.equal(list.get(i), included))) {
                return true;
            }
        }
        return looked == list.size()
                ? false
                : new Failure(
                        "'includes' function cannot be applied to lists longer than " + MOST_INCLUDED + " values");
    }

    private static Object isSorted(List<?> list) {
        for (int i = 0; i < list.size(); i++) {
            if (!Values.isComparable(list.get(i))) {
                return Failure.NO_OVERLOAD;
            }
            if (i > 0 && Integer.valueOf(1).equals(Values.compare(list.get(i - 1), list.get(i)))) {
                return false;
            }
        }
        return true;
    }

    private static Object extreme(String name, List<?> list, int replacedIf) {
        if (list.isEmpty()) {
            return new Failure(name + " called on empty list");
        }
        Object found = list.get(0);
        for (Object element : list) {
            if (!Values.isComparable(element)) {
                return Failure.NO_OVERLOAD;
            }
            if (Integer.valueOf(replacedIf).equals(Values.compare(found, element))) {
                found = element;
            }
        }
        return found;
    }

    private static Object sum(List<?> list, Object zero) {
        Object sum = zero;
        for (Object element : list) {
            sum = StandardLibrary.plus(sum, element);
            if (sum instanceof Failure) {
                return sum;
            }
        }
        return sum;
    }

    private static long indexOf(List<?> list, Object value) {
        for (int i = 0; i < list.size(); i++) {
            if (Values.isTrue(Values.equal(list.get(i), value))) {
                return i;
            }
        }
        return -1;
    }

    private static long lastIndexOf(List<?> list, Object value) {
        for (int i = list.size() - 1; i >= 0; i--) {
            if (Values.isTrue(Values.equal(list.get(i), value))) {
                return i;
            }
        }
        return -1;
    }

    private static void addSets(Functions functions) {
        List<CelType> two = List.of(LIST, LIST);
        functions
                .extension("sets.contains")
                .global("list_sets_contains_list", SimpleType.BOOL, two, a -> containsAll(list(a[0]), list(a[1])));
        functions
                .extension("sets.equivalent")
                .global(
                        "list_sets_equivalent_list",
                        SimpleType.BOOL,
                        two,
                        a -> containsAll(list(a[0]), list(a[1])) && containsAll(list(a[1]), list(a[0])));
        functions
                .extension("sets.intersects")
                .global("list_sets_intersects_list", SimpleType.BOOL, two, a -> intersects(list(a[0]), list(a[1])));
    }

    private static boolean containsAll(List<?> list, List<?> elements) {
        for (Object element : elements) {
            if (!Values.contains(list, element)) {
                return false;
            }
        }
        return true;
    }

    private static boolean intersects(List<?> one, List<?> other) {
        for (Object element : one) {
            if (Values.contains(other, element)) {
                return true;
            }
        }
        return false;
    }

    private static void addMaps(Functions functions) {
        TypeParamType key = TypeParamType.create("K");
        TypeParamType value = TypeParamType.create("V");
        MapType map = MapType.create(key, value);
        functions
                .extension("cel.@mapInsert")
                .global(
                        "@mapInsert_map_key_value",
                        map,
                        List.of(map, key, value),
                        a -> inserted((Map<?, ?>) a[0], Map.of(a[1], a[2])))
                .global(
                        "@mapInsert_map_map",
                        map,
                        List.of(map, map),
                        a -> inserted((Map<?, ?>) a[0], (Map<?, ?>) a[1]));
    }

    private static Object inserted(Map<?, ?> map, Map<?, ?> added) {
        Map<Object, Object> all = map instanceof Growing.OfMap growing ? growing : new LinkedHashMap<>(map);
        for (Map.Entry<?, ?> entry : added.entrySet()) {
            if (Values.find(all, entry.getKey()) != Attribute.Qualifier.ABSENT) {
                return new Failure("insert failed: key " + Values.text(entry.getKey()) + " already exists");
            }
            all.put(entry.getKey(), entry.getValue());
        }
        return all;
    }
}
