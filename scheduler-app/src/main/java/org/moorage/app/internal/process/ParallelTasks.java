// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.moorage.runtime.metrics.SchedulerListener;

/** A runner of independent tasks that runs one per processor at the same time. */
public final class ParallelTasks {
    private ParallelTasks() {}

    /**
     * Runs the tasks, and returns their results in the same order.
     *
     * @throws RuntimeException the exception of the first task that failed; the other tasks are not waited for
     */
    public static <T> List<T> run(List<Callable<T>> tasks) {
        int threads = Math.max(1, Math.min(tasks.size(), Runtime.getRuntime().availableProcessors()));
        ExecutorService executor =
                Executors.newFixedThreadPool(threads, new ProcessThreads(new SchedulerListener() {}));
        try {
            List<Future<T>> futures = new ArrayList<>();
            tasks.forEach(task -> futures.add(executor.submit(task)));
            List<T> answers = new ArrayList<>();
            for (Future<T> future : futures) {
                answers.add(future.get());
            }
            return answers;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Error error) {
                throw error;
            }
            if (failed.getCause() instanceof RuntimeException exception) {
                throw exception;
            }
            throw new IllegalStateException(failed.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted (expected: to be left to end)", e);
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
        }
    }
}
