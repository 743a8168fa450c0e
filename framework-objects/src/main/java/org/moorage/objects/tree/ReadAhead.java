// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Parses an input on another thread, ahead of the thread that takes the values, which takes them in the order of the
 * input. A failure of the parser comes after the values before it. The parser waits once it is far ahead, so that
 * memory does not depend on the length of the input.
 */
final class ReadAhead {
    private static final int MOST_BATCHES = 4;
    /** A batch ends after so many values, or after so many bytes or characters of the input. */
    private static final int MOST_VALUES = 64;

    private static final int LONGEST_BATCH = 1 << 16;

    private final Deque<List<ClusterFiles.Parsed>> batches = new ArrayDeque<>();
    private boolean hasEnded;
    private boolean isAbandoned;
    private @Nullable Throwable failure;

    private ReadAhead() {}

    /** Passes all values of an input to a receiver. */
    @FunctionalInterface
    interface Parser {
        void parse(Consumer<ClusterFiles.Parsed> receiver) throws IOException;
    }

    /**
     * Runs a parser on another thread, and takes its values on this one. Both are done when it returns.
     *
     * @param executor runs the parser while this thread waits for values
     * @throws IOException if the parser throws it, or this thread is interrupted
     */
    static void run(Executor executor, Parser parser, Consumer<ClusterFiles.Parsed> receiver) throws IOException {
        ReadAhead ahead = new ReadAhead();
        executor.execute(() -> ahead.parse(parser));
        try {
            for (List<ClusterFiles.Parsed> batch = ahead.take(); !batch.isEmpty(); batch = ahead.take()) {
                batch.forEach(receiver);
            }
        } finally {
            // The input and the parser's buffers are the caller's again.
            ahead.abandon();
        }
        ahead.throwFailure();
    }

    private void parse(Parser parser) {
        Batches made = new Batches();
        Throwable thrown = null;
        try {
            try {
                parser.parse(made);
            } finally {
                made.flush();
            }
        } catch (Throwable failed) {
            // The thread that takes the values throws it.
            thrown = failed;
        }
        end(thrown);
    }

    private final class Batches implements Consumer<ClusterFiles.Parsed> {
        private List<ClusterFiles.Parsed> batch = new ArrayList<>(MOST_VALUES);
        private long start;

        @Override
        public void accept(ClusterFiles.Parsed parsed) {
            batch.add(parsed);
            if (batch.size() == MOST_VALUES || parsed.offset() - start > LONGEST_BATCH) {
                flush();
                start = parsed.offset();
            }
        }

        void flush() {
            if (!batch.isEmpty()) {
                put(batch);
                batch = new ArrayList<>(MOST_VALUES);
            }
        }
    }

    private synchronized void put(List<ClusterFiles.Parsed> batch) {
        try {
            while (batches.size() == MOST_BATCHES && !isAbandoned) {
                wait();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the parser's thread was interrupted", interrupted);
        }
        if (isAbandoned) {
            throw new CancellationException();
        }
        batches.add(batch);
        notifyAll();
    }

    private synchronized void end(@Nullable Throwable thrown) {
        failure = thrown;
        hasEnded = true;
        notifyAll();
    }

    /** Returns the next values; none at the end. */
    private synchronized List<ClusterFiles.Parsed> take() throws IOException {
        try {
            while (batches.isEmpty() && !hasEnded) {
                wait();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
        List<ClusterFiles.Parsed> next = batches.poll();
        notifyAll();
        return next == null ? List.of() : next;
    }

    private synchronized void abandon() {
        isAbandoned = true;
        notifyAll();
        boolean isInterrupted = false;
        while (!hasEnded) {
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

    private synchronized void throwFailure() throws IOException {
        if (failure instanceof IOException unreadable) {
            throw unreadable;
        }
        if (failure instanceof RuntimeException wrong) {
            throw wrong;
        }
        if (failure instanceof Error fatal) {
            throw fatal;
        }
    }
}
