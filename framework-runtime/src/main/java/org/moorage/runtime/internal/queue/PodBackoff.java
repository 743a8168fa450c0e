// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * The backoff of a pod or a group after failed attempts, which doubles with each one, up to a limit.
 *
 * <p>As in kube-scheduler, ends are truncated to whole windows and compared with the current window, so with a window
 * of a second a pod may wait up to a second more or less.
 *
 * @param initial the backoff after the first failure
 * @param max the maximum backoff; zero for no backoff
 * @param window the unit to which ends are truncated
 */
record PodBackoff(Duration initial, Duration max, ChronoUnit window) {
    /** The end of backoff of a pod without backoff. */
    static final Instant NONE = Instant.MIN;

    /**
     * Returns the duration of the backoff.
     *
     * @param pods the number of pods that back off together; the limit grows with its square root
     */
    Duration after(int failures, int pods) {
        long first = TimeUnit.NANOSECONDS.convert(initial);
        long limit = TimeUnit.NANOSECONDS.convert(max);
        if (pods > 1) {
            limit = (long) (limit * Math.sqrt(pods));
        }
        // Shifts the limit instead of the first backoff, which could overflow; in Java a shift by 64 has no effect.
        int doublings = Math.min(failures - 1, Long.SIZE - 1);
        return Duration.ofNanos(first > limit >> doublings ? limit : first << doublings);
    }

    /**
     * Returns the end of a backoff that starts now, after a number of failures, for a number of pods that back off
     * together.
     */
    Instant end(Instant now, int failures, int pods) {
        return failures == 0 || max.isZero() ? NONE : toWindow(now.plus(after(failures, pods)));
    }

    /** Returns whether a backoff with this end is still active. It includes the window of its end. */
    boolean lasts(Instant end, Instant now) {
        return !end.isBefore(toWindow(now));
    }

    /** Returns the first instant at which a backoff with this end no longer lasts. */
    Instant completion(Instant end) {
        return end.plus(1, window);
    }

    private Instant toWindow(Instant time) {
        return time.truncatedTo(window);
    }
}
