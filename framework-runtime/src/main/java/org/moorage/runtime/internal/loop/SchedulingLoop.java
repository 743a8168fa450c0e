// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.internal.plugin.PluginThread;
import org.moorage.runtime.internal.queue.QueuedEntity;
import org.moorage.runtime.internal.queue.QueuedPodGroupInfo;
import org.moorage.runtime.internal.queue.QueuedPodInfo;
import org.moorage.runtime.internal.queue.SchedulingQueue;

/**
 * Runs one scheduling cycle after the other on a separate thread, and continues with the next pod if anything is
 * thrown. A cycle in which a plugin does not return is abandoned: it keeps its thread and its engine, and the loop
 * continues on another thread with another engine.
 */
public final class SchedulingLoop {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);
    private static final String THREAD = "scheduler-cycle";

    private final SchedulerThreads threads;
    private final Engines engines;
    private final SchedulingQueue queue;
    private final SchedulingCycle cycle;
    private final PodGroupCycle groupCycle;
    private final CountDownLatch closed = new CountDownLatch(1);
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
            Engines engines,
            SchedulingQueue queue,
            SchedulingCycle cycle,
            PodGroupCycle groupCycle) {
        this.threads = threads;
        this.engines = engines;
        this.queue = queue;
        this.cycle = cycle;
        this.groupCycle = groupCycle;
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
        start(started, engines.current());
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

    private void start(Run started, Engine engine) {
        threads.newThread(THREAD, () -> work(started, engine), engine).start();
    }

    private void work(Run started, Engine engine) {
        try {
            while (!started.isStopped() && !isClosed() && engine == engines.current()) {
                scheduleNext(started, engine);
            }
        } catch (Throwable thrown) {
            started.failure = thrown;
            throw thrown;
        } finally {
            if (engine == engines.current() || started.failure != null) {
                started.ended.countDown();
            }
            engines.release(engine);
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
        Engine engine = engines.current();
        CycleAttempt attempt = engine.attempt();
        if (attempt == null || !engine.isUsedBy(thread) || !engine.isUsedByLoop()) {
            return;
        }
        if (!engines.abandon(engine)) {
            stuck = new Stuck(attempt, message + ", as in " + Engines.MOST_ABANDONED + " cycles before");
            return;
        }
        List<QueuedPodInfo> left = attempt.abandon();
        start(run, engines.current());
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

    private void scheduleNext(Run started, Engine engine) {
        // A plugin may leave the thread interrupted; waiting for the next pod would then end immediately, every time.
        boolean ignored = Thread.interrupted();
        try {
            queue.pop(POLL).ifPresent(next -> schedule(next, engine));
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
        return schedule(next, engines.current());
    }

    private Optional<Decision> schedule(QueuedEntity next, Engine engine) {
        CycleAttempt attempt = new CycleAttempt(next);
        return engine.use(
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
        engines.close();
    }

    /** Returns why no pods are scheduled any more although the loop was not closed; empty if they are scheduled. */
    public Optional<String> failure() {
        Throwable thrown = run.failure;
        if (thrown != null) {
            return Optional.of(Thrown.text(thrown));
        }
        Stuck seen = stuck;
        return seen != null && engines.current().attempt() == seen.attempt
                ? Optional.of(seen.message)
                : Optional.empty();
    }
}
