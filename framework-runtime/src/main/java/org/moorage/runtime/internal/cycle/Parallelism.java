// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs a pass over many nodes on several threads. The nodes are handed out in chunks, in their order; the caller takes part
 * and returns when every chunk that was handed out is done, so that what was done is always the first part of the list.
 */
public final class Parallelism {
    private final Executor executor;
    private final int workers;

    /**
     * Runs passes on several threads.
     *
     * @param executor where further threads come from
     * @param workers how many threads take part, with the caller; 1 keeps everything on the caller
     */
    public Parallelism(Executor executor, int workers) {
        if (workers < 1) {
            throw new IllegalArgumentException("workers: " + workers + " (expected: at least 1)");
        }
        this.executor = executor;
        this.workers = workers;
    }

    /** Runs passes on the caller's thread alone. */
    public static Parallelism none() {
        return new Parallelism(Runnable::run, 1);
    }

    boolean isSequential() {
        return workers == 1;
    }

    /** Work on the nodes from one index to before another. */
    interface Chunk {
        /** Does the work. Returns whether further chunks are to be handed out. */
        boolean run(int from, int to);
    }

    /** Runs a pass from one index to before another. What the first failing chunk throws is thrown. */
    void run(int from, int to, int chunkSize, Chunk chunk) {
        int count = to - from;
        if (count <= 0) {
            return;
        }
        Pass pass = new Pass(from, to, chunkSize, chunk);
        int others = Math.min(workers, (count + chunkSize - 1) / chunkSize) - 1;
        CountDownLatch ended = new CountDownLatch(others);
        for (int i = 0; i < others; i++) {
            try {
                executor.execute(() -> {
                    try {
                        pass.run();
                    } finally {
                        ended.countDown();
                    }
                });
            } catch (RejectedExecutionException closed) {
                // The other threads, at least the caller, do this one's part.
                ended.countDown();
            }
        }
        pass.run();
        await(ended);
        pass.throwFailure();
    }

    // The other threads only compute, so this wait is short; an interrupt is kept for whoever waits next.
    private static void await(CountDownLatch ended) {
        boolean interrupted = false;
        while (true) {
            try {
                ended.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Pass implements Runnable {
        private final int to;
        private final int chunkSize;
        private final Chunk chunk;
        private final AtomicInteger next;
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private volatile boolean stopped;

        Pass(int from, int to, int chunkSize, Chunk chunk) {
            this.to = to;
            this.chunkSize = chunkSize;
            this.chunk = chunk;
            next = new AtomicInteger(from);
        }

        @Override
        public void run() {
            while (!stopped) {
                int start = next.getAndAdd(chunkSize);
                if (start >= to) {
                    return;
                }
                try {
                    if (!chunk.run(start, Math.min(start + chunkSize, to))) {
                        stopped = true;
                    }
                } catch (Throwable thrown) {
                    // An error, too, is for the caller: this thread may be a pool's.
                    failure.compareAndSet(null, thrown);
                    stopped = true;
                }
            }
        }

        void throwFailure() {
            Throwable thrown = failure.get();
            if (thrown instanceof Error error) {
                throw error;
            }
            if (thrown instanceof RuntimeException exception) {
                throw exception;
            }
        }
    }
}
