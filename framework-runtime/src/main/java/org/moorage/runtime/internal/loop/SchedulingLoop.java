// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.moorage.api.GroupKey;
import org.moorage.api.Snapshot;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.plugin.PluginThread;
import org.moorage.runtime.internal.queue.QueuedEntity;
import org.moorage.runtime.internal.queue.QueuedPodGroupInfo;
import org.moorage.runtime.internal.queue.QueuedPodInfo;
import org.moorage.runtime.internal.queue.SchedulingQueue;

/**
 * Runs one scheduling cycle after the other, on a thread of its own. Whatever is thrown, it goes on with the next pod. A cycle in which a
 * plugin does not return is left to its thread and its workspace, and another thread goes on with another workspace.
 */
public final class SchedulingLoop {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);
    private static final String THREAD = "scheduler-cycle";
    // Each keeps threads and a snapshot. A plugin that never returns would use up any number of them.
    private static final int MOST_ABANDONED = 8;

    private final SchedulerThreads threads;
    private final IntFunction<CycleWorkspace> workspaces;
    private final EvaluationWorkspaces evaluations;
    private final SchedulingQueue queue;
    private final SchedulingCycle cycle;
    private final PodGroupCycle groupCycle;
    private final CountDownLatch closed = new CountDownLatch(1);
    /** Those of cycles that were given up and have not ended yet. */
    private final List<CycleWorkspace> abandoned = new CopyOnWriteArrayList<>();

    private volatile CycleWorkspace current;
    private volatile Run run = new Run();
    private volatile @Nullable Stuck stuck;

    /** A cycle that is not given up although a plugin does not return. */
    private record Stuck(CycleAttempt attempt, String message) {}

    /** From a call of {@link #run} to its return. */
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

    /** What cycles work with, and one evaluation between them. */
    public CycleWorkspace current() {
        return current;
    }

    /** Evaluates on the current thread: with the cycles' threads to help if they are free, or else alone. */
    public <T> T evaluate(BiFunction<SchedulingAlgorithm, TrialSnapshot, T> evaluation) {
        return current.useIfFree(evaluation).orElseGet(() -> evaluations.use(evaluation));
    }

    /** What an attempt at a group would find; between two cycles, since plugins reserve for it, and give that back, as in a cycle. */
    public GroupEvaluation evaluate(GroupKey group) {
        return current.tryOut((algorithm, nodes) -> groupCycle.evaluate(group, algorithm, nodes));
    }

    /**
     * The nodes of the cycle or evaluation that the current thread takes part in.
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
     * Schedules pods as they come, until {@link #close} is called or the current thread is interrupted, which it then still is.
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
            left(workspace);
        }
    }

    /**
     * Leaves a workspace to whoever uses it and does not get done: what comes next has another one. When they are done after all, they
     * say so with {@link #left}.
     *
     * @return false if that has happened too often, and none of these is done
     */
    public boolean leave(CycleWorkspace workspace) {
        if (abandoned.size() >= MOST_ABANDONED) {
            return false;
        }
        abandoned.add(workspace);
        current = workspaces.apply(workspace.nextNode());
        return true;
    }

    /** Whoever used the workspace is done: nobody needs it any more if it was left to them. */
    public void left(CycleWorkspace workspace) {
        if (abandoned.remove(workspace)) {
            workspace.close();
        }
    }

    /**
     * Gives the running cycle up if that thread takes part in it, and goes on with another thread. A pod for which the cycle has not acted
     * on what it found goes back into the queue now. Otherwise it stays with the thread and goes on with it, once the plugin returns.
     *
     * @param plugin the plugin that does not return
     * @param message what is told of the attempt
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
        // Not here: it takes the queue's lock.
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
        // A plugin may leave the thread interrupted; waiting for the next pod would then end at once, over and over.
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
                (algorithm, nodes) -> next instanceof QueuedPodGroupInfo group
                        ? groupCycle.run(attempt, group, algorithm, nodes)
                        : cycle.run(attempt, (QueuedPodInfo) next, algorithm, nodes));
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /**
     * Begins no further cycle, and waits for the one that runs.
     *
     * @param atMost for how long at most
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

    /** Why no pod is scheduled any more although nobody closed the loop; empty if that is not so. */
    public Optional<String> failure() {
        Throwable thrown = run.failure;
        if (thrown != null) {
            return Optional.of(Thrown.text(thrown));
        }
        Stuck seen = stuck;
        return seen != null && current.attempt() == seen.attempt ? Optional.of(seen.message) : Optional.empty();
    }
}
