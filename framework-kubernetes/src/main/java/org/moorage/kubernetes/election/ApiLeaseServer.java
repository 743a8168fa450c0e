// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.moorage.config.LeaderElection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.objects.tree.ObjectTrees;

/** A Lease of an API server. */
final class ApiLeaseServer implements LeaseServer {
    private final ApiRequests requests;
    private final String namespace;
    private final String name;
    private final String component;
    private final InstantSource clock;
    private final String leases;

    /**
     * Creates a client of the Lease that the settings name.
     *
     * @param component the component that reports events
     */
    ApiLeaseServer(ApiRequests requests, LeaderElection settings, String component, InstantSource clock) {
        this.requests = requests;
        namespace = settings.resourceNamespace();
        name = settings.resourceName();
        this.component = component;
        this.clock = clock;
        leases = "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases";
    }

    private String what(String verb) {
        return verb + " lease " + namespace + "/" + name;
    }

    @Override
    public Optional<ObjectNode> get(Duration atMost) {
        return requests.get(what("get"), leases + "/" + name, atMost).map(ObjectTrees::of);
    }

    @Override
    public ObjectNode create(ObjectNode lease, Duration atMost) {
        return ObjectTrees.of(requests.create(what("create"), leases, lease.toString(), atMost));
    }

    @Override
    public ObjectNode replace(ObjectNode lease, Duration atMost) {
        return ObjectTrees.of(requests.replace(what("update"), leases + "/" + name, lease.toString(), atMost));
    }

    // In the core group, like kube-scheduler's events.
    @Override
    public void event(ObjectNode lease, String message, Duration atMost) {
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode event = JsonNodeFactory.instance.objectNode();
        event.put("apiVersion", "v1").put("kind", "Event");
        event.putObject("metadata")
                .put("name", name + "." + Long.toHexString(ChronoUnit.NANOS.between(Instant.EPOCH, clock.instant())))
                .put("namespace", namespace);
        JsonNode metadata = lease.path("metadata");
        event.putObject("involvedObject")
                .put("apiVersion", "coordination.k8s.io/v1")
                .put("kind", "Lease")
                .put("name", name)
                .put("namespace", namespace)
                .put("resourceVersion", metadata.path("resourceVersion").asText(""))
                .put("uid", metadata.path("uid").asText(""));
        event.put("reason", "LeaderElection")
                .put("message", message)
                .put("type", "Normal")
                .put("count", 1)
                .put("firstTimestamp", now)
                .put("lastTimestamp", now)
                .put("reportingComponent", component)
                .put("reportingInstance", "");
        event.putObject("source").put("component", component);
        String ignored = requests.create(
                "report event", "/api/v1/namespaces/" + namespace + "/events", event.toString(), atMost);
    }
}
