// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.moorage.api.model.Pod;

/**
 * A node on which the preemptor fits when the victims are evicted.
 *
 * @param nodeName the node
 * @param victims the pods to evict, the most important first; at least one
 * @param pdbViolations the number of pods whose eviction violates a pod disruption budget
 */
record Candidate(String nodeName, List<Pod> victims, long pdbViolations) {
    // Subtracted from each priority to make it positive, so that a further victim always adds to the sum.
    private static final long LOWEST_PRIORITY = Integer.MIN_VALUE;

    /**
     * The best candidate first: fewest PDB violations, lowest priority of the most important victim, lowest sum of
     * priorities, fewest victims, latest start of the earliest started victim of the highest priority.
     */
    static final Comparator<Candidate> BEST_FIRST = Comparator.comparingLong(Candidate::pdbViolations)
            .thenComparingInt(Candidate::highestPriority)
            .thenComparingLong(Candidate::sumOfPriorities)
            .thenComparingInt(candidate -> candidate.victims.size())
            .thenComparing(Candidate::earliestStartTime, Comparator.reverseOrder());

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

    // The earliest start among the pods of the highest priority. The first pod may have a lower one, since a group
    // counts with the priority of the group.
    private Instant earliestStartTime() {
        int highest = highestPriority();
        Instant earliest = Instant.MAX;
        for (Pod victim : victims) {
            int priority = victim.spec().priority();
            Instant start = startTime(victim);
            if (priority > highest || priority == highest && start.isBefore(earliest)) {
                highest = priority;
                earliest = start;
            }
        }
        return earliest;
    }

    /** Returns the start time of a pod; {@link Instant#MAX} if it has not started. */
    static Instant startTime(Pod pod) {
        return pod.status().startTime().orElse(Instant.MAX);
    }
}
