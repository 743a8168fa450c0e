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
import java.util.concurrent.TimeoutException;
import okhttp3.Interceptor.Chain;
import okio.Buffer;
import okio.Source;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response, read as it arrives: the next part is requested when the previous one has been read. For one
 * reading thread.
 *
 * <p>After the end of a response its connection may serve another request, and canceling the body then closes the
 * connection of that request (fabric8's Vert.x client does so). The end is only detected when it is requested. A body
 * is therefore canceled only if the reader gave up while waiting for a requested part; if the reader needs no more, the
 * rest is discarded as it arrives, without a thread.
 */
final class StreamedBody implements Source, AsyncBody.Consumer<List<ByteBuffer>> {
    /** The interval at which a waiting thread checks whether its call was canceled or timed out. */
    static final long POLL_MILLIS = 50;

    private final Chain chain;
    private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
    private final Queue<ByteBuffer> read = new ArrayDeque<>();
    private @Nullable AsyncBody body;
    private boolean isAsked;
    private @Nullable Part end;
    private boolean isGivenUp;
    /** Whether further parts are discarded; shared with the client's threads. */
    private boolean isDiscarding;

    /**
     * The next part of the body, or its end.
     *
     * @param buffers empty at the end
     * @param failure why the body ended; empty if it is complete
     */
    private record Part(List<ByteBuffer> buffers, Optional<Throwable> failure, boolean isEnd) {}

    StreamedBody(Chain chain) {
        this.chain = chain;
    }

    /** Sets the body of the response, which has started to arrive. */
    void begins(AsyncBody answered) {
        body = answered;
        CompletableFuture<?> ignored = answered.done()
                .whenComplete((done, thrown) -> parts.add(new Part(List.of(), Optional.ofNullable(thrown), true)));
    }

    @Override
    public void consume(List<ByteBuffer> buffers, AsyncBody from) {
        synchronized (this) {
            if (!isDiscarding) {
                parts.add(new Part(buffers, Optional.empty(), false));
                return;
            }
        }
        from.consume();
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
        AsyncBody source = body;
        if (source != null && !isAsked) {
            isAsked = true;
            source.consume();
        }
        isGivenUp = true;
        Part part = parts.poll();
        while (part == null) {
            check(chain, limit);
            part = pollWithin(POLL_MILLIS);
        }
        isGivenUp = false;
        if (part.isEnd) {
            end = part;
        } else {
            isAsked = false;
            read.addAll(part.buffers);
        }
    }

    private @Nullable Part pollWithin(long millis) throws IOException {
        try {
            return parts.poll(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Throws if the call was canceled or timed out. */
    static void check(Chain chain, long limit) throws IOException {
        if (chain.call().isCanceled()) {
            throw new IOException("Canceled");
        }
        if (chain.readTimeoutMillis() > 0 && System.nanoTime() - limit > 0) {
            throw new InterruptedIOException("timeout");
        }
    }

    /** Returns the failure of a client as an {@link IOException}. */
    static IOException failure(@Nullable Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        return cause instanceof IOException failed ? failed : new IOException(cause);
    }

    @Override
    public Timeout timeout() {
        return Timeout.NONE;
    }

    @Override
    public void close() {
        AsyncBody source = body;
        if (source == null || end != null || source.done().isDone()) {
            return;
        }
        boolean isPartOutstanding;
        synchronized (this) {
            isPartOutstanding = isAsked && parts.isEmpty();
            isDiscarding = true;
        }
        if (isGivenUp && isPartOutstanding) {
            source.cancel();
        } else {
            discard(source, isPartOutstanding);
        }
    }

    private void discard(AsyncBody source, boolean isPartOutstanding) {
        read.clear();
        parts.clear();
        // A server that never ends a response must not hold its connection forever.
        if (chain.readTimeoutMillis() > 0) {
            CompletableFuture<?> ignored = source.done()
                    .copy()
                    .orTimeout(chain.readTimeoutMillis(), TimeUnit.MILLISECONDS)
                    .whenComplete((done, thrown) -> {
                        if (thrown instanceof TimeoutException) {
                            source.cancel();
                        }
                    });
        }
        if (!isPartOutstanding) {
            source.consume();
        }
    }
}
