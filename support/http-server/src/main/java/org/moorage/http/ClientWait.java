// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.time.Duration;

/** How long the thread that works on a request has waited for its client: for the rest of a body, or until a response is taken. */
final class ClientWait {
    private long before;
    private long start;
    private boolean isWaiting;

    synchronized void begin() {
        start = System.nanoTime();
        isWaiting = true;
    }

    synchronized void end() {
        if (isWaiting) {
            before += System.nanoTime() - start;
            isWaiting = false;
        }
    }

    /** Whether the thread waits now, and has waited for longer than this in all. */
    synchronized boolean isLongerThan(Duration time) {
        return isWaiting && before + System.nanoTime() - start > time.toNanos();
    }
}
