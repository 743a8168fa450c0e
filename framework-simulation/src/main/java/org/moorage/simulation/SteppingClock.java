// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Time that passes only by being asked for, so that each run of a simulation is the same. Two pods never come at the same
 * time, which keeps those of equal priority in order.
 */
public final class SteppingClock implements InstantSource {
    private static final long STEP_NANOS = 1_000;

    private final Instant start;
    private final AtomicLong steps = new AtomicLong();

    /** A clock that first shows this time. */
    public SteppingClock(Instant start) {
        this.start = start;
    }

    @Override
    public Instant instant() {
        return start.plusNanos(steps.getAndIncrement() * STEP_NANOS);
    }
}
