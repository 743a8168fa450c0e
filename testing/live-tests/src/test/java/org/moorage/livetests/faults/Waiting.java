// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits in real time, since what is waited for are other processes. */
public final class Waiting {
    private static final Duration STEP = Duration.ofMillis(50);

    private Waiting() {}

    public static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** How long it took until something was so; after the limit it is given up, and the answer is longer than that. */
    public static Duration until(Duration limit, BooleanSupplier isSo) {
        long start = System.nanoTime();
        while (true) {
            if (isSo.getAsBoolean()) {
                return Duration.ofNanos(System.nanoTime() - start);
            }
            Duration waited = Duration.ofNanos(System.nanoTime() - start);
            if (waited.compareTo(limit) > 0) {
                return waited;
            }
            pause(STEP);
        }
    }
}
