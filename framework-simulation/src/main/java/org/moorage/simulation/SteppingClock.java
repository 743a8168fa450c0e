// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;

/**
 * A virtual clock with timers. It advances by a microsecond each time it is read, so that each run of a simulation is
 * the same and no two pods are added to the queue at the same time, which keeps pods of equal priority in order. Apart
 * from that, time passes only in {@link #advance}, which runs the tasks of the timers on the calling thread.
 */
public final class SteppingClock implements InstantSource {
    private static final long STEP_NANOS = 1_000;

    /**
     * The minimum delay of a task while time passes: a task that schedules itself again without a delay must not stop
     * the clock.
     */
    private static final long LEAST_DELAY_NANOS = 1_000_000;

    private final Instant start;
    private final AtomicLong nanos = new AtomicLong();
    private volatile boolean isRunning;
    private final Timers timers = new Timers();

    private SteppingClock(Instant start) {
        this.start = start;
    }

    /** Returns a clock that starts when the newest of these objects was created. */
    public static SteppingClock startingAfter(Collection<? extends ClusterObject> objects) {
        Objects.requireNonNull(objects, "objects");
        Instant newest = Instant.EPOCH;
        for (ClusterObject object : objects) {
            Instant created = object.metadata().creationTimestamp().orElse(Instant.EPOCH);
            newest = created.isAfter(newest) ? created : newest;
        }
        return new SteppingClock(newest);
    }

    /** Returns a clock that starts at a time. */
    public static SteppingClock startingAt(Instant start) {
        return new SteppingClock(Objects.requireNonNull(start, "start"));
    }

    @Override
    public Instant instant() {
        return start.plusNanos(nanos.getAndAdd(STEP_NANOS));
    }

    /**
     * Lets time pass, and runs the tasks of {@link #timers} that are due on the way, each at its time. Throws what a
     * task throws.
     */
    public void advance(Duration time) {
        Objects.requireNonNull(time, "time");
        advanceTo(nanos.get() + time.toNanos());
    }

    /**
     * Lets time pass until an instant, as {@link #advance} does. Runs tasks that are due already; time never goes back.
     */
    public void advanceTo(Instant end) {
        advanceTo(Duration.between(start, end).toNanos());
    }

    /**
     * Lets time pass until an instant without running any task. Tasks that become due meanwhile run in the next
     * {@link #advance}.
     */
    void skipTo(Instant end) {
        moveTo(Duration.between(start, end).toNanos());
    }

    private void advanceTo(long end) {
        for (Timers.Task<?> task = timers.removeDue(end); task != null; task = timers.removeDue(end)) {
            moveTo(task.due);
            isRunning = true;
            try {
                task.run();
            } finally {
                isRunning = false;
            }
        }
        moveTo(end);
    }

    private void moveTo(long time) {
        nanos.accumulateAndGet(time, Math::max);
    }

    /** Returns when the next task of {@link #timers} is due; empty if there is none. */
    public Optional<Instant> nextTask() {
        return timers.nextDue().map(start::plusNanos);
    }

    /**
     * Returns the timers of this clock. A task that is executed runs immediately, on the calling thread; a scheduled
     * one runs in {@link #advance}. They cannot be shut down.
     */
    public ScheduledExecutorService timers() {
        return timers;
    }

    private final class Timers extends AbstractExecutorService implements ScheduledExecutorService {
        private final Object lock = new Object();

        @GuardedBy("lock")
        private final PriorityQueue<Task<?>> tasks = new PriorityQueue<>(
                Comparator.<Task<?>>comparingLong(task -> task.due).thenComparingLong(task -> task.number));

        @GuardedBy("lock")
        private long lastNumber;

        @Nullable
        Task<?> removeDue(long end) {
            synchronized (lock) {
                Task<?> first = first();
                return first == null || first.due > end ? null : tasks.remove();
            }
        }

        Optional<Long> nextDue() {
            synchronized (lock) {
                return Optional.ofNullable(first()).map(task -> task.due);
            }
        }

        @GuardedBy("lock")
        private @Nullable Task<?> first() {
            while (!tasks.isEmpty() && tasks.peek().isCancelled()) {
                tasks.remove();
            }
            return tasks.peek();
        }

        private <T> Task<T> add(Task<T> task) {
            synchronized (lock) {
                tasks.add(task);
            }
            return task;
        }

        private <T> Task<T> add(Callable<T> work, long delay, long period, TimeUnit unit) {
            long due = nanos.get() + Math.max(isRunning ? LEAST_DELAY_NANOS : 0, unit.toNanos(delay));
            synchronized (lock) {
                return add(new Task<>(work, due, unit.toNanos(period), ++lastNumber));
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
        public ScheduledFuture<?> scheduleWithFixedDelay(
                Runnable command, long initialDelay, long delay, TimeUnit unit) {
            return scheduleAtFixedRate(command, initialDelay, delay, unit);
        }

        // The owner of the clock shuts it down.
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
            private long due;

            Task(Callable<V> work, long due, long period, long number) {
                super(work);
                this.due = due;
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
                    due += period;
                    Task<V> ignored = add(this);
                }
            }

            // The exception ends the call that advances the clock, since no caller reads the result.
            @Override
            protected void setException(Throwable thrown) {
                super.setException(thrown);
                if (thrown instanceof RuntimeException failure) {
                    throw failure;
                }
                if (thrown instanceof Error error) {
                    throw error;
                }
            }

            @Override
            public long getDelay(TimeUnit unit) {
                return unit.convert(due - nanos.get(), TimeUnit.NANOSECONDS);
            }

            @Override
            public int compareTo(Delayed other) {
                return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
            }
        }
    }
}
