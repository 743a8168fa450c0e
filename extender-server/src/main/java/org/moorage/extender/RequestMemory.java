// SPDX-License-Identifier: Apache-2.0
package org.moorage.extender;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.moorage.runtime.MonotonicClock;

/**
 * The memory that requests to extender agents take, all of them together: what has come of their bodies, the objects that plugins see, and what is
 * sent back. It is counted before it is used, so that a request that would be too much is refused while there is still room.
 */
public final class RequestMemory {
    private static final int TOO_LARGE = 413;
    private static final int BUSY = 503;
    private static final int MEGABYTE_SHIFT = 20;

    private final long bytes;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition givenBack = lock.newCondition();

    @GuardedBy("lock")
    private long taken;

    /** The requests that have taken some. */
    @GuardedBy("lock")
    private int holders;

    /** Those of them that wait for more. */
    @GuardedBy("lock")
    private int waiting;

    private RequestMemory(long bytes, InstantSource clock) {
        this.bytes = bytes;
        this.clock = clock;
    }

    /** Three quarters of the largest heap that this process may have: the counts are upper bounds, and the rest is for everything else. */
    public static RequestMemory ofHeap() {
        return new RequestMemory(Runtime.getRuntime().maxMemory() / 4 * 3, MonotonicClock.system());
    }

    /** So many bytes. */
    public static RequestMemory of(long bytes) {
        return of(bytes, MonotonicClock.system());
    }

    static RequestMemory of(long bytes, InstantSource clock) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: more than zero)");
        }
        return new RequestMemory(bytes, clock);
    }

    /** How many bytes are taken. */
    public long taken() {
        lock.lock();
        try {
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** There is no room for a request, not now or not at all. */
    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;

        private RefusedException(int status, String message) {
            super(message, null, false, false);
            this.status = status;
        }

        /** The HTTP status that says so. */
        int status() {
            return status;
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }

    /**
     * Begins a request, which has taken nothing yet.
     *
     * @param atMost how long it may wait for others, all in all
     */
    Use use(Duration atMost) {
        return new Use(clock.instant().plus(atMost));
    }

    /** What one request takes, given back when all who use it have closed it. */
    final class Use implements ExtenderRequest.Memory, AutoCloseable {
        private final Instant end;

        @GuardedBy("lock")
        private long held;

        @GuardedBy("lock")
        private int users = 1;

        private Use(Instant end) {
            this.end = end;
        }

        /**
         * Fails if that much would be too much for a request that has all memory for itself.
         *
         * @throws RefusedException if it is
         */
        void expect(long length) {
            if (length > bytes) {
                throw tooLarge();
            }
        }

        /** One more uses it, and will close it. */
        Use shared() {
            lock.lock();
            try {
                users++;
                return this;
            } finally {
                lock.unlock();
            }
        }

        /**
         * {@inheritDoc}
         *
         * @throws RefusedException if there is no room for it, and none is given back in time
         */
        @Override
        public void take(long count) {
            lock.lock();
            try {
                if (count > bytes - held) {
                    throw tooLarge();
                }
                boolean isHolder = held > 0;
                waiting += isHolder ? 1 : 0;
                try {
                    while (count > bytes - taken) {
                        long left = Duration.between(clock.instant(), end).toNanos();
                        // Where all that have some wait for more, nobody would ever give anything back.
                        if (left <= 0 || holders <= waiting) {
                            throw new RefusedException(
                                    BUSY, "other requests have the memory (expected: fewer of this size at a time)");
                        }
                        givenBack.awaitNanos(left);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new RefusedException(BUSY, "the extender stops");
                } finally {
                    waiting -= isHolder ? 1 : 0;
                }
                taken += count;
                if (held == 0 && count > 0) {
                    holders++;
                }
                held += count;
            } finally {
                lock.unlock();
            }
        }

        private RefusedException tooLarge() {
            return new RefusedException(
                    TOO_LARGE,
                    "request that takes more than " + (bytes >> MEGABYTE_SHIFT)
                            + " MB of memory (expected: a smaller one, or a larger heap)");
        }

        @Override
        public void giveBack(long count) {
            lock.lock();
            try {
                taken -= count;
                held -= count;
                if (held == 0 && count > 0) {
                    holders--;
                }
                givenBack.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** The user has done with it. */
        @Override
        public void close() {
            lock.lock();
            try {
                users--;
                if (users == 0) {
                    giveBack(held);
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
