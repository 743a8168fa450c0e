// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Signals all threads of a cluster that it is closed, and ends their waits. */
final class StopSignal {
    private final CountDownLatch sent = new CountDownLatch(1);

    void send() {
        sent.countDown();
    }

    boolean isSent() {
        return sent.getCount() == 0;
    }

    /** Waits for the signal. Returns true if it was sent or the thread is interrupted, false after the given time. */
    boolean isSentWithin(Duration time) {
        try {
            return sent.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
