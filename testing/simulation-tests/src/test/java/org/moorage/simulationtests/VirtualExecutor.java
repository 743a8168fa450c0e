// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on the thread that calls {@link #runNext} or {@link #pause}, on a virtual clock. Selects the next of the
 * due tasks at random, as the threads of a real scheduler run in any order.
 */
final class VirtualExecutor extends UnendingExecutor implements InstantSource {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    /** The maximum number of nested pauses, which limits the stack; a further pause only advances the time. */
    private static final int MOST_PAUSES = 24;

    private static final long MOST_TASK_NANOS = 100_000;

    private final RandomGenerator random;
    private final PriorityQueue<Task<?>> later = new PriorityQueue<>(
            Comparator.<Task<?>>comparingLong(task -> task.time).thenComparingLong(task -> task.number));
    private final List<Task<?>> due = new ArrayList<>();
    private final List<Throwable> uncaught = new ArrayList<>();
    private BooleanSupplier cycle = () -> false;
    private boolean cycleMayFindWork;
    private boolean isInCycle;
    private long now;
    private long number;
    private int pauses;
    private long steps;

    VirtualExecutor(RandomGenerator random) {
        this.random = random;
    }

    /** Sets the function that runs a scheduling cycle if a pod is ready, and returns whether it ran one. */
    void cycle(BooleanSupplier value) {
        cycle = value;
        cycleMayFindWork = true;
    }

    /** Returns the uncaught exceptions of tasks. */
    List<Throwable> uncaught() {
        return uncaught;
    }

    /** Returns whether a scheduling cycle is running, which no other task may interrupt. */
    boolean isInCycle() {
        return isInCycle;
    }

    /** Returns the number of tasks and cycles that have run. */
    long steps() {
        return steps;
    }

    @Override
    public Instant instant() {
        return START.plusNanos(now);
    }

    /**
     * Runs a due task, or else lets time pass until a task is due. Returns false if no task but periodic ones is due
     * before the given time.
     */
    boolean runNext(Instant until) {
        if (runDue()) {
            return true;
        }
        Task<?> next = firstLater();
        long end = Duration.between(START, until).toNanos();
        if (next == null || next.time > end) {
            now = Math.max(now, end);
            return false;
        }
        now = Math.max(now, next.time);
        return true;
    }

    /** Returns whether only periodic tasks are left. */
    boolean isIdle() {
        return !cycleMayFindWork
                && due.stream().allMatch(task -> task.isCancelled() || task.isPeriodic())
                && later.stream().allMatch(task -> task.isCancelled() || task.isPeriodic());
    }

    private boolean runDue() {
        for (Task<?> first = firstLater(); first != null && first.time <= now; first = firstLater()) {
            due.add(later.remove());
        }
        due.removeIf(FutureTask::isCancelled);
        boolean mayCycle = cycleMayFindWork && !isInCycle;
        int choices = due.size() + (mayCycle ? 1 : 0);
        if (choices == 0) {
            return false;
        }
        steps++;
        int choice = random.nextInt(choices);
        if (choice == due.size()) {
            runCycle();
        } else {
            due.remove(choice).run();
            cycleMayFindWork = true;
        }
        now += random.nextLong(MOST_TASK_NANOS);
        return true;
    }

    private void runCycle() {
        isInCycle = true;
        try {
            cycleMayFindWork = cycle.getAsBoolean();
        } finally {
            isInCycle = false;
        }
    }

    private @Nullable Task<?> firstLater() {
        while (!later.isEmpty() && later.peek().isCancelled()) {
            later.remove();
        }
        return later.peek();
    }

    /** Lets time pass for the calling task: other tasks run in the meantime, on the same thread. */
    void pause(Duration time) {
        long end = now + time.toNanos();
        if (pauses >= MOST_PAUSES || isInCycle) {
            now = end;
            return;
        }
        pauses++;
        try {
            while (now < end) {
                if (!runDue()) {
                    Task<?> next = firstLater();
                    now = next == null ? end : Math.max(now, Math.min(end, next.time));
                }
            }
        } finally {
            pauses--;
        }
    }

    /** Runs a task of the world outside the scheduler after a delay. */
    void after(Duration delay, Runnable task) {
        later.add(new Task<>(task, now + delay.toNanos(), 0));
    }

    private <T> Task<T> add(Task<T> task) {
        later.add(task);
        return task;
    }

    @Override
    public void execute(Runnable command) {
        later.add(new Task<>(command, now, 0));
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return add(new Task<>(command, now + unit.toNanos(delay), 0));
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return add(new Task<>(callable, now + unit.toNanos(delay)));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return add(new Task<>(command, now + unit.toNanos(initialDelay), unit.toNanos(period)));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return scheduleAtFixedRate(command, initialDelay, delay, unit);
    }

    private final class Task<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
        private final long number = ++VirtualExecutor.this.number;
        private final long period;
        private long time;

        @SuppressWarnings("NullAway") // the result of a Runnable is null
        Task(Runnable command, long time, long period) {
            super(command, null);
            this.time = time;
            this.period = period;
        }

        Task(Callable<V> callable, long time) {
            super(callable);
            this.time = time;
            period = 0;
        }

        @Override
        public void run() {
            if (!isPeriodic()) {
                super.run();
            } else if (super.runAndReset()) {
                time = Math.max(now, time + period);
                later.add(this);
            }
        }

        @Override
        protected void setException(Throwable thrown) {
            uncaught.add(thrown);
            super.setException(thrown);
        }

        @Override
        public boolean isPeriodic() {
            return period > 0;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(time - now, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
