// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * How many there are of each, the most frequent first, and else in order.
 *
 * @param byName the numbers by what they are of
 */
record Counts(Map<String, Integer> byName) {
    Counts {
        List<Map.Entry<String, Integer>> entries = new ArrayList<>(byName.entrySet());
        entries.sort(Comparator.<Map.Entry<String, Integer>>comparingInt(entry -> -entry.getValue())
                .thenComparing(Map.Entry::getKey));
        Map<String, Integer> sorted = new LinkedHashMap<>();
        entries.forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        byName = sorted;
    }

    /** How many of these have each name. */
    static <T> Counts of(Iterable<T> all, Function<T, String> name) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        all.forEach(one -> counts.merge(name.apply(one), 1, Integer::sum));
        return new Counts(counts);
    }

    /** For example {@code node-1 3, node-2 1 and 7 more}. */
    String text() {
        List<String> texts = new ArrayList<>();
        byName.forEach((name, count) -> texts.add(name + " " + count));
        return RejectedNodes.list(texts, false);
    }

    /** The same for programs: all of them, with the name in that field and the number in the other. */
    void putAll(ArrayNode array, String nameField, String countField) {
        byName.forEach((name, count) -> array.addObject().put(nameField, name).put(countField, count));
    }
}
