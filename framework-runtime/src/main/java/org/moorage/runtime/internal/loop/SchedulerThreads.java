// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginThread;

/**
 * The threads of one scheduler. All are daemons: a program that does not close it still exits. An uncaught exception is
 * logged and passed to the listener, and if it is fatal, the health check reports it. Another thread replaces the one
 * that it ends.
 */
public final class SchedulerThreads implements AutoCloseable {
    private static final Log LOG = Log.of(SchedulerThreads.class);
    // Each binding has its own thread, because a pod in PreBind may wait for minutes, and plugins may wait as long as
    // they like. More pods than that wait for a thread.
    private static final int MOST_WAITING_THREADS = 4096;
    // More threads would only wait for each other's requests to the API server, and each takes 90 KB of stack.
    private static final int MOST_BINDING_THREADS = 48;
    private static final int MOST_BACKGROUND_THREADS = 128;
    // As many requests as kube-scheduler sends at a time with SchedulerAsyncAPICalls.
    private static final int REPORT_THREADS = 16;
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

    private final Listeners listeners;
    private final Set<PluginThread> alive = ConcurrentHashMap.newKeySet();
    private final List<ExecutorService> owned = new ArrayList<>();
    private final int parallelism;
    private final boolean waits;
    private final ScheduledExecutorService timers;
    private final ScheduledExecutorService queueTimers;
    private final Executor binding;
    private final Executor waiting;
    private final Executor background;
    private final Executor reports;
    private final @Nullable Consumer<Duration> givenPause;
    private volatile @Nullable Throwable fatal;

    /**
     * Creates the threads of a scheduler.
     *
     * @param parallelism how many threads may filter and score
     * @param given runs bindings and background work, instead of threads made here; or null
     * @param givenTimers runs timers, instead of a thread made here; or null
     * @param listeners receive the failures of threads
     */
    public SchedulerThreads(
            int parallelism,
            @Nullable Executor given,
            @Nullable ScheduledExecutorService givenTimers,
            Listeners listeners) {
        this.listeners = listeners;
        this.parallelism = Math.min(parallelism, Runtime.getRuntime().availableProcessors());
        waits = given == null;
        givenPause = null;
        timers = givenTimers != null ? givenTimers : own(new Timers(named("scheduler-timer", null)));
        // Its tasks wait for the queue's lock, under which plugins are called.
        queueTimers = own(new Timers(named("scheduler-queue-timer", null)));
        binding = given != null ? given : own(growing(MOST_BINDING_THREADS, named("scheduler-bind", null)));
        waiting = given != null ? given : own(growing(MOST_WAITING_THREADS, named("scheduler-prebind", null)));
        background = given != null ? given : own(growing(MOST_BACKGROUND_THREADS, named("scheduler-background", null)));
        reports = given != null ? given : own(fixed(REPORT_THREADS, named("scheduler-report", null)));
    }

    /**
     * Creates no threads: the caller's executor does all work. The caller shuts it down.
     *
     * @param executor does all work
     * @param pause lets time pass while a PreBind plugin pauses
     * @param listeners receive the failures of tasks
     */
    public SchedulerThreads(ScheduledExecutorService executor, Consumer<Duration> pause, Listeners listeners) {
        this.listeners = listeners;
        parallelism = 1;
        waits = true;
        givenPause = pause;
        timers = executor;
        queueTimers = executor;
        binding = executor;
        waiting = executor;
        background = executor;
        reports = executor;
    }

    /**
     * A timer pool that reports the exceptions of its tasks, which would otherwise stay in futures that are never read.
     */
    private final class Timers extends ScheduledThreadPoolExecutor {
        Timers(ThreadFactory factory) {
            super(1, factory);
        }

        @Override
        protected void afterExecute(Runnable task, @Nullable Throwable thrown) {
            super.afterExecute(task, thrown);
            if (!(task instanceof Future<?> ended) || !ended.isDone() || ended.isCancelled()) {
                return;
            }
            try {
                Object ignored = ended.get();
            } catch (ExecutionException failure) {
                Throwable cause = failure.getCause();
                failed(Thread.currentThread().getName(), cause == null ? failure : cause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // Adds a thread for a task if none is idle. When the pool has reached its maximum size, further tasks are queued.
    private static ThreadPoolExecutor growing(int most, ThreadFactory factory) {
        return new ThreadPoolExecutor(
                0, most, KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS, new HandedOver(), factory, (task, pool) -> {
                    if (pool.isShutdown()) {
                        throw new RejectedExecutionException("the scheduler stops");
                    }
                    ((HandedOver) pool.getQueue()).put(task);
                });
    }

    private static ThreadPoolExecutor fixed(int size, ThreadFactory factory) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                size, size, KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** A queue that rejects a task unless a thread waits for one, so that its pool adds a thread. */
    private static final class HandedOver extends LinkedTransferQueue<Runnable> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }
    }

    private <E extends ExecutorService> E own(E executor) {
        owned.add(executor);
        return executor;
    }

    private ThreadFactory named(String name, @Nullable Object owner) {
        AtomicInteger number = new AtomicInteger();
        return task -> newThread(name + "-" + number.incrementAndGet(), task, owner);
    }

    /** Creates a thread, without starting it. */
    public PluginThread newThread(String name, Runnable task, @Nullable Object owner) {
        PluginThread thread = new PluginThread(
                () -> {
                    PluginThread own = (PluginThread) Thread.currentThread();
                    alive.add(own);
                    try {
                        task.run();
                    } finally {
                        alive.remove(own);
                    }
                },
                name,
                owner);
        thread.setUncaughtExceptionHandler((ended, thrown) -> failed(name, thrown));
        return thread;
    }

    public Collection<PluginThread> alive() {
        return Collections.unmodifiableSet(alive);
    }

    /** Reports an unexpected exception of a thread. The thread continues, or another one replaces it. */
    void failed(String thread, Throwable thrown) {
        if (Thrown.isFatal(thrown)) {
            // First, because a fatal error may mean that memory is exhausted: nothing before it may allocate.
            fatal = thrown;
            listeners.fatalError(thrown);
        }
        Throwable copy = Thrown.copyOf(thrown);
        LOG.atError().addKeyValue("thread", thread).setCause(copy).log("Thread of the scheduler failed");
        listeners.on(listener -> listener.threadFailed(thread, copy));
    }

    /** Returns the error after which the virtual machine cannot be relied on; empty if there was none. */
    public Optional<Throwable> fatal() {
        return Optional.ofNullable(fatal);
    }

    /** Returns the executor for tasks that never block, such as timeouts. */
    public ScheduledExecutorService timers() {
        return timers;
    }

    /** Runs the task periodically, until all threads are closed. An exception of the task does not end it. */
    void every(Duration period, Runnable task) {
        repeat(timers, period, task);
    }

    /** Like {@link #every}, for a task that waits for the queue's lock. */
    public void everyInQueue(Duration period, Runnable task) {
        repeat(queueTimers, period, task);
    }

    private void repeat(ScheduledExecutorService on, Duration period, Runnable task) {
        Runnable untilClosed = () -> {
            try {
                task.run();
            } catch (Throwable thrown) {
                // If it were rethrown, it would end the timer silently.
                failed(Thread.currentThread().getName(), thrown);
            }
        };
        try {
            ScheduledFuture<?> ignored =
                    on.scheduleAtFixedRate(untilClosed, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // A scheduler that is closed before it runs has nothing to repeat.
            if (!on.isShutdown()) {
                throw e;
            }
        }
    }

    /** Returns how many threads process the nodes of a pass, including the caller. */
    int parallelism() {
        return parallelism;
    }

    /** Creates the worker threads that process nodes for one owner. The owner shuts them down. */
    ExecutorService newWorkers(Object owner) {
        return fixed(Math.max(1, parallelism - 1), named("scheduler-worker", owner));
    }

    /** Returns the executor for bindings, and parts of them, that wait only for the API server. */
    public Executor binding() {
        return binding;
    }

    /**
     * Returns the executor for bindings that may wait for something else, such as a volume: each has its own thread.
     */
    public Executor waitingBindings() {
        return waiting;
    }

    /** Returns the executor for tasks of plugins, such as evictions. */
    public Executor background() {
        return background;
    }

    /** Returns the executor that writes to the status of pods why they were not scheduled. */
    public Executor reports() {
        return reports;
    }

    /** Returns whether the caller's executor does all work. */
    public boolean areGiven() {
        return givenPause != null;
    }

    /**
     * Returns how long the thread must still pause in PreBind. That is zero if bindings run on the caller's threads,
     * where nothing else happens in the meantime, and zero if the caller's {@code pause} has let the time pass.
     */
    public Duration pause(Duration wanted) {
        if (givenPause != null) {
            givenPause.accept(wanted);
            return Duration.ZERO;
        }
        return waits ? wanted : Duration.ZERO;
    }

    /**
     * Accepts no further bindings and tasks of plugins, and waits for those that are running or queued. After the time
     * limit it interrupts them.
     *
     * @param left returns how long the caller can still wait
     */
    public void finishBindings(Supplier<Duration> left) {
        finish(List.of(binding, waiting, background), left);
    }

    /** Like {@link #finishBindings}, for reports about pods. */
    public void finishReports(Supplier<Duration> left) {
        finish(List.of(reports), left);
    }

    private void finish(List<Executor> finishing, Supplier<Duration> left) {
        for (ExecutorService executor : owned) {
            if (finishing.contains(executor)) {
                executor.shutdown();
            }
        }
        for (ExecutorService executor : owned) {
            if (finishing.contains(executor) && !isTerminated(executor, left.get())) {
                List<Runnable> ignored = executor.shutdownNow();
            }
        }
    }

    private static boolean isTerminated(ExecutorService executor, Duration atMost) {
        try {
            return executor.awaitTermination(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends all threads: interrupts running tasks and drops queued ones. */
    @Override
    public void close() {
        for (ExecutorService executor : owned) {
            List<Runnable> ignored = executor.shutdownNow();
        }
    }
}
