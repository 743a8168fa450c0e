// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * Limits how many pods are popped before the end of their backoff only to be rejected again. Where events come faster than pods are tried,
 * each event would otherwise have the same pods tried once more, as fast as the processor can; so those events are joined that come while
 * the pods back off. Pods that find a node do not count, so a pod that an event has freed does not wait unless many others are
 * rejected.
 *
 * <p>Guarded by the queue's lock.
 */
final class EarlyPops {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int perSecond;
    private final InstantSource clock;
    private double left;
    private Instant refilled;

    /**
     * As many as may be rejected in a second are left.
     *
     * @param perSecond how many may be rejected; 0 for any number
     * @param clock measures
     */
    EarlyPops(int perSecond, InstantSource clock) {
        this.perSecond = perSecond;
        this.clock = clock;
        left = perSecond;
        refilled = clock.instant();
    }

    /** How long until one more pod may be popped early; zero or less if it may be now. */
    long nanosToNext() {
        if (perSecond == 0) {
            return 0;
        }
        Instant now = clock.instant();
        Duration passed = Duration.between(refilled, now);
        refilled = now;
        left = Math.min(perSecond, left + passed.toNanos() / NANOS * perSecond);
        return (long) Math.ceil((1 - left) / perSecond * NANOS);
    }

    /** A pod that was popped early has been rejected. */
    void rejected() {
        left = Math.max(0, left - 1);
    }
}
