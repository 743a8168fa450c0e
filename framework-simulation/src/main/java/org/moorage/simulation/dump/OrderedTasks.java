// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one at a time and in their order, on another thread while the caller continues. If too many tasks are
 * waiting, the caller runs them itself, so that it never waits for a thread that does not start.
 */
final class OrderedTasks implements AutoCloseable {
    private static final int MOST_WAITING = 4;

    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean isRunning;
    private boolean isClosed;
    private @Nullable Throwable failure;

    private OrderedTasks() {}

    /** Starts a thread that runs tasks until the instance is closed. */
    static OrderedTasks on(Executor executor) {
        OrderedTasks tasks = new OrderedTasks();
        executor.execute(tasks::work);
        return tasks;
    }

    /**
     * Adds a task, which runs after all earlier ones.
     *
     * @throws RuntimeException what an earlier task has thrown
     */
    void add(Runnable task) {
        synchronized (this) {
            if (failure == null) {
                waiting.add(task);
                notifyAll();
            }
        }
        runUntilAtMost(MOST_WAITING);
    }

    /**
     * Returns once all tasks have run.
     *
     * @throws RuntimeException what a task has thrown; later tasks have not run then
     */
    void finish() {
        runUntilAtMost(0);
    }

    private void runUntilAtMost(int most) {
        for (Runnable task = next(most); task != null; task = next(most)) {
            run(task);
        }
    }

    // Returns the next task for the caller; null if few enough are waiting, or none is left.
    private synchronized @Nullable Runnable next(int most) {
        boolean isInterrupted = false;
        while (isRunning && (most == 0 || waiting.size() > most)) {
            try {
                wait();
            } catch (InterruptedException interrupted) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure instanceof RuntimeException wrong) {
            throw wrong;
        }
        if (failure instanceof Error fatal) {
            throw fatal;
        }
        return waiting.size() > most ? begin() : null;
    }

    private synchronized @Nullable Runnable begin() {
        Runnable task = waiting.poll();
        isRunning = task != null;
        return task;
    }

    private void run(Runnable task) {
        Throwable thrown = null;
        try {
            task.run();
        } catch (Throwable failed) {
            // The caller's thread throws it.
            thrown = failed;
        }
        end(thrown);
    }

    private synchronized void end(@Nullable Throwable thrown) {
        if (thrown != null) {
            failure = thrown;
            waiting.clear();
        }
        isRunning = false;
        notifyAll();
    }

    private void work() {
        for (Runnable task = take(); task != null; task = take()) {
            run(task);
        }
    }

    private synchronized @Nullable Runnable take() {
        while (!isClosed && (isRunning || waiting.isEmpty())) {
            try {
                wait();
            } catch (InterruptedException interrupted) {
                // The caller runs the rest.
                Thread.currentThread().interrupt();
                return null;
            }
        }
        return isClosed ? null : begin();
    }

    /** Drops the tasks that have not run, and waits for the one that runs. */
    @Override
    public synchronized void close() {
        isClosed = true;
        waiting.clear();
        notifyAll();
        boolean isInterrupted = false;
        while (isRunning) {
            try {
                wait();
            } catch (InterruptedException interrupted) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
