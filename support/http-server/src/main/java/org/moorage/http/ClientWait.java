// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** How long the thread that works on a request has waited for its client: for the rest of a body, or until a response is taken. */
final class ClientWait {
    private final InstantSource clock;
    private Duration before = Duration.ZERO;
    /** When the thread began to wait; null while it does not. */
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

    /** Whether the thread waits now, and has waited for longer than this in all. */
    synchronized boolean isLongerThan(Duration time) {
        return start != null && total().compareTo(time) > 0;
    }

    private Duration total() {
        Instant began = start;
        return began == null ? before : before.plus(Duration.between(began, clock.instant()));
    }
}
