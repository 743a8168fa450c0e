// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Snapshot;
import org.moorage.runtime.internal.cache.ClusterSnapshot;

/** The one snapshot of a scheduler, which one cycle or evaluation uses at a time. Between them it is brought up to date in place. */
final class CycleSnapshot {
    private final Object lock = new Object();
    private final SchedulerThreads threads;
    // Changed under the lock only, by the thread that uses it.
    private final ClusterSnapshot snapshot = new ClusterSnapshot();
    private volatile @Nullable Thread user;

    CycleSnapshot(SchedulerThreads threads) {
        this.threads = threads;
    }

    /** Does some work with the snapshot, as soon as nobody else uses it. */
    <T> T use(Function<ClusterSnapshot, T> work) {
        synchronized (lock) {
            Thread before = user;
            user = Thread.currentThread();
            try {
                return work.apply(snapshot);
            } finally {
                user = before;
            }
        }
    }

    /**
     * The snapshot, for the thread that uses it and the workers that it has.
     *
     * @throws IllegalStateException on any other thread
     */
    Snapshot current() {
        Thread running = user;
        if (running != Thread.currentThread() && (running == null || !threads.isWorker())) {
            throw new IllegalStateException("snapshot: read on thread "
                    + Thread.currentThread().getName() + " (expected: a thread of the running scheduling cycle)");
        }
        return snapshot;
    }
}
