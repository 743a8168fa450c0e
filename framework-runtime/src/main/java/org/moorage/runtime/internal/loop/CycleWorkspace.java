// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.Parallelism;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.plugin.PluginThread;

/**
 * What one scheduling cycle or evaluation at a time works with: the snapshot, the algorithm with its working memory, and the
 * threads of its passes over nodes. Between them the snapshot is brought up to date in place.
 */
public final class CycleWorkspace implements AutoCloseable {
    private final ReentrantLock lock = new ReentrantLock();
    // Changed under the lock only, by the thread that uses it.
    private final TrialSnapshot snapshot = new TrialSnapshot();
    private final SchedulingAlgorithm algorithm;
    private final @Nullable ExecutorService workers;
    private volatile @Nullable Thread user;
    private volatile @Nullable CycleAttempt attempt;

    /**
     * A workspace.
     *
     * @param percentageOfNodesToScore see {@link SchedulingAlgorithm}
     * @param firstNode the index of the node that the first cycle begins with
     * @param extenders who has a say beside the plugins
     * @param random chooses among equals that an extender has scored
     * @param randomTies whether it chooses among all equals
     */
    public CycleWorkspace(
            int percentageOfNodesToScore,
            int firstNode,
            SchedulerThreads threads,
            Extenders extenders,
            RandomGenerator random,
            boolean randomTies) {
        ExecutorService made = threads.newWorkers(this);
        Parallelism parallelism =
                threads.parallelism() <= 1 ? Parallelism.none() : new Parallelism(made, threads.parallelism());
        workers = made;
        algorithm = new SchedulingAlgorithm(
                percentageOfNodesToScore, firstNode, parallelism, extenders, random, randomTies);
    }

    /**
     * A workspace for evaluations beside others, which has no threads of its own.
     *
     * @param extenders who has a say beside the plugins
     * @param random takes the place of the scheduler's, which one thread uses at a time
     */
    public CycleWorkspace(Extenders extenders, RandomGenerator random) {
        workers = null;
        // An evaluation looks at all nodes, and chooses none.
        algorithm = new SchedulingAlgorithm(0, 0, Parallelism.none(), extenders, random, false);
    }

    /** Does some work, as soon as nobody else uses the workspace. */
    public <T> T use(BiFunction<SchedulingAlgorithm, TrialSnapshot, T> work) {
        lock.lock();
        Thread before = user;
        user = Thread.currentThread();
        try {
            return work.apply(algorithm, snapshot);
        } finally {
            user = before;
            lock.unlock();
        }
    }

    /**
     * As {@link #use}, for work that tries what a cycle would do: the next cycle begins with the node that it would begin with without it.
     *
     * @throws IllegalStateException on the thread of a running cycle or evaluation
     */
    <T> T tryOut(BiFunction<SchedulingAlgorithm, TrialSnapshot, T> work) {
        if (lock.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "a group is tried out in a scheduling cycle (expected: between two cycles)");
        }
        return use((tried, nodes) -> {
            int nextNode = tried.nextNode();
            try {
                return work.apply(tried, nodes);
            } finally {
                tried.nextNode(nextNode);
            }
        });
    }

    /** Does some work if nobody uses the workspace, not even the current thread; otherwise returns empty. */
    <T> Optional<T> useIfFree(BiFunction<SchedulingAlgorithm, TrialSnapshot, T> work) {
        if (lock.isHeldByCurrentThread() || !lock.tryLock()) {
            return Optional.empty();
        }
        try {
            return Optional.of(use(work));
        } finally {
            lock.unlock();
        }
    }

    /** Schedules a pod, as soon as nobody else uses the workspace. */
    <T> T schedule(CycleAttempt running, BiFunction<SchedulingAlgorithm, TrialSnapshot, T> cycle) {
        lock.lock();
        attempt = running;
        try {
            return use(cycle);
        } finally {
            attempt = null;
            lock.unlock();
        }
    }

    /** The attempt to schedule a pod that is under way, or null. */
    @Nullable
    CycleAttempt attempt() {
        return attempt;
    }

    /** Whether that thread runs the cycle, or a part of its passes over nodes. */
    boolean isUsedBy(Thread thread) {
        Thread running = user;
        return running == thread || running != null && thread instanceof PluginThread worker && worker.worksFor(this);
    }

    /** Whether it is the scheduling loop that uses it, and not somebody who schedules one pod. */
    boolean isUsedByLoop() {
        return user instanceof PluginThread thread && thread.worksFor(this);
    }

    /** The nodes of the cycle that uses it. */
    TrialSnapshot snapshot() {
        return snapshot;
    }

    /** The index of the node that the next cycle begins with. */
    public int nextNode() {
        return algorithm.nextNode();
    }

    /** Ends the threads as soon as they have nothing to do. */
    @Override
    public void close() {
        if (workers != null) {
            workers.shutdown();
        }
    }
}
