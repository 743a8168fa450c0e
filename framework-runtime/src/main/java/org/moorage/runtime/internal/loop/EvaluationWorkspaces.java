// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;

/**
 * What evaluations work with that run beside one another, each on the thread of its caller: each has a snapshot of its own, which is
 * brought up to date at the cost of what changed since its last use.
 */
public final class EvaluationWorkspaces {
    // More threads than these that evaluate at once gain nothing by a snapshot that waits for them.
    private static final int MOST_IDLE = Runtime.getRuntime().availableProcessors();

    private final Supplier<CycleWorkspace> make;
    private final Deque<CycleWorkspace> idle = new ConcurrentLinkedDeque<>();
    private final Set<CycleWorkspace> inUse = ConcurrentHashMap.newKeySet();

    public EvaluationWorkspaces(Supplier<CycleWorkspace> make) {
        this.make = make;
    }

    /** Does some work with a workspace that nobody else uses. */
    <T> T use(BiFunction<SchedulingAlgorithm, TrialSnapshot, T> work) {
        // The one that was used last is the one that has least to catch up with.
        CycleWorkspace known = idle.pollFirst();
        CycleWorkspace workspace = known == null ? make.get() : known;
        inUse.add(workspace);
        try {
            return workspace.use(work);
        } finally {
            inUse.remove(workspace);
            if (idle.size() < MOST_IDLE) {
                idle.addFirst(workspace);
            }
        }
    }

    /** The workspace of the evaluation that runs on that thread. */
    Optional<CycleWorkspace> of(Thread thread) {
        // Plugins read the snapshot for each node, mostly while nobody evaluates: that allocates nothing.
        if (inUse.isEmpty()) {
            return Optional.empty();
        }
        for (CycleWorkspace workspace : inUse) {
            if (workspace.isUsedBy(thread)) {
                return Optional.of(workspace);
            }
        }
        return Optional.empty();
    }
}
