// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.moorage.api.Snapshot;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.extender.Extenders;

/**
 * The engines of a scheduler: that of its cycles, which is replaced if a plugin does not return, and those of
 * evaluations, which run on the threads of their callers.
 */
public final class Engines implements AutoCloseable {
    // Each abandoned engine keeps threads and a snapshot. A plugin that never returns would exhaust any number of them.
    static final int MOST_ABANDONED = 8;
    // More threads than processors evaluate no faster.
    private static final int MOST_IDLE = Runtime.getRuntime().availableProcessors();

    private final IntFunction<Engine> makeForCycles;
    private final Supplier<Engine> makeForEvaluations;
    private final Deque<Engine> idle = new ConcurrentLinkedDeque<>();
    private final Set<Engine> evaluating = ConcurrentHashMap.newKeySet();
    /** The abandoned engines whose cycles have not ended yet. */
    private final List<Engine> abandoned = new CopyOnWriteArrayList<>();

    private volatile Engine current;

    /**
     * Creates the engines of a scheduler.
     *
     * @param percentageOfNodesToScore see {@link SchedulingAlgorithm}
     * @param extenders the extenders that filter and score in addition to the plugins
     * @param random chooses among nodes with equal scores if an extender has scored them
     * @param randomTies whether it chooses among all nodes with equal scores
     */
    public Engines(
            int percentageOfNodesToScore,
            Extenders extenders,
            RandomGenerator random,
            boolean randomTies,
            SchedulerThreads threads) {
        makeForCycles =
                firstNode -> new Engine(percentageOfNodesToScore, firstNode, extenders, random, randomTies, threads);
        // An evaluation chooses no node, so that its random numbers have no effect.
        makeForEvaluations =
                () -> new Engine(percentageOfNodesToScore, 0, extenders, new SplittableRandom(0), false, null);
        current = makeForCycles.apply(0);
    }

    /** Returns the engine of the cycles, which one evaluation at a time may use between them. */
    Engine current() {
        return current;
    }

    /** Returns the index of the node that the next cycle begins with. */
    public int nextNode() {
        return current.nextNode();
    }

    /** Evaluates on the current thread: with the worker threads of the cycles if they are free, otherwise alone. */
    public <T> T evaluate(Function<SchedulingAlgorithm, T> evaluation) {
        return current.useIfFree(evaluation).orElseGet(() -> evaluateAlone(evaluation));
    }

    private <T> T evaluateAlone(Function<SchedulingAlgorithm, T> evaluation) {
        // The snapshot of the engine that was used last has the fewest changes to apply.
        Engine known = idle.pollFirst();
        Engine engine = known == null ? makeForEvaluations.get() : known;
        evaluating.add(engine);
        try {
            return engine.use(null, evaluation);
        } finally {
            evaluating.remove(engine);
            if (idle.size() < MOST_IDLE) {
                idle.addFirst(engine);
            }
        }
    }

    /**
     * Evaluates between two cycles with the engine of the cycles, for an evaluation in which plugins reserve.
     *
     * @throws IllegalStateException on the thread of a running cycle or evaluation
     */
    public <T> T evaluateBetweenCycles(Function<SchedulingAlgorithm, T> evaluation) {
        return current.simulate(evaluation);
    }

    /**
     * Returns the nodes of the cycle or evaluation that the current thread takes part in.
     *
     * @throws IllegalStateException on a thread that takes part in none
     */
    public Snapshot snapshot() {
        Thread thread = Thread.currentThread();
        // Plugins read the snapshot once per node, mostly while no evaluation runs: this allocates nothing.
        if (!evaluating.isEmpty()) {
            for (Engine engine : evaluating) {
                if (engine.isUsedBy(thread)) {
                    return engine.snapshot();
                }
            }
        }
        Engine engine = current;
        if (!engine.isUsedBy(thread)) {
            throw new IllegalStateException("snapshot: read on thread " + thread.getName()
                    + " (expected: a thread of the running scheduling cycle)");
        }
        return engine.snapshot();
    }

    /**
     * Abandons an engine to work that does not end, and replaces it for later cycles. When the work ends after all, it
     * must call {@link #release}.
     *
     * @return false if too many engines are abandoned and still in use
     */
    boolean abandon(Engine engine) {
        if (abandoned.size() >= MOST_ABANDONED) {
            return false;
        }
        abandoned.add(engine);
        current = makeForCycles.apply(engine.nextNode());
        return true;
    }

    /** Closes an engine, if it was abandoned, after the work that used it has ended. */
    void release(Engine engine) {
        if (abandoned.remove(engine)) {
            engine.close();
        }
    }

    @Override
    public void close() {
        current.close();
    }
}
