// SPDX-License-Identifier: Apache-2.0
package org.moorage.fabric8;

import io.fabric8.kubernetes.client.http.AsyncBody;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import okhttp3.Interceptor.Chain;
import okio.Buffer;
import okio.Source;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/** The body of an answer, read as it comes: the next part is asked for when the last one has been read. For one reading thread. */
final class StreamedBody implements Source, AsyncBody.Consumer<List<ByteBuffer>> {
    /** How long it takes at most until a call that was cancelled ends. */
    static final long POLL_MILLIS = 50;

    private final Chain chain;
    private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
    private final Queue<ByteBuffer> read = new ArrayDeque<>();
    private @Nullable AsyncBody body;
    private boolean isAsked;
    private @Nullable Part end;

    /**
     * What comes next.
     *
     * @param buffers none at the end
     * @param failure why it has ended; empty if it is complete
     */
    private record Part(List<ByteBuffer> buffers, Optional<Throwable> failure, boolean isEnd) {}

    StreamedBody(Chain chain) {
        this.chain = chain;
    }

    /** The answer has come. */
    void begins(AsyncBody answered) {
        body = answered;
        CompletableFuture<?> ignored = answered.done()
                .whenComplete((done, thrown) -> parts.add(new Part(List.of(), Optional.ofNullable(thrown), true)));
    }

    @Override
    public void consume(List<ByteBuffer> buffers, AsyncBody from) {
        parts.add(new Part(buffers, Optional.empty(), false));
    }

    @Override
    public long read(Buffer sink, long byteCount) throws IOException {
        while (true) {
            ByteBuffer next = read.peek();
            if (next == null) {
                if (end != null) {
                    return ended(end);
                }
                take();
            } else if (!next.hasRemaining()) {
                read.remove();
            } else {
                ByteBuffer slice = next.slice();
                slice.limit((int) Math.min(byteCount, next.remaining()));
                int taken = sink.write(slice);
                next.position(next.position() + taken);
                return taken;
            }
        }
    }

    private static long ended(Part end) throws IOException {
        if (end.failure.isPresent()) {
            throw failure(end.failure.get());
        }
        return -1;
    }

    private void take() throws IOException {
        long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(chain.readTimeoutMillis());
        while (!takeWithin(POLL_MILLIS)) {
            check(chain, limit);
        }
    }

    private boolean takeWithin(long millis) throws IOException {
        AsyncBody source = body;
        if (source != null && !isAsked) {
            isAsked = true;
            source.consume();
        }
        try {
            Part part = parts.poll(millis, TimeUnit.MILLISECONDS);
            if (part == null) {
                return false;
            }
            if (part.isEnd) {
                end = part;
            } else {
                isAsked = false;
                read.addAll(part.buffers);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Throws if the call was cancelled or has waited for too long. */
    static void check(Chain chain, long limit) throws IOException {
        if (chain.call().isCanceled()) {
            throw new IOException("Canceled");
        }
        if (chain.readTimeoutMillis() > 0 && System.nanoTime() - limit > 0) {
            throw new InterruptedIOException("timeout");
        }
    }

    /** What a client has failed with, as an exception of this one. */
    static IOException failure(@Nullable Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        return cause instanceof IOException failed ? failed : new IOException(cause);
    }

    @Override
    public Timeout timeout() {
        return Timeout.NONE;
    }

    // Read to the end, if that is near: otherwise the connection is closed, which may be another request's by then.
    @Override
    public void close() {
        AsyncBody source = body;
        if (source == null) {
            return;
        }
        try {
            while (end == null && !chain.call().isCanceled() && takeWithin(POLL_MILLIS)) {
                read.clear();
            }
        } catch (IOException interrupted) {
            // It is not read to the end then.
        }
        if (end == null) {
            source.cancel();
        }
    }
}
