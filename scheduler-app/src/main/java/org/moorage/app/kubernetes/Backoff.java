// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait after a failure: twice as long after each further one, with up to as much again by chance, so that
 * many clients do not come back at once.
 *
 * @param first the wait after the first failure, without chance
 * @param longest the longest wait
 */
public record Backoff(Duration first, Duration longest) {
    private static final int MOST_DOUBLINGS = 20;

    /** Checks the durations. */
    public Backoff {
        if (first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("backoff: " + first + " to " + longest
                    + " (expected: above 0, and the first no longer than the longest)");
        }
    }

    /** The wait after so many failures in a row. */
    Duration after(int failures, RandomGenerator random) {
        double doubled = first.toNanos() * (double) (1L << Math.min(failures - 1, MOST_DOUBLINGS));
        double nanos = doubled * (1 + random.nextDouble());
        return nanos < longest.toNanos() ? Duration.ofNanos((long) nanos) : longest;
    }
}
