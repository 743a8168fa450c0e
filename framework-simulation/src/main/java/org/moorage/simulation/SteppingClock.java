// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.moorage.api.model.ClusterObject;

/**
 * A clock that advances by a microsecond each time it is read, so that each run of a simulation is the same. No two pods are
 * added to the queue at the same time, which keeps pods of equal priority in order.
 */
public final class SteppingClock implements InstantSource {
    private static final long STEP_NANOS = 1_000;

    private final Instant start;
    private final AtomicLong nanos = new AtomicLong();

    private SteppingClock(Instant start) {
        this.start = start;
    }

    /** A clock that starts when the newest of these objects was created. */
    public static SteppingClock startingAfter(Collection<? extends ClusterObject> objects) {
        Objects.requireNonNull(objects, "objects");
        Instant newest = Instant.EPOCH;
        for (ClusterObject object : objects) {
            Instant created = object.metadata().creationTimestamp().orElse(Instant.EPOCH);
            newest = created.isAfter(newest) ? created : newest;
        }
        return new SteppingClock(newest);
    }

    @Override
    public Instant instant() {
        return start.plusNanos(nanos.getAndAdd(STEP_NANOS));
    }

    /** Has so much time pass. */
    public void advance(Duration time) {
        Objects.requireNonNull(time, "time");
        nanos.addAndGet(time.toNanos());
    }
}
