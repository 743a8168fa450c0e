// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.moorage.runtime.internal.cycle.Parallelism;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of one scheduler. All are daemons: a program that forgets to close it still ends. */
final class SchedulerThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulerThreads.class);
    // Binding waits for the API server, and sometimes for volumes. That many pods are bound at a time.
    private static final int BINDING_THREADS = 128;
    // As many requests as kube-scheduler sends at a time with SchedulerAsyncAPICalls.
    private static final int REPORT_THREADS = 16;
    private static final long GRACE_SECONDS = 5;

    private final ThreadGroup workers = new ThreadGroup("scheduler-workers");
    private final List<ExecutorService> owned = new ArrayList<>();
    private final boolean waits;
    private final ScheduledExecutorService timers;
    private final Parallelism parallelism;
    private final Executor binding;
    private final ExecutorService reports;

    SchedulerThreads(int parallelism, @Nullable Executor givenBinding) {
        timers = own(Executors.newSingleThreadScheduledExecutor(named("scheduler-timer")));
        reports = own(Executors.newFixedThreadPool(REPORT_THREADS, named("scheduler-report")));
        int useful = Math.min(parallelism, Runtime.getRuntime().availableProcessors());
        this.parallelism = useful <= 1
                ? Parallelism.none()
                : new Parallelism(
                        own(Executors.newFixedThreadPool(useful - 1, named("scheduler-worker", workers))), useful);
        waits = givenBinding == null;
        binding = givenBinding != null ? givenBinding : own(bindingPool());
    }

    private static ExecutorService bindingPool() {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                BINDING_THREADS,
                BINDING_THREADS,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                named("scheduler-bind"));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private <E extends ExecutorService> E own(E executor) {
        owned.add(executor);
        return executor;
    }

    private static ThreadFactory named(String name) {
        return named(name, Thread.currentThread().getThreadGroup());
    }

    private static ThreadFactory named(String name, ThreadGroup group) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(group, task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    ScheduledExecutorService timers() {
        return timers;
    }

    /** Has the task run again and again, until all threads are closed. What it throws is logged. */
    void every(Duration period, Runnable task) {
        ScheduledFuture<?> ignored = timers.scheduleAtFixedRate(
                () -> {
                    try {
                        task.run();
                    } catch (Throwable thrown) {
                        // Passed on, it would end the timer without a word.
                        LOG.atError().setCause(thrown).log("Timer task failed");
                    }
                },
                period.toMillis(),
                period.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    Parallelism parallelism() {
        return parallelism;
    }

    /** Whether the current thread is one of those that take part in passes over nodes. */
    boolean isWorker() {
        return Thread.currentThread().getThreadGroup() == workers;
    }

    Executor binding() {
        return binding;
    }

    /** Threads that write to the status of pods why they were not scheduled. */
    Executor reports() {
        return reports;
    }

    /** How long to pause in PreBind: not at all if binding runs on given threads, where nothing else happens in the meantime. */
    Duration pause(Duration wanted) {
        return waits ? wanted : Duration.ZERO;
    }

    @Override
    public void close() {
        timers.shutdownNow();
        for (ExecutorService executor : owned) {
            executor.shutdown();
        }
        boolean interrupted = false;
        for (ExecutorService executor : owned) {
            try {
                if (!executor.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
                    executor.shutdownNow();
                }
            } catch (InterruptedException e) {
                interrupted = true;
                executor.shutdownNow();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
