// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * A clock that is never set: it goes on from the time of day at which it was made. Whatever measures a time reads it, and only what
 * others read is written with the time of day.
 */
public final class MonotonicClock implements InstantSource {
    private static final MonotonicClock SYSTEM =
            new MonotonicClock(InstantSource.system().instant(), System::nanoTime);

    private final Instant start;
    private final LongSupplier nanoTime;
    private final long startNanos;

    /**
     * A clock.
     *
     * @param start the time now
     * @param nanoTime how many nanoseconds have passed since any moment, such as {@link System#nanoTime}
     */
    public MonotonicClock(Instant start, LongSupplier nanoTime) {
        this.start = Objects.requireNonNull(start, "start");
        this.nanoTime = Objects.requireNonNull(nanoTime, "nanoTime");
        startNanos = nanoTime.getAsLong();
    }

    /** The clock of the process. There is one, so that times that different parts of it have measured can be compared. */
    public static InstantSource system() {
        return SYSTEM;
    }

    @Override
    public Instant instant() {
        return start.plusNanos(nanoTime.getAsLong() - startNanos);
    }
}
