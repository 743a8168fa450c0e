// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.preemption;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.moorage.api.model.Pod;

/**
 * A node that the pod fits on once some pods have left it.
 *
 * @param nodeName the node
 * @param victims the pods that have to leave, the most important first; at least one
 * @param violations how many of them are more than their disruption budgets allow
 */
record Candidate(String nodeName, List<Pod> victims, int violations) {
    // A priority counts from the lowest possible one, so that two victims are more than one whatever their priorities.
    private static final long LOWEST_PRIORITY = Integer.MIN_VALUE;

    /**
     * The better node first: fewer broken budgets, then a less important most important victim, a lower sum of priorities,
     * fewer victims, and a later start of the oldest among its most important victims.
     */
    static final Comparator<Candidate> BEST_FIRST = Comparator.comparingInt(Candidate::violations)
            .thenComparingInt(Candidate::highestPriority)
            .thenComparingLong(Candidate::sumOfPriorities)
            .thenComparingInt(candidate -> candidate.victims.size())
            .thenComparing(Candidate::earliestStart, Comparator.reverseOrder());

    private int highestPriority() {
        return victims.get(0).spec().priority();
    }

    private long sumOfPriorities() {
        long sum = 0;
        for (Pod victim : victims) {
            sum += victim.spec().priority() - LOWEST_PRIORITY;
        }
        return sum;
    }

    private Instant earliestStart() {
        Instant earliest = Instant.MAX;
        for (Pod victim : victims) {
            Instant start = startOf(victim);
            if (victim.spec().priority() == highestPriority() && start.isBefore(earliest)) {
                earliest = start;
            }
        }
        return earliest;
    }

    /** When a pod started; one that has not is younger than all others. */
    static Instant startOf(Pod pod) {
        return pod.status().startTime().orElse(Instant.MAX);
    }
}
