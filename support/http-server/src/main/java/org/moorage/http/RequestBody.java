// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A body that a connection receives and a handler reads. It buffers received bytes until they are read, up to a limit.
 */
final class RequestBody extends InputStream {
    private static final int MOST_KEPT = 256 << 10;
    private static final int FEW_KEPT = 64 << 10;

    private final long mostBytes;
    private final Instant end;
    private final InstantSource clock;
    private final ClientWait clientWait;
    private final Runnable more;
    private final ArrayDeque<byte[]> parts = new ArrayDeque<>();
    private int at;
    private int kept;
    private long come;
    private boolean isComplete;
    private boolean isPaused;
    private @Nullable IOException failure;

    /**
     * Creates a body of which nothing was received yet.
     *
     * @param mostBytes the maximum length
     * @param end when it must be complete
     * @param clock the server's clock
     * @param clientWait measures how long the reading thread waits for the client
     * @param more makes the connection continue to read
     */
    RequestBody(long mostBytes, Instant end, InstantSource clock, ClientWait clientWait, Runnable more) {
        this.mostBytes = mostBytes;
        this.end = end;
        this.clock = clock;
        this.clientWait = clientWait;
        this.more = more;
    }

    /** Adds a part. Returns false if the connection must pause reading. */
    synchronized boolean add(byte[] part) {
        come += part.length;
        if (come > mostBytes) {
            fail(new BodyTooLongException(mostBytes));
            return false;
        }
        if (part.length > 0) {
            parts.add(part);
            kept += part.length;
        }
        notifyAll();
        // Bytes in transit at the pause still arrive; only the reader ends the pause.
        isPaused |= kept >= MOST_KEPT;
        return !isPaused;
    }

    /** Marks the body as complete. */
    synchronized void complete() {
        isComplete = true;
        notifyAll();
    }

    /** Ends an incomplete body. */
    synchronized void fail(IOException reason) {
        if (failure == null && !isComplete) {
            failure = reason;
            parts.clear();
            kept = 0;
            notifyAll();
        }
    }

    /** Returns whether it can be read for a while without waiting. */
    synchronized boolean isReadable() {
        return isComplete || failure != null || kept >= FEW_KEPT;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] bytes, int from, int most) throws IOException {
        Objects.checkFromIndexSize(from, most, bytes.length);
        if (most == 0) {
            return 0;
        }
        while (parts.isEmpty()) {
            if (failure != null) {
                throw failure;
            }
            if (isComplete) {
                return -1;
            }
            long left = Duration.between(clock.instant(), end).toMillis();
            if (left <= 0) {
                throw new IOException("body (expected: all of it in time)");
            }
            clientWait.begin();
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("the server stops", e);
            } finally {
                clientWait.end();
            }
        }
        byte[] first = parts.element();
        int count = Math.min(most, first.length - at);
        System.arraycopy(first, at, bytes, from, count);
        at += count;
        kept -= count;
        if (at == first.length) {
            parts.remove();
            at = 0;
        }
        if (isPaused && kept < FEW_KEPT) {
            isPaused = false;
            more.run();
        }
        return count;
    }
}
