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
 * Runs passes over many nodes. A pass begins on its caller's thread, and is shared with others once that would end it earlier, judged
 * by the time that it has taken so far. The nodes are handed out in chunks, in their order; the caller takes part and returns when
 * every chunk that was handed out is done, so that what was done is always the first part of the list.
 *
 * <p>The caller waits for threads that have begun and for no others, so a pass ends also if the other threads never come to it.
 */
public final class Parallelism {
    // It takes some 30 microseconds until a thread that was woken works, and ten until the caller goes on, which waits
    // for the last chunk.
    private static final long NANOS_WORTH_HELP = 100_000;
    // Before, the time that a node takes is that of cold caches.
    private static final long NANOS_TO_KNOW = 20_000;

    private static final int MOST_NODES = 128;
    // Before it is known how long a node takes.
    private static final int FIRST_NODES = 16;
    // A call of a plugin for a chunk is to return soon.
    private static final long MOST_NANOS = 100_000_000;
    // For each thread, so that all of them end at about the same time.
    private static final int CHUNKS = 4;

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

    /** What is done with nodes. Called by several threads, each for other nodes. */
    interface Pass {
        /** Works on the nodes from one index to before another. Returns whether further nodes are to be handed out. */
        boolean run(int from, int to);

        /** How many nodes may be handed out next while one thread works alone. */
        default int most() {
            return Integer.MAX_VALUE;
        }

        /** How many nodes are left, as far as can be told, after so many of them. */
        default int left(int done, int count) {
            return count - done;
        }
    }

    /**
     * Runs a pass. What the first failing chunk throws is thrown.
     *
     * @param count how many nodes there are
     * @return the index after the last one that was worked on; all before it were
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

    // By the time that the nodes before have taken.
    private static int chunkSize(long nanos, int done) {
        return (int) Math.min(MOST_NODES, 1 + MOST_NANOS * done / Math.max(1, nanos));
    }

    /** Whether a pass that has taken so long for so many nodes ends earlier on several threads. */
    boolean helps(long nanos, int done, int left) {
        return nanos >= NANOS_TO_KNOW && (double) nanos / done * left * (workers - 1) / workers >= NANOS_WORTH_HELP;
    }

    /** The part of a pass from one index to before another, on several threads. */
    int share(int from, int to, int chunkSize, Pass pass) {
        SharedPass shared = new SharedPass(from, to, chunkSize, pass);
        try {
            askForHelp(shared, Math.min(workers, (to - from + chunkSize - 1) / chunkSize) - 1);
            shared.work();
        } finally {
            // Whatever was thrown: a thread that has begun still writes to what the caller goes on with.
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
            // The threads that there are, at least the caller, do it all.
        }
    }

    /** A pass that several threads work on, run by each that helps. */
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
