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
 * The memory of all concurrent requests to extender agents: received bodies, the objects that plugins see, and
 * responses. Memory is reserved before it is used, so that an excessive request is rejected while there is still room.
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

    /** The number of requests that hold memory. */
    @GuardedBy("lock")
    private int holders;

    /** The number of requests that hold memory and wait for more. */
    @GuardedBy("lock")
    private int waiting;

    private RequestMemory(long bytes, InstantSource clock) {
        this.bytes = bytes;
        this.clock = clock;
    }

    /**
     * Returns three quarters of the maximum heap. The counts are upper bounds; the rest of the heap is for everything
     * else.
     */
    public static RequestMemory ofHeap() {
        return new RequestMemory(Runtime.getRuntime().maxMemory() / 4 * 3, MonotonicClock.system());
    }

    /** Returns the given number of bytes. */
    public static RequestMemory of(long bytes) {
        return of(bytes, MonotonicClock.system());
    }

    static RequestMemory of(long bytes, InstantSource clock) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: more than zero)");
        }
        return new RequestMemory(bytes, clock);
    }

    /** Returns the number of reserved bytes. */
    public long taken() {
        lock.lock();
        try {
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Thrown if there is no memory for a request, either now or in principle. */
    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;

        private RefusedException(int status, String message) {
            super(message, null, false, false);
            this.status = status;
        }

        /** Returns the HTTP status for the failure. */
        int status() {
            return status;
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }

    /**
     * Starts a request, which holds no memory yet.
     *
     * @param atMost how long it may wait for memory in total
     */
    Use use(Duration atMost) {
        return new Use(clock.instant().plus(atMost));
    }

    /** The memory of one request, released when all of its users have closed it. */
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
         * Fails if a request of this length does not fit into the memory even on its own.
         *
         * @throws RefusedException if the length exceeds the memory
         */
        void expect(long length) {
            if (length > bytes) {
                throw tooLarge();
            }
        }

        /** Returns this, with one more user, who must close it. */
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
         * @throws RefusedException if there is no room, and none is released in time
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
                        // If every request that holds memory waits for more, none would ever release any.
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

        /** Ends one use; the last one releases the memory. */
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
