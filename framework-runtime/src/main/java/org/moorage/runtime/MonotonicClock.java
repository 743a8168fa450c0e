// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * A monotonic clock that starts at the time of day of its creation and is never adjusted. Durations are measured with
 * it; only times that other programs read are written with the time of day.
 */
public final class MonotonicClock implements InstantSource {
    private static final MonotonicClock SYSTEM =
            new MonotonicClock(InstantSource.system().instant(), System::nanoTime);

    private final Instant start;
    private final LongSupplier nanoTime;
    private final long startNanos;

    /**
     * Creates a clock.
     *
     * @param start the current time
     * @param nanoTime the nanoseconds since an arbitrary origin, such as {@link System#nanoTime}
     */
    public MonotonicClock(Instant start, LongSupplier nanoTime) {
        this.start = Objects.requireNonNull(start, "start");
        this.nanoTime = Objects.requireNonNull(nanoTime, "nanoTime");
        startNanos = nanoTime.getAsLong();
    }

    /**
     * Returns the clock of the process. It is shared, so that times measured by different components can be compared.
     */
    public static InstantSource system() {
        return SYSTEM;
    }

    @Override
    public Instant instant() {
        return start.plusNanos(nanoTime.getAsLong() - startNanos);
    }
}
