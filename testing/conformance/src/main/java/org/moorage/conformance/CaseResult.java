// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.conformance.Comparison.Match;

/**
 * The comparisons of one recorded case with Moorage's result.
 *
 * @param vector the recorded case
 * @param comparisons all values that were compared, at least one
 */
public record CaseResult(Vector vector, List<Comparison> comparisons) {
    public CaseResult {
        Objects.requireNonNull(vector, "vector");
        comparisons = List.copyOf(comparisons);
        if (comparisons.isEmpty()) {
            throw new IllegalArgumentException("comparisons: none for " + vector.name() + " (expected: at least one)");
        }
    }

    /** Whether a result of Moorage is right. */
    public enum Correctness {
        /** All values of the registered plugins equal those of kube-scheduler. */
        RIGHT,
        /** A value differs. */
        WRONG,
        /** No value differs, but some depend on plugins that are not registered. */
        OPEN,
        /** No value differs, but the recorded scheduler failed itself in a part of the case. */
        NO_ANSWER
    }

    /** Returns whether the result is right. It is wrong if a value differs, even if another one is open. */
    public Correctness correctness() {
        if (!differences().isEmpty()) {
            return Correctness.WRONG;
        }
        if (!missingPlugins().isEmpty()) {
            return Correctness.OPEN;
        }
        for (Comparison comparison : comparisons) {
            if (comparison.match() == Match.NO_ANSWER) {
                return Correctness.NO_ANSWER;
            }
        }
        return Correctness.RIGHT;
    }

    /** Returns the values that differ. */
    public List<Comparison> differences() {
        List<Comparison> differences = new ArrayList<>();
        for (Comparison comparison : comparisons) {
            if (comparison.match() == Match.DIFFERENT) {
                differences.add(comparison);
            }
        }
        return differences;
    }

    /** Returns the missing plugins that the open values depend on. */
    public Set<String> missingPlugins() {
        Set<String> plugins = new TreeSet<>();
        for (Comparison comparison : comparisons) {
            if (comparison.match() == Match.OPEN) {
                plugins.add(comparison.plugin());
            }
        }
        return plugins;
    }
}
