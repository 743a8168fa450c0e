// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.config.LeaderElection;
import org.moorage.kubernetes.ApiRequests;

/**
 * A Lease as the lock that candidates compete for. Keeps the object's other fields, such as a preferred holder. For use
 * by one thread.
 */
public final class LeaseLock {
    private static final DateTimeFormatter MICRO_TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final String namespace;
    private final String name;
    private final LeaseServer server;
    private ObjectNode last;

    LeaseLock(String namespace, String name, LeaseServer server) {
        this.namespace = namespace;
        this.name = name;
        this.server = server;
        last = empty();
    }

    /**
     * Creates the lock of the Lease that the settings name.
     *
     * @param requests a connection to the server of the Lease
     */
    public static LeaseLock of(ApiRequests requests, LeaderElection settings) {
        return new LeaseLock(
                settings.resourceNamespace(),
                settings.resourceName(),
                new ApiLeaseServer(requests, settings, "", InstantSource.system()));
    }

    private ObjectNode empty() {
        ObjectNode lease = JsonNodeFactory.instance.objectNode();
        lease.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
        lease.putObject("metadata").put("name", name).put("namespace", namespace);
        return lease;
    }

    /**
     * Returns the current record; empty if there is no Lease.
     *
     * @throws ClusterException if the server does not return it in time
     */
    public Optional<LeaderElectionRecord> get(Duration atMost) {
        Optional<ObjectNode> lease = server.get(atMost);
        lease.ifPresent(found -> last = found);
        return lease.map(LeaseLock::record);
    }

    /**
     * Creates the Lease.
     *
     * @throws ClusterException if the server does not create it in time
     */
    public void create(LeaderElectionRecord record, Duration atMost) {
        last = server.create(with(empty(), record), atMost);
    }

    /**
     * Replaces the record, unless another client has changed the Lease since it was last read or written here.
     *
     * @throws ClusterException if the server does not replace it in time
     */
    public void update(LeaderElectionRecord record, Duration atMost) {
        last = server.replace(with(last.deepCopy(), record), atMost);
    }

    /** Reports an event about the Lease. */
    void event(String message, Duration atMost) {
        server.event(last, message, atMost);
    }

    private static LeaderElectionRecord record(ObjectNode lease) {
        JsonNode spec = lease.path("spec");
        return new LeaderElectionRecord(
                spec.path("holderIdentity").asText(""),
                spec.path("leaseDurationSeconds").asInt(0),
                time(spec.path("acquireTime")),
                time(spec.path("renewTime")),
                spec.path("leaseTransitions").asInt(0));
    }

    private static Instant time(JsonNode value) {
        try {
            return value.isTextual() ? Instant.parse(value.textValue()) : Instant.EPOCH;
        } catch (DateTimeParseException unreadable) {
            // Another component's format. A holder is judged by when its record was seen to change, not by its
            // timestamps.
            return Instant.EPOCH;
        }
    }

    private static ObjectNode with(ObjectNode lease, LeaderElectionRecord record) {
        lease.withObjectProperty("spec")
                .put("holderIdentity", record.holderIdentity())
                .put("leaseDurationSeconds", record.leaseDurationSeconds())
                .put("acquireTime", MICRO_TIME.format(record.acquireTime()))
                .put("renewTime", MICRO_TIME.format(record.renewTime()))
                .put("leaseTransitions", record.leaderTransitions());
        return lease;
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
