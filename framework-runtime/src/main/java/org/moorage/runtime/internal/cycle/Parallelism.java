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
 * Runs passes, each of which processes many nodes. A pass starts on its caller's thread. Other threads join once the
 * time that it has taken so far shows that it would end earlier with them. Nodes are processed in chunks, in their
 * order. The caller takes part, and returns when every chunk that was started is done, so the processed nodes are
 * always the first part of the list.
 *
 * <p>The caller waits only for threads that have started, so a pass ends even if the other threads never become free.
 */
public final class Parallelism {
    // A woken thread starts to work after about 30 microseconds. The caller, which waits for the last chunk, continues
    // after about 10.
    private static final long NANOS_WORTH_HELP = 100_000;
    // Earlier measurements of the time per node are dominated by cold caches.
    private static final long NANOS_TO_KNOW = 20_000;

    private static final int MOST_NODES = 128;
    // Used until the time per node is known.
    private static final int FIRST_NODES = 16;
    // The call of a plugin for a chunk should return soon.
    private static final long MOST_NANOS = 100_000_000;
    // Chunks per thread, so that all threads end at about the same time.
    private static final int CHUNKS = 4;

    private final Executor executor;
    private final int workers;
    private final LongSupplier nanoTime;

    /**
     * Runs passes on several threads.
     *
     * @param executor provides further threads
     * @param workers how many threads take part, including the caller; 1 runs everything on the caller
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

    /** Returns a parallelism that runs passes on the caller's thread alone. */
    public static Parallelism none() {
        return new Parallelism(Runnable::run, 1);
    }

    /** The work on nodes. Several threads call it, each for different nodes. */
    interface Pass {
        /**
         * Processes the nodes from one index up to, but not including, another. Returns whether to continue with
         * further nodes.
         */
        boolean run(int from, int to);

        /** Returns how many nodes the next chunk may have while one thread works alone. */
        default int most() {
            return Integer.MAX_VALUE;
        }

        /** Returns the estimated number of remaining nodes, after that many are done. */
        default int left(int done, int count) {
            return count - done;
        }
    }

    /**
     * Runs a pass. If chunks fail, it throws the exception of the first one to fail.
     *
     * @param count the number of nodes
     * @return the index after the last processed node; all nodes before it were processed
     */
    int run(int count, Pass pass) {
        long began = nanoTime.getAsLong();
        int from = 0;
        int chunkSize = FIRST_NODES;
        while (from < count) {
            int to = Math.min(count, from + Math.min(chunkSize, pass.most()));
            boolean more = pass.run(from, to);
            from = to;
            if (!more) {
                break;
            }
            long nanos = nanoTime.getAsLong() - began;
            chunkSize = chunkSize(nanos, from);
            int left = pass.left(from, count);
            if (helps(nanos, from, left)) {
                return share(from, count, Math.min(chunkSize, 1 + left / (workers * CHUNKS)), pass);
            }
        }
        return from;
    }

    // Computed from the time that the nodes so far have taken.
    private static int chunkSize(long nanos, int done) {
        return (int) Math.min(MOST_NODES, 1 + MOST_NANOS * done / Math.max(1, nanos));
    }

    /** Returns whether a pass that has taken that long for that many nodes would end earlier on several threads. */
    boolean helps(long nanos, int done, int left) {
        return nanos >= NANOS_TO_KNOW && (double) nanos / done * left * (workers - 1) / workers >= NANOS_WORTH_HELP;
    }

    /** Runs the part of a pass from one index up to, but not including, another, on several threads. */
    int share(int from, int to, int chunkSize, Pass pass) {
        SharedPass shared = new SharedPass(from, to, chunkSize, pass);
        try {
            askForHelp(shared, Math.min(workers, (to - from + chunkSize - 1) / chunkSize) - 1);
            shared.work();
        } finally {
            // Also after an exception: a thread that has started still writes to memory that the caller uses next.
            shared.end();
        }
        shared.throwFailure();
        return Math.min(to, shared.next.get());
    }

    private void askForHelp(SharedPass pass, int others) {
        try {
            for (int i = 0; i < others; i++) {
                executor.execute(pass);
            }
        } catch (RejectedExecutionException closed) {
            // The threads that have started, at least the caller, do all of the work.
        }
    }

    /** A pass that several threads work on; each helping thread runs it. */
    private static final class SharedPass implements Runnable {
        private final int to;
        private final int chunkSize;
        private final Pass pass;
        private final AtomicInteger next;
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private volatile boolean stopped;

        @GuardedBy("this")
        private int helpers;

        @GuardedBy("this")
        private boolean ended;

        SharedPass(int from, int to, int chunkSize, Pass pass) {
            this.to = to;
            this.chunkSize = chunkSize;
            this.pass = pass;
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
                    if (!pass.run(start, Math.min(start + chunkSize, to))) {
                        stopped = true;
                    }
                }
            } catch (Throwable thrown) {
                // Errors, too, are passed to the caller: this thread may belong to a pool.
                stopped = true;
                failure.compareAndSet(null, thrown);
            }
        }

        /**
         * Stops further threads from joining, and waits for those that have started. An interrupt does not end the
         * wait; the interrupt status is set afterwards.
         */
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
