// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Snapshot;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.internal.plugin.Thrown;
import org.moorage.runtime.internal.queue.QueuedPodInfo;
import org.moorage.runtime.internal.queue.SchedulingQueue;

/** Runs one scheduling cycle after the other, on a thread of its own. Whatever is thrown, it goes on with the next pod. */
final class SchedulingLoop {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);
    private static final String THREAD = "scheduler-cycle";

    private final SchedulerThreads threads;
    private final Supplier<CycleWorkspace> workspaces;
    private final SchedulingQueue queue;
    private final SchedulingCycle cycle;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile CycleWorkspace current;
    private volatile Run run = new Run();

    /** From a call of {@link #run} to its return. */
    private static final class Run {
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile @Nullable Throwable failure;

        boolean isStopped() {
            return stopped.getCount() == 0;
        }
    }

    SchedulingLoop(
            SchedulerThreads threads,
            Supplier<CycleWorkspace> workspaces,
            SchedulingQueue queue,
            SchedulingCycle cycle) {
        this.threads = threads;
        this.workspaces = workspaces;
        this.queue = queue;
        this.cycle = cycle;
        current = workspaces.get();
    }

    /** What cycles and evaluations work with. */
    CycleWorkspace current() {
        return current;
    }

    /**
     * The nodes of the cycle that the current thread takes part in.
     *
     * @throws IllegalStateException on a thread that takes part in none
     */
    Snapshot snapshot() {
        CycleWorkspace workspace = current;
        if (!workspace.isUsedBy(Thread.currentThread())) {
            throw new IllegalStateException("snapshot: read on thread "
                    + Thread.currentThread().getName() + " (expected: a thread of the running scheduling cycle)");
        }
        return workspace.snapshot();
    }

    /**
     * Schedules pods as they come, until {@link #close} is called or the current thread is interrupted, which it then still is.
     *
     * @throws Error if the virtual machine cannot be relied on any more
     */
    void run() {
        Run started = new Run();
        run = started;
        CycleWorkspace workspace = current;
        threads.newThread(THREAD, () -> work(started, workspace), workspace).start();
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

    private void work(Run started, CycleWorkspace workspace) {
        try {
            while (!started.isStopped() && !isClosed()) {
                scheduleNext(started, workspace);
            }
        } catch (Throwable thrown) {
            started.failure = thrown;
            throw thrown;
        } finally {
            started.ended.countDown();
        }
    }

    private void scheduleNext(Run started, CycleWorkspace workspace) {
        // A plugin may leave the thread interrupted; waiting for the next pod would then end at once, over and over.
        boolean ignored = Thread.interrupted();
        try {
            queue.pop(POLL).ifPresent(queued -> schedule(queued, workspace));
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

    /** Schedules a pod on the current thread. */
    Optional<Decision> schedule(QueuedPodInfo queued) {
        return schedule(queued, current);
    }

    private Optional<Decision> schedule(QueuedPodInfo queued, CycleWorkspace workspace) {
        CycleAttempt attempt = new CycleAttempt(queued);
        return workspace.schedule(attempt, (algorithm, nodes) -> cycle.run(attempt, algorithm, nodes));
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Begins no further cycle. */
    void close() {
        closed.countDown();
        run.stopped.countDown();
        current.close();
    }

    /** Why the loop ended although nobody closed it; empty if it has not. */
    Optional<Throwable> failure() {
        return Optional.ofNullable(run.failure);
    }
}
