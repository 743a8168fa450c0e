// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A clock that a test moves, and the timers on it. What is to be done at once is done by the thread that asks for it; what is to be done later, by
 * the one that moves the clock past its time. Each reading takes a microsecond, so that no two pods come at the same time.
 */
final class MovedClock extends AbstractExecutorService implements ScheduledExecutorService, InstantSource {
    private static final long NANOS_PER_READING = 1_000;

    private final Instant start;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final PriorityQueue<Task<?>> later = new PriorityQueue<>(
            Comparator.<Task<?>>comparingLong(task -> task.time).thenComparingLong(task -> task.number));

    @GuardedBy("lock")
    private long nanos;

    @GuardedBy("lock")
    private long tasks;

    MovedClock(Instant start) {
        this.start = start;
    }

    @Override
    public Instant instant() {
        synchronized (lock) {
            Instant now = start.plusNanos(nanos);
            nanos += NANOS_PER_READING;
            return now;
        }
    }

    /** Moves the clock, and runs what is due on the way, each at its time. */
    void advance(Duration time) {
        long end;
        synchronized (lock) {
            end = nanos + time.toNanos();
        }
        for (Task<?> task = next(end); task != null; task = next(end)) {
            task.run();
        }
        synchronized (lock) {
            nanos = Math.max(nanos, end);
        }
    }

    private @Nullable Task<?> next(long end) {
        synchronized (lock) {
            while (!later.isEmpty() && later.peek().isCancelled()) {
                later.remove();
            }
            Task<?> first = later.peek();
            if (first == null || first.time > end) {
                return null;
            }
            nanos = Math.max(nanos, first.time);
            return later.remove();
        }
    }

    private <T> Task<T> add(Task<T> task) {
        synchronized (lock) {
            later.add(task);
        }
        return task;
    }

    private <T> Task<T> add(Callable<T> work, long delay, long period, TimeUnit unit) {
        synchronized (lock) {
            return add(new Task<>(work, nanos + unit.toNanos(delay), unit.toNanos(period), tasks++));
        }
    }

    private static Callable<?> callable(Runnable command) {
        return () -> {
            command.run();
            return "";
        };
    }

    @Override
    public void execute(Runnable command) {
        command.run();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return add(callable(command), delay, 0, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return add(callable, delay, 0, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return add(callable(command), initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return scheduleAtFixedRate(command, initialDelay, delay, unit);
    }

    // It stays the test's, which lets go of it.
    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return false;
    }

    private final class Task<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
        private final long number;
        private final long period;
        private long time;

        Task(Callable<V> work, long time, long period, long number) {
            super(work);
            this.time = time;
            this.period = period;
            this.number = number;
        }

        @Override
        public boolean isPeriodic() {
            return period > 0;
        }

        @Override
        public void run() {
            if (!isPeriodic()) {
                super.run();
            } else if (runAndReset()) {
                time += period;
                Task<V> ignored = add(this);
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            synchronized (lock) {
                return unit.convert(time - nanos, TimeUnit.NANOSECONDS);
            }
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
