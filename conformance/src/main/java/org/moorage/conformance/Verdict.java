// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.conformance.Finding.Judgement;

/**
 * What became of one recorded answer.
 *
 * @param vector the answer
 * @param findings everything that was compared, at least one thing
 */
public record Verdict(Vector vector, List<Finding> findings) {
    public Verdict {
        Objects.requireNonNull(vector, "vector");
        findings = List.copyOf(findings);
        if (findings.isEmpty()) {
            throw new IllegalArgumentException("findings: none for " + vector.name() + " (expected: at least one)");
        }
    }

    /** A verdict in one word. */
    public enum Outcome {
        /** All that the registered plugins say is what kube-scheduler says. */
        RIGHT,
        /** Something differs. */
        WRONG,
        /** Nothing differs, but part of the answer is for plugins that this version does not have. */
        OPEN
    }

    /** The verdict in one word. What differs counts even where something else is open. */
    public Outcome outcome() {
        if (!differences().isEmpty()) {
            return Outcome.WRONG;
        }
        return waitsFor().isEmpty() ? Outcome.RIGHT : Outcome.OPEN;
    }

    /** What differs. */
    public List<Finding> differences() {
        List<Finding> found = new ArrayList<>();
        for (Finding finding : findings) {
            if (finding.judgement() == Judgement.DIFFERENT) {
                found.add(finding);
            }
        }
        return found;
    }

    /** The plugins that would have to be there to tell the rest. */
    public Set<String> waitsFor() {
        Set<String> plugins = new TreeSet<>();
        for (Finding finding : findings) {
            if (finding.judgement() == Judgement.OPEN) {
                plugins.add(finding.plugin());
            }
        }
        return plugins;
    }
}
