// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Numbers by name, the highest first, and else by name.
 *
 * @param byName the numbers by name
 */
public record Counts(Map<String, Integer> byName) {
    public Counts {
        List<Map.Entry<String, Integer>> entries = new ArrayList<>(byName.entrySet());
        entries.sort(Comparator.<Map.Entry<String, Integer>>comparingInt(entry -> -entry.getValue())
                .thenComparing(Map.Entry::getKey));
        Map<String, Integer> sorted = new LinkedHashMap<>();
        entries.forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        byName = sorted;
    }

    /** Counts values by their names. */
    public static <T> Counts of(Iterable<T> all, Function<T, String> name) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        all.forEach(one -> counts.merge(name.apply(one), 1, Integer::sum));
        return new Counts(counts);
    }

    /** Returns a text such as {@code node-1 3, node-2 1 and 7 more}. */
    public String text() {
        List<String> texts = new ArrayList<>();
        byName.forEach((name, count) -> texts.add(name + " " + count));
        return Names.first(texts);
    }
}
