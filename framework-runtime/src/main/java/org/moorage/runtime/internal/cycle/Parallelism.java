// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a pass over many nodes on several threads. A caller begins alone and goes on with others where {@link #helps} says so.
 * The nodes are handed out in chunks, in their order; the caller takes part and returns when every chunk that was handed out is
 * done, so that what was done is always the first part of the list.
 *
 * <p>The caller waits for threads that have begun and for no others, so a pass ends also if the other threads never come to it.
 */
public final class Parallelism {
    // It takes some 30 microseconds until a thread that was woken works, and ten until the caller goes on, which waits
    // for the last chunk.
    private static final long NANOS_WORTH_HELP = 100_000;
    // Before, the time that a node takes is that of cold caches.
    private static final long NANOS_TO_KNOW = 20_000;

    private final Executor executor;
    private final int workers;
    private final LongSupplier nanoTime;

    /**
     * Runs passes on several threads.
     *
     * @param executor where further threads come from
     * @param workers how many threads take part, with the caller; 1 keeps everything on the caller
     */
    public Parallelism(Executor executor, int workers) {
        this(executor, workers, System::nanoTime);
    }

    Parallelism(Executor executor, int workers, LongSupplier nanoTime) {
        if (workers < 1) {
            throw new IllegalArgumentException("workers: " + workers + " (expected: at least 1)");
        }
        this.executor = executor;
        this.workers = workers;
        this.nanoTime = nanoTime;
    }

    /** Runs passes on the caller's thread alone. */
    public static Parallelism none() {
        return new Parallelism(Runnable::run, 1);
    }

    /** The time at which a pass begins on the caller's thread, for {@link #helps}. */
    long begin() {
        return workers == 1 ? 0 : nanoTime.getAsLong();
    }

    /**
     * Whether a pass that goes on on several threads ends earlier, judged by the time that it has taken so far.
     *
     * @param began when it began
     * @param done how many nodes are done
     * @param left how many are left
     */
    boolean helps(long began, int done, int left) {
        if (workers == 1 || done == 0) {
            return false;
        }
        long nanos = nanoTime.getAsLong() - began;
        return nanos >= NANOS_TO_KNOW && (double) nanos / done * left * (workers - 1) / workers >= NANOS_WORTH_HELP;
    }

    /** Work on the nodes from one index to before another. */
    interface Chunk {
        /** Does the work. Returns whether further chunks are to be handed out. */
        boolean run(int from, int to);
    }

    /**
     * Runs a pass from one index to before another. What the first failing chunk throws is thrown.
     *
     * @return the index after the last one that was worked on; all before it were
     */
    int run(int from, int to, int chunkSize, Chunk chunk) {
        int count = to - from;
        if (count <= 0) {
            return from;
        }
        Pass pass = new Pass(from, to, chunkSize, chunk);
        try {
            askForHelp(pass, Math.min(workers, (count + chunkSize - 1) / chunkSize) - 1);
            pass.work();
        } finally {
            // Whatever was thrown: a thread that has begun still writes to what the caller goes on with.
            pass.end();
        }
        pass.throwFailure();
        return Math.min(to, pass.next.get());
    }

    private void askForHelp(Pass pass, int others) {
        try {
            for (int i = 0; i < others; i++) {
                executor.execute(pass);
            }
        } catch (RejectedExecutionException closed) {
            // The threads that there are, at least the caller, do it all.
        }
    }

    /** One pass, run by each thread that helps. */
    private static final class Pass implements Runnable {
        private final int to;
        private final int chunkSize;
        private final Chunk chunk;
        private final AtomicInteger next;
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private volatile boolean stopped;

        @GuardedBy("this")
        private int helpers;

        @GuardedBy("this")
        private boolean ended;

        Pass(int from, int to, int chunkSize, Chunk chunk) {
            this.to = to;
            this.chunkSize = chunkSize;
            this.chunk = chunk;
            next = new AtomicInteger(from);
        }

        @Override
        public void run() {
            synchronized (this) {
                if (ended) {
                    return;
                }
                helpers++;
            }
            try {
                work();
            } finally {
                synchronized (this) {
                    helpers--;
                    notifyAll();
                }
            }
        }

        void work() {
            try {
                while (!stopped) {
                    int start = next.getAndAdd(chunkSize);
                    if (start >= to) {
                        return;
                    }
                    if (!chunk.run(start, Math.min(start + chunkSize, to))) {
                        stopped = true;
                    }
                }
            } catch (Throwable thrown) {
                // An error, too, is for the caller: this thread may be a pool's.
                stopped = true;
                failure.compareAndSet(null, thrown);
            }
        }

        /** Lets no other thread begin, and waits for those that have. An interrupt is kept for whoever waits next. */
        void end() {
            boolean interrupted = false;
            synchronized (this) {
                ended = true;
                while (helpers > 0) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
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
