// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The queue's lock, under which plugins are called. It exposes its holder, so that calls that do not return can be
 * detected.
 */
final class WatchedLock extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    // Written by the thread that holds the lock.
    private volatile long acquisitions;

    @Override
    public void lock() {
        super.lock();
        acquired();
    }

    /** Must also be called after a wait, which releases and reacquires the lock. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread holds the lock
    void acquired() {
        acquisitions++;
    }

    long acquisitions() {
        return acquisitions;
    }

    @Nullable
    Thread holder() {
        return getOwner();
    }
}
