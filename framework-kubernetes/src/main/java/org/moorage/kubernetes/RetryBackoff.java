// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The wait before a retry: it doubles after each failure, and a random part of up to the same length is added, so that
 * many clients do not retry at the same time. The longest wait is shortened by up to a quarter.
 *
 * @param initial the wait after the first failure, without the random part
 * @param max the longest wait
 */
public record RetryBackoff(Duration initial, Duration max) {
    private static final int MOST_DOUBLINGS = 20;

    /** Checks the durations. */
    public RetryBackoff {
        if (initial.isNegative() || initial.isZero() || max.compareTo(initial) < 0) {
            throw new IllegalArgumentException(
                    "backoff: " + initial + " to " + max + " (expected: above 0, and initial no longer than max)");
        }
    }

    /** Returns the wait after the given number of consecutive failures. */
    Duration after(int failures, RandomGenerator random) {
        double doubled = initial.toNanos() * (double) (1L << Math.min(failures - 1, MOST_DOUBLINGS));
        double nanos = doubled * (1 + random.nextDouble());
        double longest = max.toNanos() * (1 - random.nextDouble() / 4);
        return Duration.ofNanos((long) Math.min(nanos, longest));
    }
}
