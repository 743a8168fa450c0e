// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.conformance.CaseResult.Correctness;

/** The number of results of each sort. Not safe for use by several threads. */
public final class ResultCounts {
    private final Map<Correctness, Integer> countByOutcome = new EnumMap<>(Correctness.class);
    private final Map<String, Integer> openByPlugin = new TreeMap<>();
    private final Set<VectorKind> kinds = EnumSet.noneOf(VectorKind.class);

    /** Counts of nothing. */
    public ResultCounts() {}

    void add(CaseResult result) {
        kinds.add(result.vector().kind());
        countByOutcome.merge(result.correctness(), 1, Integer::sum);
        if (result.correctness() == Correctness.OPEN) {
            for (String plugin : result.missingPlugins()) {
                openByPlugin.merge(plugin, 1, Integer::sum);
            }
        }
    }

    /** Adds the counts of another one. */
    public void add(ResultCounts other) {
        kinds.addAll(other.kinds);
        other.countByOutcome.forEach((correctness, count) -> countByOutcome.merge(correctness, count, Integer::sum));
        other.openByPlugin.forEach((plugin, count) -> openByPlugin.merge(plugin, count, Integer::sum));
    }

    /** The number of results of that sort. */
    public int count(Correctness correctness) {
        return countByOutcome.getOrDefault(correctness, 0);
    }

    /** The number of results. */
    public int total() {
        int total = 0;
        for (int count : countByOutcome.values()) {
            total += count;
        }
        return total;
    }

    /** The number of open results by the missing plugins that they depend on; one may depend on several. */
    public Map<String, Integer> openByPlugin() {
        return Collections.unmodifiableMap(openByPlugin);
    }

    /** The kinds of answers that were counted. */
    public Set<VectorKind> kinds() {
        return Collections.unmodifiableSet(kinds);
    }
}
