// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * Runs a task for each item of a list on several threads, which take the next item in turn.
 *
 * @param executor runs the work of all threads but the caller's
 * @param threads how many threads work at the same time, including the caller's; at least one
 * @param progress receives the count of finished tasks, from each of the threads, one at a time
 */
record ParallelMap(Executor executor, int threads, IntConsumer progress) {
    /** The tasks that are left; each thread runs some of them. */
    interface Tasks<T, R> {
        /** Runs the next task until none is left. */
        void forEach(Function<T, R> task);
    }

    /**
     * Returns the results of the tasks, in the order of the items.
     *
     * @param worker runs once on each thread and runs tasks
     * @throws RuntimeException what a task or a worker throws
     */
    <T, R> List<R> map(List<T> items, Consumer<Tasks<T, R>> worker) {
        AtomicInteger next = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicReferenceArray<R> results = new AtomicReferenceArray<>(items.size());
        Tasks<T, R> tasks = task -> {
            for (int i = next.getAndIncrement(); i < items.size(); i = next.getAndIncrement()) {
                results.set(i, task.apply(items.get(i)));
                synchronized (done) {
                    progress.accept(done.incrementAndGet());
                }
            }
        };
        List<CompletableFuture<Void>> others = new ArrayList<>();
        for (int i = 1; i < Math.min(threads, items.size()); i++) {
            others.add(CompletableFuture.runAsync(() -> worker.accept(tasks), executor));
        }
        try {
            worker.accept(tasks);
        } finally {
            // If it has failed, the others can stop.
            next.set(items.size());
        }
        try {
            others.forEach(CompletableFuture::join);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failed ? failed : e;
        }
        List<R> all = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            all.add(results.get(i));
        }
        return all;
    }
}
