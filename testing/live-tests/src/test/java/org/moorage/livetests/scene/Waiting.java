// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits in real time for what other processes do. */
public final class Waiting {
    /** Only so that a broken test ends. */
    public static final Duration LIMIT = Duration.ofMinutes(3);

    private static final Duration STEP = Duration.ofMillis(50);

    private Waiting() {}

    public static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** As {@link #until(Duration, BooleanSupplier)} within {@link #LIMIT}. */
    public static Duration until(BooleanSupplier condition) {
        return until(LIMIT, condition);
    }

    /** Returns how long it took until a condition held; after the limit it returns a longer time. */
    public static Duration until(Duration limit, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (true) {
            if (condition.getAsBoolean()) {
                return Duration.ofNanos(System.nanoTime() - start);
            }
            Duration waited = Duration.ofNanos(System.nanoTime() - start);
            if (waited.compareTo(limit) > 0) {
                return waited;
            }
            pause(STEP);
        }
    }

    /**
     * Waits until a state is as awaited, and returns it.
     *
     * @param what the awaited state, for the failure
     * @param logs where to look if it never comes
     */
    public static <T> T await(String what, Supplier<T> look, Predicate<? super T> condition, Supplier<?> logs) {
        long end = System.nanoTime() + LIMIT.toNanos();
        for (T seen = look.get(); ; seen = look.get()) {
            if (condition.test(seen)) {
                return seen;
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + LIMIT.toMinutes() + " minutes: " + what + "; last seen: "
                        + seen + "; logs: " + logs.get());
            }
            pause(STEP);
        }
    }
}
