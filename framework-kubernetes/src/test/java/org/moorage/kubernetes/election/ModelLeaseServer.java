// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.moorage.api.plugin.cluster.ClusterException;

/** As much of an API server as keeps one Lease, with versions and conflicts, and two clocks that are set by hand. */
final class ModelLeaseServer implements LeaseServer, InstantSource, LongSupplier {
    /** The outcome of a request. */
    enum Answer {
        NORMAL,
        /** Nothing is done. */
        FAILURE,
        /** A change is made, and the response is lost. */
        LOST
    }

    final List<String> events = new ArrayList<>();
    Answer answer = Answer.NORMAL;
    Duration latency = Duration.ZERO;
    private Instant wallClock = Instant.parse("2026-04-12T10:00:00Z");
    private long nanos = 12345;
    private long version;
    private Optional<ObjectNode> lease = Optional.empty();

    @Override
    public Instant instant() {
        return wallClock;
    }

    @Override
    public long getAsLong() {
        return nanos;
    }

    void pass(Duration time) {
        nanos += time.toNanos();
        wallClock = wallClock.plus(time);
    }

    void setWallClock(Instant time) {
        wallClock = time;
    }

    ObjectNode lease() {
        return lease.orElseThrow().deepCopy();
    }

    void put(ObjectNode changed) {
        ObjectNode stored = changed.deepCopy();
        stored.withObjectProperty("metadata").put("resourceVersion", String.valueOf(++version));
        lease = Optional.of(stored);
    }

    void delete() {
        lease = Optional.empty();
    }

    private void fail(Answer when) {
        pass(latency);
        if (answer == when) {
            throw new ClusterException("lease: no answer", 0, null);
        }
    }

    @Override
    public Optional<ObjectNode> get(Duration atMost) {
        fail(Answer.FAILURE);
        return lease.map(ObjectNode::deepCopy);
    }

    @Override
    public ObjectNode create(ObjectNode created, Duration atMost) {
        fail(Answer.FAILURE);
        if (lease.isPresent()) {
            throw new ClusterException("lease: 409 AlreadyExists", 409, null);
        }
        put(created);
        fail(Answer.LOST);
        return lease();
    }

    @Override
    public ObjectNode replace(ObjectNode replacement, Duration atMost) {
        fail(Answer.FAILURE);
        if (lease.isEmpty()) {
            throw new ClusterException("lease: 404 NotFound", 404, null);
        }
        if (!lease().path("metadata")
                .path("resourceVersion")
                .equals(replacement.path("metadata").path("resourceVersion"))) {
            throw new ClusterException("lease: 409 Conflict", 409, null);
        }
        put(replacement);
        fail(Answer.LOST);
        return lease();
    }

    @Override
    public void event(ObjectNode about, String message, Duration atMost) {
        fail(Answer.FAILURE);
        events.add(message);
    }
}
