// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.moorage.api.GroupKey;
import org.moorage.api.Snapshot;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.plugin.PluginThread;
import org.moorage.runtime.internal.queue.QueuedEntity;
import org.moorage.runtime.internal.queue.QueuedPodGroupInfo;
import org.moorage.runtime.internal.queue.QueuedPodInfo;
import org.moorage.runtime.internal.queue.SchedulingQueue;

/**
 * Runs one scheduling cycle after the other on a separate thread, and continues with the next pod if anything is
 * thrown. A cycle in which a plugin does not return is abandoned: it keeps its thread and its workspace, and the loop
 * continues on another thread with another workspace.
 */
public final class SchedulingLoop {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);
    private static final String THREAD = "scheduler-cycle";
    // Each abandoned workspace keeps threads and a snapshot. A plugin that never returns would exhaust any number of
    // them.
    private static final int MOST_ABANDONED = 8;

    private final SchedulerThreads threads;
    private final IntFunction<CycleWorkspace> workspaces;
    private final EvaluationWorkspaces evaluations;
    private final SchedulingQueue queue;
    private final SchedulingCycle cycle;
    private final PodGroupCycle groupCycle;
    private final CountDownLatch closed = new CountDownLatch(1);
    /** The workspaces of abandoned cycles that have not ended yet. */
    private final List<CycleWorkspace> abandoned = new CopyOnWriteArrayList<>();

    private volatile CycleWorkspace current;
    private volatile Run run = new Run();
    private volatile @Nullable Stuck stuck;

    /** A cycle that is not abandoned although a plugin does not return. */
    private record Stuck(CycleAttempt attempt, String message) {}

    /** The time from a call of {@link #run} to its return. */
    private static final class Run {
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile boolean started;
        private volatile @Nullable Throwable failure;

        boolean isStopped() {
            return stopped.getCount() == 0;
        }
    }

    public SchedulingLoop(
            SchedulerThreads threads,
            IntFunction<CycleWorkspace> workspaces,
            EvaluationWorkspaces evaluations,
            SchedulingQueue queue,
            SchedulingCycle cycle,
            PodGroupCycle groupCycle) {
        this.threads = threads;
        this.workspaces = workspaces;
        this.evaluations = evaluations;
        this.queue = queue;
        this.cycle = cycle;
        this.groupCycle = groupCycle;
        current = workspaces.apply(0);
    }

    /** Returns the workspace of the cycles, which one evaluation at a time may use between them. */
    public CycleWorkspace current() {
        return current;
    }

    /** Evaluates on the current thread: with the worker threads of the cycles if they are free, otherwise alone. */
    public <T> T evaluate(Function<SchedulingAlgorithm, T> evaluation) {
        return current.useIfFree(evaluation).orElseGet(() -> evaluations.use(evaluation));
    }

    /**
     * Returns the result that an attempt at a group would have. It runs between two cycles, because plugins reserve for
     * it, as in a cycle; the reservations are released.
     */
    public GroupEvaluation evaluate(GroupKey group) {
        return current.simulate(algorithm -> groupCycle.evaluate(group, algorithm));
    }

    /**
     * Returns the nodes of the cycle or evaluation that the current thread takes part in.
     *
     * @throws IllegalStateException on a thread that takes part in none
     */
    public Snapshot snapshot() {
        Thread thread = Thread.currentThread();
        Optional<CycleWorkspace> evaluation = evaluations.of(thread);
        CycleWorkspace workspace = evaluation.orElse(current);
        if (!workspace.isUsedBy(thread)) {
            throw new IllegalStateException("snapshot: read on thread " + thread.getName()
                    + " (expected: a thread of the running scheduling cycle)");
        }
        return workspace.snapshot();
    }

    /**
     * Schedules pods as they arrive, until {@link #close} is called or the current thread is interrupted. The interrupt
     * status stays set.
     *
     * @throws Error if the virtual machine cannot be relied on any more
     */
    public void run() {
        Run started = new Run();
        started.started = true;
        run = started;
        start(started, current);
        try {
            started.ended.await();
        } catch (InterruptedException e) {
            started.stopped.countDown();
            Thread.currentThread().interrupt();
        }
        Throwable failure = started.failure;
        if (failure instanceof Error error) {
            throw error;
        }
    }

    private void start(Run started, CycleWorkspace workspace) {
        threads.newThread(THREAD, () -> work(started, workspace), workspace).start();
    }

    private void work(Run started, CycleWorkspace workspace) {
        try {
            while (!started.isStopped() && !isClosed() && workspace == current) {
                scheduleNext(started, workspace);
            }
        } catch (Throwable thrown) {
            started.failure = thrown;
            throw thrown;
        } finally {
            if (workspace == current || started.failure != null) {
                started.ended.countDown();
            }
            release(workspace);
        }
    }

    /**
     * Abandons a workspace to work that does not end, and replaces it for later cycles. When the work ends after all,
     * it must call {@link #release}.
     *
     * @return false if too many workspaces are abandoned and still in use
     */
    public boolean abandon(CycleWorkspace workspace) {
        if (abandoned.size() >= MOST_ABANDONED) {
            return false;
        }
        abandoned.add(workspace);
        current = workspaces.apply(workspace.nextNode());
        return true;
    }

    /** Closes a workspace, if it was abandoned, after the work that used it has ended. */
    public void release(CycleWorkspace workspace) {
        if (abandoned.remove(workspace)) {
            workspace.close();
        }
    }

    /**
     * Abandons the running cycle if that thread takes part in it, and continues on another thread. A pod whose result
     * the cycle has not committed to goes back into the queue now. Otherwise the abandoned thread finishes the pod's
     * cycle once the plugin returns.
     *
     * @param plugin the plugin that does not return
     * @param message the error that is reported for the attempt
     */
    void abandon(PluginThread thread, String plugin, String message) {
        CycleWorkspace workspace = current;
        CycleAttempt attempt = workspace.attempt();
        if (attempt == null || !workspace.isUsedBy(thread) || !workspace.isUsedByLoop()) {
            return;
        }
        if (abandoned.size() >= MOST_ABANDONED) {
            stuck = new Stuck(attempt, message + ", as in " + MOST_ABANDONED + " cycles before");
            return;
        }
        abandoned.add(workspace);
        CycleWorkspace next = workspaces.apply(workspace.nextNode());
        current = next;
        List<QueuedPodInfo> left = attempt.abandon();
        start(run, next);
        // On another thread, because it takes the queue's lock.
        threads.background().execute(() -> abandoned(attempt, left, plugin, message));
    }

    private void abandoned(CycleAttempt attempt, List<QueuedPodInfo> left, String plugin, String message) {
        if (attempt.entity() instanceof QueuedPodGroupInfo group) {
            groupCycle.abandoned(attempt, group, left, plugin, message);
        } else {
            left.forEach(pod -> cycle.abandoned(pod, plugin, message));
        }
    }

    private void scheduleNext(Run started, CycleWorkspace workspace) {
        // A plugin may leave the thread interrupted; waiting for the next pod would then end immediately, every time.
        boolean ignored = Thread.interrupted();
        try {
            queue.pop(POLL).ifPresent(next -> schedule(next, workspace));
        } catch (Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            threads.failed(THREAD, thrown);
            pause(started);
        }
    }

    private static void pause(Run started) {
        try {
            boolean ignored = started.stopped.await(PAUSE_AFTER_FAILURE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Schedules a pod or a group of pods on the current thread.
     *
     * @return the decision about the pod, or about the last pod of the group; empty if there was none to make
     */
    public Optional<Decision> schedule(QueuedEntity next) {
        return schedule(next, current);
    }

    private Optional<Decision> schedule(QueuedEntity next, CycleWorkspace workspace) {
        CycleAttempt attempt = new CycleAttempt(next);
        return workspace.schedule(
                attempt,
                algorithm -> next instanceof QueuedPodGroupInfo group
                        ? groupCycle.run(attempt, group, algorithm)
                        : cycle.run(attempt, (QueuedPodInfo) next, algorithm));
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /**
     * Begins no further cycle, and waits for the running one.
     *
     * @param atMost the maximum time to wait
     */
    public void close(Duration atMost) {
        closed.countDown();
        Run running = run;
        running.stopped.countDown();
        try {
            boolean ignored = !running.started || running.ended.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        current.close();
    }

    /** Returns why no pods are scheduled any more although the loop was not closed; empty if they are scheduled. */
    public Optional<String> failure() {
        Throwable thrown = run.failure;
        if (thrown != null) {
            return Optional.of(Thrown.text(thrown));
        }
        Stuck seen = stuck;
        return seen != null && current.attempt() == seen.attempt ? Optional.of(seen.message) : Optional.empty();
    }
}
