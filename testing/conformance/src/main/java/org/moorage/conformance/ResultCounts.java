// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.conformance.CaseResult.Correctness;

/** The number of results by correctness. Not safe for use by several threads. */
public final class ResultCounts {
    private final Map<Correctness, Integer> countByOutcome = new EnumMap<>(Correctness.class);
    private final Map<String, Integer> openByPlugin = new TreeMap<>();
    private final List<String> withoutAnswer = new ArrayList<>();
    private final Set<VectorKind> kinds = EnumSet.noneOf(VectorKind.class);

    /** Creates counts of 0. */
    public ResultCounts() {}

    void add(CaseResult result) {
        kinds.add(result.vector().kind());
        countByOutcome.merge(result.correctness(), 1, Integer::sum);
        if (result.correctness() == Correctness.NO_ANSWER) {
            withoutAnswer.add(result.vector().name());
        }
        if (result.correctness() == Correctness.OPEN) {
            for (String plugin : result.missingPlugins()) {
                openByPlugin.merge(plugin, 1, Integer::sum);
            }
        }
    }

    /** Adds other counts. */
    public void add(ResultCounts other) {
        kinds.addAll(other.kinds);
        withoutAnswer.addAll(other.withoutAnswer);
        other.countByOutcome.forEach((correctness, count) -> countByOutcome.merge(correctness, count, Integer::sum));
        other.openByPlugin.forEach((plugin, count) -> openByPlugin.merge(plugin, count, Integer::sum));
    }

    /** Returns the number of results with that correctness. */
    public int count(Correctness correctness) {
        return countByOutcome.getOrDefault(correctness, 0);
    }

    /** Returns the number of results. */
    public int total() {
        int total = 0;
        for (int count : countByOutcome.values()) {
            total += count;
        }
        return total;
    }

    /** Returns the number of open results by missing plugin; a result may depend on several plugins. */
    public Map<String, Integer> openByPlugin() {
        return Collections.unmodifiableMap(openByPlugin);
    }

    /** Returns the names of the cases in which the recorded scheduler failed, so that it has no answer. */
    public List<String> withoutAnswer() {
        return List.copyOf(withoutAnswer);
    }

    /** Returns the kinds of the counted cases. */
    public Set<VectorKind> kinds() {
        return Collections.unmodifiableSet(kinds);
    }
}
