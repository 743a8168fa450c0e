// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.Nomination;

/** Sends changes of pods to the API server. Reads at most the resource version from a successful response. */
final class PodWrites {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String BINDING = "pod_binding";
    private static final String STATUS_PATCH = "pod_status_patch";
    private static final int MOST_BINDING_TRIES = 4;
    private static final Duration FIRST_BINDING_WAIT = Duration.ofMillis(10);
    private static final int BINDING_WAIT_FACTOR = 5;
    private static final double BINDING_WAIT_JITTER = 0.1;
    static final int MOST_STATUS_TRIES = 4;
    static final RetryBackoff STATUS_BACKOFF = new RetryBackoff(Duration.ofMillis(50), Duration.ofSeconds(1));
    private static final int MOST_STATUS_VERSIONS = 1_024;

    private final ApiServer server;
    private final ObjectPatches objects;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final StopSignal stop;
    private final RequestMetrics metrics;
    private final PodWriteOrder order = new PodWriteOrder();

    // The most recently patched pods, by uid. The watch may deliver a patch only after further patches were sent.
    @GuardedBy("statusVersions")
    private final Map<String, PatchedVersions> statusVersions = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, PatchedVersions> eldest) {
            return size() > MOST_STATUS_VERSIONS;
        }
    };

    /**
     * The resource versions that status patches gave a pod.
     *
     * @param before its earlier versions, from the one that the watch delivered last
     * @param latest its current version
     */
    private record PatchedVersions(List<String> before, String latest) {
        static PatchedVersions none(String known) {
            return new PatchedVersions(List.of(), known);
        }

        /** Returns the versions from the one that the watch delivered; none if another client wrote that one. */
        PatchedVersions since(String known) {
            int index = before.indexOf(known);
            return index < 0 ? none(known) : new PatchedVersions(before.subList(index, before.size()), latest);
        }

        PatchedVersions with(String patched) {
            List<String> all = new ArrayList<>(before);
            all.add(latest);
            return new PatchedVersions(List.copyOf(all), patched);
        }
    }

    PodWrites(
            ApiServer server,
            ObjectPatches objects,
            InstantSource clock,
            RandomGenerator random,
            StopSignal stop,
            RequestMetrics metrics) {
        this.server = server;
        this.objects = objects;
        this.clock = clock;
        this.random = random;
        this.stop = stop;
        this.metrics = metrics;
    }

    private void measured(String type, Runnable call) {
        long start = System.nanoTime();
        boolean isSuccess = false;
        metrics.podCallStarted(type);
        try {
            call.run();
            isSuccess = true;
        } finally {
            metrics.podCallEnded(type, isSuccess, System.nanoTime() - start);
        }
    }

    void bind(Pod pod, String nodeName) {
        ObjectNode binding = JSON.objectNode().put("apiVersion", "v1").put("kind", "Binding");
        ObjectNode metadata =
                binding.putObject("metadata").put("name", pod.name()).put("namespace", pod.namespace());
        if (!pod.uid().isEmpty()) {
            // Prevents binding a new pod of the same name.
            metadata.put("uid", pod.uid());
        }
        binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", nodeName);
        String what = "bind " + pod.key() + " to " + nodeName;
        order.bind(pod, () -> measured(BINDING, () -> bind(what, path(pod) + "/binding", binding)));
    }

    // A conflict is not retried: the pod may be bound already, possibly by an earlier try whose response was lost.
    private void bind(String what, String path, ObjectNode binding) {
        boolean mayBeBound = false;
        for (int tries = 1; ; tries++) {
            try {
                server.change(what, "POST", path, ApiServer.JSON, binding);
                return;
            } catch (ClusterException e) {
                if (tries == MOST_BINDING_TRIES
                        || !ApiStatus.isRetriable(e)
                        || stop.isSentWithin(waitBeforeBinding(tries))) {
                    throw mayBeBound ? ApiServer.withoutCertainty(e) : e;
                }
                mayBeBound |= e.outcome() == ClusterException.Outcome.UNKNOWN;
            }
        }
    }

    private Duration waitBeforeBinding(int tries) {
        double nanos = FIRST_BINDING_WAIT.toNanos() * Math.pow(BINDING_WAIT_FACTOR, tries - 1);
        return Duration.ofNanos((long) (nanos * (1 + BINDING_WAIT_JITTER * random.nextDouble())));
    }

    void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        boolean isAboutWaiting = nomination.overrides()
                || condition
                        .filter(changed -> changed.type().equals(PodCondition.POD_SCHEDULED))
                        .isPresent();
        if (isAboutWaiting) {
            // Sent for the pod's resource version, so that the server rejects the patch once the pod is bound.
            order.patch(pod, () -> measured(STATUS_PATCH, () -> patchStatus(pod, condition, nomination, true)));
        } else {
            patchStatus(pod, condition, nomination, false);
        }
    }

    private void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination, boolean isForVersion) {
        Pod current = pod;
        for (int tries = 1; ; tries++) {
            ObjectNode status = statusPatch(current, condition, nomination);
            if (status.isEmpty()) {
                return;
            }
            try {
                if (isForVersion) {
                    patchLatest(current, status);
                } else {
                    patchStatus(current, status, "");
                }
                return;
            } catch (ClusterException e) {
                if (tries == MOST_STATUS_TRIES
                        || !ApiStatus.isRetriable(e) && !e.isConflict()
                        || stop.isSentWithin(STATUS_BACKOFF.after(tries, random))) {
                    throw e;
                }
                if (isForVersion && e.isConflict()) {
                    Optional<Pod> unbound = unbound(pod);
                    if (unbound.isEmpty()) {
                        return;
                    }
                    current = unbound.get();
                }
            }
        }
    }

    private void patchLatest(Pod pod, ObjectNode status) {
        String known = pod.metadata().resourceVersion();
        PatchedVersions versions;
        synchronized (statusVersions) {
            PatchedVersions last = statusVersions.remove(pod.uid());
            versions = last == null ? PatchedVersions.none(known) : last.since(known);
        }
        String patched = patchStatus(pod, status, versions.latest);
        if (!known.isEmpty() && !patched.isEmpty()) {
            synchronized (statusVersions) {
                statusVersions.put(pod.uid(), versions.with(patched));
            }
        }
    }

    // Returns the pod as the server has it; empty if it is deleted or bound.
    private Optional<Pod> unbound(Pod pod) {
        return objects.read(ObjectKind.POD, pod.namespace(), pod.name())
                .filter(current -> current.uid().equals(pod.uid()) && !current.isBound());
    }

    private ObjectNode statusPatch(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        ObjectNode status = JSON.objectNode();
        condition
                .filter(changed -> !pod.status().conditions().contains(changed))
                .ifPresent(changed -> status.putArray("conditions").add(condition(changed, pod)));
        if (nomination.overrides() && !nomination.nodeName().equals(pod.status().nominatedNodeName())) {
            putOrRemove(status, "nominatedNodeName", nomination.nodeName());
        }
        return status;
    }

    private ObjectNode condition(PodCondition condition, Pod pod) {
        ObjectNode json = JSON.objectNode().put("type", condition.type()).put("status", condition.status());
        putOrRemove(json, "reason", condition.reason());
        putOrRemove(json, "message", condition.message());
        if (condition.observedGeneration() != 0) {
            json.put("observedGeneration", condition.observedGeneration());
        }
        json.putNull("lastProbeTime");
        boolean isTransition = pod.status()
                .condition(condition.type())
                .map(known -> !known.status().equals(condition.status()))
                .orElse(true);
        if (isTransition) {
            json.put(
                    "lastTransitionTime",
                    clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        }
        return json;
    }

    // In a patch, null removes a field.
    private static void putOrRemove(ObjectNode patch, String field, String value) {
        if (value.isEmpty()) {
            patch.putNull(field);
        } else {
            patch.put(field, value);
        }
    }

    void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus changed) {
        ObjectNode status = JSON.objectNode();
        ArrayNode mappings = status.putObject("extendedResourceClaimStatus")
                .put("resourceClaimName", changed.claimName())
                .putArray("requestMappings");
        for (PodStatus.ContainerExtendedResourceRequest mapping : changed.requestMappings()) {
            mappings.addObject()
                    .put("containerName", mapping.containerName())
                    .put("resourceName", mapping.resourceName())
                    .put("requestName", mapping.requestName());
        }
        patchStatus(pod, status, "");
    }

    void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> changed) {
        ObjectNode status = JSON.objectNode();
        ArrayNode claims = status.putArray("nodeAllocatableResourceClaimStatuses");
        for (PodStatus.NodeAllocatableResourceClaimStatus claim : changed) {
            ObjectNode json = claims.addObject().put("resourceClaimName", claim.claimName());
            claim.containers().forEach(json.putArray("containers")::add);
            ArrayNode mapping = json.putArray("mapping");
            new TreeMap<>(claim.mapping())
                    .forEach((resource, amount) ->
                            mapping.addObject().put("name", resource).put("quantity", amount.toString()));
            ArrayNode overhead = json.putArray("overhead");
            new TreeMap<>(claim.overhead()).forEach((resource, amounts) -> {
                ObjectNode entry = overhead.addObject().put("name", resource);
                amounts.perPod().ifPresent(amount -> entry.put("perPod", amount.toString()));
                amounts.perContainer().ifPresent(amount -> entry.put("perContainer", amount.toString()));
            });
        }
        // A strategic merge patch would add to the existing entries, and an empty list would change nothing.
        patchStatus(pod, status, "", ApiServer.JSON_MERGE);
    }

    // Returns the pod's new resource version; empty if it could not be read from the response.
    private String patchStatus(Pod pod, ObjectNode status, String resourceVersion) {
        return patchStatus(pod, status, resourceVersion, ApiServer.STRATEGIC_MERGE);
    }

    private String patchStatus(Pod pod, ObjectNode status, String resourceVersion, String kind) {
        ObjectNode patch = JSON.objectNode();
        if (!pod.uid().isEmpty()) {
            patch.withObject("metadata").put("uid", pod.uid());
        }
        if (!resourceVersion.isEmpty()) {
            patch.withObject("metadata").put("resourceVersion", resourceVersion);
        }
        patch.set("status", status);
        return server.changeVersion("patch status of " + pod.key(), "PATCH", path(pod) + "/status", kind, patch);
    }

    void delete(Pod pod) {
        ObjectNode options = JSON.objectNode().put("apiVersion", "v1").put("kind", "DeleteOptions");
        if (!pod.uid().isEmpty()) {
            options.putObject("preconditions").put("uid", pod.uid());
        }
        try {
            server.change("delete " + pod.key(), "DELETE", path(pod), ApiServer.JSON, options);
        } catch (ClusterException e) {
            // A conflict here means that a new pod of the same name exists.
            if (!e.isNotFound() && !e.isConflict()) {
                throw e;
            }
        }
    }

    private static String path(Pod pod) {
        return ApiServer.path(ObjectKind.POD, pod.namespace(), pod.name());
    }
}
