// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * A rate limit of pods that are popped before the end of their backoff and rejected again. If events arrive faster than
 * pods are tried, each event would otherwise retry the same pods and saturate the CPU; with the limit, one retry covers
 * all events that arrive during the backoff. Pods that are scheduled do not count, so a pod that became schedulable by
 * an event does not wait unless many others are rejected.
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
     * Creates a limit with its full budget.
     *
     * @param perSecond the maximum number of rejections per second; 0 for no limit
     * @param clock for durations
     */
    EarlyPops(int perSecond, InstantSource clock) {
        this.perSecond = perSecond;
        this.clock = clock;
        left = perSecond;
        refilled = clock.instant();
    }

    /** Returns the nanoseconds until another pod may be popped early; zero or less if it may be popped now. */
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

    /** Records that a pod that was popped early was rejected. */
    void rejected() {
        left = Math.max(0, left - 1);
    }
}
