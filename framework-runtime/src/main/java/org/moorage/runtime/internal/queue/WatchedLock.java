// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The queue's lock, under which plugins are called. It tells who holds it, so that a call that does not return can be noticed. */
final class WatchedLock extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    // Written by the thread that holds the lock.
    private volatile long acquisitions;

    @Override
    public void lock() {
        super.lock();
        acquired();
    }

    /** To be called also after a wait, in which the lock was given away. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread holds the lock
    void acquired() {
        acquisitions++;
    }

    /** How often the lock was taken: a new number for each time. */
    long acquisitions() {
        return acquisitions;
    }

    /** The thread that holds the lock, or null. */
    @Nullable
    Thread holder() {
        return getOwner();
    }
}
