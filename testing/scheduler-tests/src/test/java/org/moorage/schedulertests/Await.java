// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** Waits for what other threads do. */
public final class Await {
    // Only so that a broken test ends.
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(5);
    // The time that passes between two looks: a few looks to the limit of a call, and some hundred to the longest
    // backoff.
    private static final Duration PASSING = Duration.ofMillis(30);

    private Await() {}

    /**
     * Waits until a condition holds, and fails if it never does.
     *
     * @param what describes the condition in the failure
     */
    public static void until(String what, BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime();
        CountDownLatch never = new CountDownLatch(1);
        while (!condition.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as(what).isLessThan(LIMIT);
            assertThat(never.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
        }
    }

    /**
     * Lets the time of a clock pass until a condition holds. It stands still before and after that, so that a slow
     * machine makes no call overdue.
     */
    public static void passTimeUntil(AtomicReference<Instant> now, String what, BooleanSupplier condition)
            throws InterruptedException {
        until(what, () -> {
            now.updateAndGet(time -> time.plus(PASSING));
            return condition.getAsBoolean();
        });
    }
}
