// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.conformance.Verdict.Outcome;

/** Counts verdicts. For one thread. */
public final class Tally {
    private final Map<Outcome, Integer> countByOutcome = new EnumMap<>(Outcome.class);
    private final Map<String, Integer> openByPlugin = new TreeMap<>();
    private final Set<VectorKind> kinds = EnumSet.noneOf(VectorKind.class);

    /** A tally of nothing. */
    public Tally() {}

    void add(Verdict verdict) {
        kinds.add(verdict.vector().kind());
        countByOutcome.merge(verdict.outcome(), 1, Integer::sum);
        if (verdict.outcome() == Outcome.OPEN) {
            for (String plugin : verdict.waitsFor()) {
                openByPlugin.merge(plugin, 1, Integer::sum);
            }
        }
    }

    /** Adds what another one has counted. */
    public void add(Tally other) {
        kinds.addAll(other.kinds);
        other.countByOutcome.forEach((outcome, count) -> countByOutcome.merge(outcome, count, Integer::sum));
        other.openByPlugin.forEach((plugin, count) -> openByPlugin.merge(plugin, count, Integer::sum));
    }

    /** How many verdicts were of that sort. */
    public int count(Outcome outcome) {
        return countByOutcome.getOrDefault(outcome, 0);
    }

    /** How many verdicts there were. */
    public int total() {
        int total = 0;
        for (int count : countByOutcome.values()) {
            total += count;
        }
        return total;
    }

    /** How many open verdicts wait for each missing plugin. One may wait for several. */
    public Map<String, Integer> openByPlugin() {
        return Collections.unmodifiableMap(openByPlugin);
    }

    /** The kinds of answers that were counted. */
    public Set<VectorKind> kinds() {
        return Collections.unmodifiableSet(kinds);
    }
}
