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
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginThread;
import org.moorage.runtime.metrics.SchedulerListener;

/**
 * The threads of one scheduler. All are daemons: a program that forgets to close it still ends. What they do not catch is logged,
 * told to the listener, and shown by the health check if it is fatal; another thread takes the place of one that ends so.
 */
public final class SchedulerThreads implements AutoCloseable {
    private static final Log LOG = Log.of(SchedulerThreads.class);
    // A pod in PreBind may wait for minutes, and plugins may wait as they like: a thread for each. More pods than
    // that wait for a thread.
    private static final int MOST_WAITING_THREADS = 4096;
    // More would only wait for each other's requests to the API server, and each takes 90 KB of stack.
    private static final int MOST_BINDING_THREADS = 48;
    private static final int MOST_BACKGROUND_THREADS = 128;
    // As many requests as kube-scheduler sends at a time with SchedulerAsyncAPICalls.
    private static final int REPORT_THREADS = 16;
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

    private final SchedulerListener listener;
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
     * Creates threads for a scheduler.
     *
     * @param parallelism how many threads may filter and score
     * @param given where pods are bound and background work is done, in place of threads made here; or null
     * @param givenTimers what runs timers, in place of a thread made here; or null
     * @param listener receives the failures of threads
     */
    public SchedulerThreads(
            int parallelism,
            @Nullable Executor given,
            @Nullable ScheduledExecutorService givenTimers,
            SchedulerListener listener) {
        this.listener = listener;
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
     * No threads: an executor does all work, and stays the caller's.
     *
     * @param executor does it
     * @param pause lets time pass while a PreBind plugin pauses
     * @param listener is told of tasks that fail
     */
    public SchedulerThreads(ScheduledExecutorService executor, Consumer<Duration> pause, SchedulerListener listener) {
        this.listener = listener;
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

    /** Timers whose tasks keep what they throw to themselves, as futures that nobody asks: it is told in their place. */
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

    // Adds a thread for a task for which none is idle. Tasks that come when there are as many as may be wait in line.
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

    /** A queue that refuses a task unless a thread waits for one, so that its pool adds a thread. */
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

    /** A thread, to be started. */
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

    /** The threads that run. */
    public Collection<PluginThread> alive() {
        return Collections.unmodifiableSet(alive);
    }

    /** A thread met something that it does not expect. It goes on, or another one takes its place. */
    void failed(String thread, Throwable thrown) {
        if (Thrown.isFatal(thrown)) {
            // Told first: nothing before it may need memory.
            fatal = thrown;
            listener.fatalError(thrown);
        }
        Throwable copy = Thrown.copyOf(thrown);
        LOG.atError().addKeyValue("thread", thread).setCause(copy).log("Thread of the scheduler failed");
        listener.threadFailed(thread, copy);
    }

    /** The error after which the virtual machine cannot be relied on; empty if there was none. */
    public Optional<Throwable> fatal() {
        return Optional.ofNullable(fatal);
    }

    /** For what never waits: time limits and the like. */
    public ScheduledExecutorService timers() {
        return timers;
    }

    /** Has the task run again and again, until all threads are closed. What it throws does not end it. */
    void every(Duration period, Runnable task) {
        repeat(timers, period, task);
    }

    /** As {@link #every}, for a task that waits for the queue's lock. */
    public void everyInQueue(Duration period, Runnable task) {
        repeat(queueTimers, period, task);
    }

    private void repeat(ScheduledExecutorService on, Duration period, Runnable task) {
        Runnable untilClosed = () -> {
            try {
                task.run();
            } catch (Throwable thrown) {
                // Passed on, it would end the timer without a word.
                failed(Thread.currentThread().getName(), thrown);
            }
        };
        try {
            ScheduledFuture<?> ignored =
                    on.scheduleAtFixedRate(untilClosed, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // A scheduler that is closed before it runs repeats nothing.
            if (!on.isShutdown()) {
                throw e;
            }
        }
    }

    /** How many threads take part in passes over nodes, the caller among them. */
    int parallelism() {
        return parallelism;
    }

    /** The other threads of passes over nodes, which work for that owner alone. The owner shuts them down. */
    ExecutorService newWorkers(Object owner) {
        return fixed(Math.max(1, parallelism - 1), named("scheduler-worker", owner));
    }

    /** For bindings and parts of them that wait for nothing but the API server. */
    public Executor binding() {
        return binding;
    }

    /** For bindings that may wait for something else, such as a volume: each has a thread. */
    public Executor waitingBindings() {
        return waiting;
    }

    /** For tasks of plugins, such as evictions. */
    public Executor background() {
        return background;
    }

    /** Threads that write to the status of pods why they were not scheduled. */
    public Executor reports() {
        return reports;
    }

    /** Whether an executor that was given does all work. */
    public boolean areGiven() {
        return givenPause != null;
    }

    /**
     * How long the thread is still to be paused in PreBind: not at all if binding runs on given threads, where nothing else
     * happens in the meantime, or if what was given has let the time pass.
     */
    public Duration pause(Duration wanted) {
        if (givenPause != null) {
            givenPause.accept(wanted);
            return Duration.ZERO;
        }
        return waits ? wanted : Duration.ZERO;
    }

    /**
     * Has bindings and tasks of plugins finish, and begins no other. What is not finished in time is interrupted.
     *
     * @param left how long the caller may still wait
     */
    public void finishBindings(Supplier<Duration> left) {
        finish(List.of(binding, waiting, background), left);
    }

    /** As {@link #finishBindings}, for what is reported of pods. */
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

    /** Ends all threads as soon as they can be interrupted. */
    @Override
    public void close() {
        for (ExecutorService executor : owned) {
            List<Runnable> ignored = executor.shutdownNow();
        }
    }
}
