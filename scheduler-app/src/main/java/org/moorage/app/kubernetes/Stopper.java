// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tells all who work for a cluster that it is closed, and wakes those who pause. */
final class Stopper {
    private final CountDownLatch stopped = new CountDownLatch(1);

    void stop() {
        stopped.countDown();
    }

    boolean isStopped() {
        return stopped.getCount() == 0;
    }

    /** Waits, and returns true early if it is time to stop, or the thread is interrupted. */
    boolean stopsWithin(Duration pause) {
        try {
            return stopped.await(pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
