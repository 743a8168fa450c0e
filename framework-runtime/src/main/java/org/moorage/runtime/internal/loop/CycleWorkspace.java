// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.Parallelism;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.plugin.PluginThread;

/**
 * The snapshot, algorithm, working memory and worker threads of one scheduling cycle or evaluation at a time. The
 * snapshot is updated in place between them.
 */
public final class CycleWorkspace implements AutoCloseable {
    private final ReentrantLock lock = new ReentrantLock();
    // Its snapshot is changed under the lock only, by the thread that uses it.
    private final SchedulingAlgorithm algorithm;
    private final @Nullable ExecutorService workers;
    private volatile @Nullable Thread user;
    private volatile @Nullable CycleAttempt attempt;

    /**
     * Creates a workspace for scheduling cycles.
     *
     * @param percentageOfNodesToScore see {@link SchedulingAlgorithm}
     * @param firstNode the index of the node that the first cycle begins with
     * @param extenders the extenders that filter and score in addition to the plugins
     * @param random chooses among nodes with equal scores if an extender has scored them
     * @param randomTies whether it chooses among all nodes with equal scores
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
                new TrialSnapshot(), percentageOfNodesToScore, firstNode, parallelism, extenders, random, randomTies);
    }

    /**
     * Creates a workspace for concurrent evaluations; it has no worker threads.
     *
     * @param extenders the extenders that filter and score in addition to the plugins
     * @param random replaces the scheduler's, which is not safe for concurrent use
     */
    public CycleWorkspace(Extenders extenders, RandomGenerator random) {
        workers = null;
        // An evaluation filters all nodes, and chooses none.
        algorithm = new SchedulingAlgorithm(new TrialSnapshot(), 0, 0, Parallelism.none(), extenders, random, false);
    }

    /** Runs some work, waiting until no other thread uses the workspace. */
    public <T> T use(Function<SchedulingAlgorithm, T> work) {
        lock.lock();
        Thread before = user;
        user = Thread.currentThread();
        try {
            return work.apply(algorithm);
        } finally {
            user = before;
            lock.unlock();
        }
    }

    /**
     * Like {@link #use}, for work that simulates a cycle: it does not change the node that the next cycle begins with.
     *
     * @throws IllegalStateException on the thread of a running cycle or evaluation
     */
    <T> T simulate(Function<SchedulingAlgorithm, T> work) {
        if (lock.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "a group is tried out in a scheduling cycle (expected: between two cycles)");
        }
        return use(tried -> {
            int nextNode = tried.nextNode();
            try {
                return work.apply(tried);
            } finally {
                tried.nextNode(nextNode);
            }
        });
    }

    /**
     * Runs some work if the workspace is free; otherwise returns empty. It is not free if the current thread uses it.
     */
    <T> Optional<T> useIfFree(Function<SchedulingAlgorithm, T> work) {
        if (lock.isHeldByCurrentThread() || !lock.tryLock()) {
            return Optional.empty();
        }
        try {
            return Optional.of(use(work));
        } finally {
            lock.unlock();
        }
    }

    /** Runs a scheduling cycle, waiting until no other thread uses the workspace. */
    <T> T schedule(CycleAttempt running, Function<SchedulingAlgorithm, T> cycle) {
        lock.lock();
        attempt = running;
        try {
            return use(cycle);
        } finally {
            attempt = null;
            lock.unlock();
        }
    }

    /** Returns the running attempt to schedule a pod or a group, or null. */
    @Nullable
    CycleAttempt attempt() {
        return attempt;
    }

    /** Returns whether that thread runs the cycle, or processes nodes for it. */
    boolean isUsedBy(Thread thread) {
        Thread running = user;
        return running == thread || running != null && thread instanceof PluginThread worker && worker.worksFor(this);
    }

    /** Returns whether the scheduling loop uses it, rather than a caller that schedules a single pod. */
    boolean isUsedByLoop() {
        return user instanceof PluginThread thread && thread.worksFor(this);
    }

    /** Returns the nodes of the cycle that uses it. */
    TrialSnapshot snapshot() {
        return algorithm.snapshot();
    }

    /** Returns the index of the node that the next cycle begins with. */
    public int nextNode() {
        return algorithm.nextNode();
    }

    /** Shuts down the worker threads once their tasks are done. */
    @Override
    public void close() {
        if (workers != null) {
            workers.shutdown();
        }
    }
}
