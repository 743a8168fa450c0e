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

/** A body that the connection brings and a handler reads. It keeps the bytes that have come and have not been read, up to a limit. */
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
     * A body of which nothing has come.
     *
     * @param mostBytes how long it may be
     * @param end when it must have come
     * @param clock the server's clock
     * @param clientWait measures how long the reading thread waits for the client
     * @param more makes the connection read on
     */
    RequestBody(long mostBytes, Instant end, InstantSource clock, ClientWait clientWait, Runnable more) {
        this.mostBytes = mostBytes;
        this.end = end;
        this.clock = clock;
        this.clientWait = clientWait;
        this.more = more;
    }

    /** Takes a part in; false if no more is to be brought for now. */
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
        // Bytes that were on their way when it was paused still come; only the reader ends the pause.
        isPaused |= kept >= MOST_KEPT;
        return !isPaused;
    }

    /** All of it has come. */
    synchronized void complete() {
        isComplete = true;
        notifyAll();
    }

    /** No more of it comes. */
    synchronized void fail(IOException reason) {
        if (failure == null && !isComplete) {
            failure = reason;
            parts.clear();
            kept = 0;
            notifyAll();
        }
    }

    /** Whether it can be read for a while without waiting. */
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
