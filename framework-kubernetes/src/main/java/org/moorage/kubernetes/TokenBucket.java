// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A rate limit for requests: a burst without waiting, then a fixed number per second. */
final class TokenBucket {
    private final double perSecond;
    private final int burst;
    private final InstantSource clock;

    @GuardedBy("this")
    private double tokens;

    @GuardedBy("this")
    private Instant filled;

    /** Creates a full bucket. A rate of 0 or less means no limit. The clock must be monotonic. */
    TokenBucket(double perSecond, int burst, InstantSource clock) {
        this.perSecond = perSecond;
        this.burst = Math.max(1, burst);
        this.clock = clock;
        tokens = this.burst;
        filled = clock.instant();
    }

    /** Takes a token, and returns how long the caller must wait until it is available. */
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
