// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** Limits how many requests are sent: a burst at once, and after that so many a second. */
final class TokenBucket {
    private final double perSecond;
    private final int burst;
    private final InstantSource clock;

    @GuardedBy("this")
    private double tokens;

    @GuardedBy("this")
    private Instant filled;

    /** A full bucket. A rate of 0 or less is no limit. The clock measures, and never goes back. */
    TokenBucket(double perSecond, int burst, InstantSource clock) {
        this.perSecond = perSecond;
        this.burst = Math.max(1, burst);
        this.clock = clock;
        tokens = this.burst;
        filled = clock.instant();
    }

    /** Takes a token, and says how long the caller must wait until it has come. */
    synchronized Duration take() {
        if (perSecond <= 0) {
            return Duration.ZERO;
        }
        Instant now = clock.instant();
        double elapsed = Duration.between(filled, now).toNanos() / 1e9;
        filled = now;
        tokens = Math.min(burst, tokens + elapsed * perSecond) - 1;
        return tokens >= 0 ? Duration.ZERO : Duration.ofNanos((long) (-tokens / perSecond * 1e9));
    }
}
