// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Function;
import java.util.function.Supplier;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;

/**
 * A pool of workspaces for concurrent evaluations, which run on the threads of their callers. Each workspace has its
 * own snapshot; updating it costs as much as has changed since its last use.
 */
public final class EvaluationWorkspaces {
    // A larger pool does not help: more threads than processors evaluate no faster.
    private static final int MOST_IDLE = Runtime.getRuntime().availableProcessors();

    private final Supplier<CycleWorkspace> make;
    private final Deque<CycleWorkspace> idle = new ConcurrentLinkedDeque<>();
    private final Set<CycleWorkspace> inUse = ConcurrentHashMap.newKeySet();

    public EvaluationWorkspaces(Supplier<CycleWorkspace> make) {
        this.make = make;
    }

    /** Runs some work with a workspace that no other thread uses. */
    <T> T use(Function<SchedulingAlgorithm, T> work) {
        // The snapshot of the most recently used workspace has the fewest changes to apply.
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

    /** Returns the workspace of the evaluation that runs on that thread. */
    Optional<CycleWorkspace> of(Thread thread) {
        // Plugins read the snapshot once per node, mostly while no evaluation runs: this check allocates nothing.
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
