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
 * The snapshot, the algorithm with its working memory, and the worker threads of one scheduling cycle or evaluation at a
 * time. The snapshot is updated in place between them.
 */
final class Engine implements AutoCloseable {
    private final ReentrantLock lock = new ReentrantLock();
    // Its snapshot is changed under the lock only, by the thread that uses it.
    private final SchedulingAlgorithm algorithm;
    private final @Nullable ExecutorService workers;
    private volatile @Nullable Thread user;
    private volatile @Nullable CycleAttempt attempt;

    /**
     * Creates an engine.
     *
     * @param firstNode the index of the node that the first cycle begins with
     * @param random chooses among nodes with equal scores, as {@link SchedulingAlgorithm} describes
     * @param threads creates the worker threads; null for an engine that runs on the thread of its user alone
     */
    Engine(
            int percentageOfNodesToScore,
            int firstNode,
            Extenders extenders,
            RandomGenerator random,
            boolean randomTies,
            @Nullable SchedulerThreads threads) {
        workers = threads == null ? null : threads.newWorkers(this);
        Parallelism parallelism = workers == null || threads == null || threads.parallelism() <= 1
                ? Parallelism.none()
                : new Parallelism(workers, threads.parallelism());
        algorithm = new SchedulingAlgorithm(
                new TrialSnapshot(), percentageOfNodesToScore, firstNode, parallelism, extenders, random, randomTies);
    }

    /**
     * Runs some work, waiting until no other thread uses the engine.
     *
     * @param running the attempt that the work belongs to; null for an evaluation
     */
    <T> T use(@Nullable CycleAttempt running, Function<SchedulingAlgorithm, T> work) {
        lock.lock();
        try {
            attempt = running;
            user = Thread.currentThread();
            return work.apply(algorithm);
        } finally {
            user = null;
            attempt = null;
            lock.unlock();
        }
    }

    /** Runs some work if the engine is free; otherwise returns empty. It is not free if the current thread uses it. */
    <T> Optional<T> useIfFree(Function<SchedulingAlgorithm, T> work) {
        if (lock.isHeldByCurrentThread() || !lock.tryLock()) {
            return Optional.empty();
        }
        try {
            return Optional.of(use(null, work));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs work that simulates a cycle, between two cycles: it does not change the node that the next cycle begins with.
     *
     * @throws IllegalStateException on the thread of a running cycle or evaluation
     */
    <T> T simulate(Function<SchedulingAlgorithm, T> work) {
        if (lock.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "a group is evaluated in a scheduling cycle (expected: between two cycles)");
        }
        return use(null, used -> {
            int nextNode = used.nextNode();
            try {
                return work.apply(used);
            } finally {
                used.nextNode(nextNode);
            }
        });
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

    TrialSnapshot snapshot() {
        return algorithm.snapshot();
    }

    int nextNode() {
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
