// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long the thread that works on a request has waited for the client: for the rest of a body, or until the
 * client receives the response.
 */
final class ClientWait {
    private final InstantSource clock;
    private Duration before = Duration.ZERO;
    /** When the thread started to wait; null while it does not wait. */
    private @Nullable Instant start;

    ClientWait(InstantSource clock) {
        this.clock = clock;
    }

    synchronized void begin() {
        start = clock.instant();
    }

    synchronized void end() {
        before = total();
        start = null;
    }

    /** Returns whether the thread is waiting, and has waited longer than the given time in total. */
    synchronized boolean isLongerThan(Duration time) {
        return start != null && total().compareTo(time) > 0;
    }

    private Duration total() {
        Instant began = start;
        return began == null ? before : before.plus(Duration.between(began, clock.instant()));
    }
}
