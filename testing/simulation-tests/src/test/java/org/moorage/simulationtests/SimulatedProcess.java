// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The tasks of one scheduler: none of them starts after the scheduler is killed. */
final class SimulatedProcess extends UnendingExecutor {
    private static final int MANY = 1000;

    private final VirtualExecutor executor;
    private final List<Future<?>> tasks = new ArrayList<>();
    private boolean isKilled;

    SimulatedProcess(VirtualExecutor executor) {
        this.executor = executor;
    }

    /** Kills the process. A paused task continues, but without any effect outside the process. */
    void kill() {
        isKilled = true;
        tasks.forEach(task -> task.cancel(false));
        tasks.clear();
    }

    boolean isKilled() {
        return isKilled;
    }

    /** Lets time pass for a task. */
    void pause(Duration time) {
        if (!isKilled) {
            executor.pause(time);
        }
    }

    private <F extends Future<?>> F started(F task) {
        if (isKilled) {
            task.cancel(false);
            return task;
        }
        if (tasks.size() == MANY) {
            tasks.removeIf(Future::isDone);
        }
        tasks.add(task);
        return task;
    }

    @Override
    public void execute(Runnable command) {
        Future<?> ignored = started(executor.schedule(command, 0, TimeUnit.NANOSECONDS));
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return started(executor.schedule(command, delay, unit));
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return started(executor.schedule(callable, delay, unit));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return started(executor.scheduleAtFixedRate(command, initialDelay, period, unit));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return started(executor.scheduleWithFixedDelay(command, initialDelay, delay, unit));
    }
}
