// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * How long a pod or a group backs off after failed attempts: twice as long after each, up to a limit.
 *
 * <p>Ends are cut to whole windows, and compared with the current one, as kube-scheduler does; so with a window of a second a
 * pod may wait up to a second more or less.
 *
 * @param initial after the first failure
 * @param max at most; zero for no backoff at all
 * @param window what divides a second
 */
record PodBackoff(Duration initial, Duration max, ChronoUnit window) {
    /** The end of the backoff of a pod that has none. */
    static final Instant NONE = Instant.MIN;

    /**
     * How long it lasts.
     *
     * @param pods how many pods back off as one: the limit grows with the square root of their number
     */
    Duration after(int failures, int pods) {
        long first = TimeUnit.NANOSECONDS.convert(initial);
        long limit = TimeUnit.NANOSECONDS.convert(max);
        if (pods > 1) {
            limit = (long) (limit * Math.sqrt(pods));
        }
        // The limit is shifted rather than the first wait, which could overflow; a shift by 64 would be none in Java.
        int doublings = Math.min(failures - 1, Long.SIZE - 1);
        return Duration.ofNanos(first > limit >> doublings ? limit : first << doublings);
    }

    /** When the backoff is over that starts now, after so many failures of so many pods as one. */
    Instant end(Instant now, int failures, int pods) {
        return failures == 0 || max.isZero() ? NONE : toWindow(now.plus(after(failures, pods)));
    }

    /** Whether a backoff with this end still lasts. The window of its end counts as part of it. */
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
