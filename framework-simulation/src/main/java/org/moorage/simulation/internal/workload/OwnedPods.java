// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.objects.internal.Fields;
import org.moorage.objects.internal.ObjectKey;

/** The pods that are there already, by what owns them. */
final class OwnedPods {
    private static final String HASH = "pod-template-hash";
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";

    /**
     * A pod that a workload owns.
     *
     * @param name its name
     * @param nodeName the node that it is on or meant for; empty if neither is known
     * @param index its completion index; -1 if it has none
     * @param state how far it has come
     * @param revision the hash of the template that it is made of; empty if it has no label that tells
     * @param isScheduled whether it has a node
     * @param isReady whether it runs and is ready
     */
    record OwnedPod(
            String name,
            String nodeName,
            int index,
            State state,
            String revision,
            boolean isScheduled,
            boolean isReady) {}

    /** How far a pod has come, as controllers see it. */
    enum State {
        ACTIVE,
        TERMINATING,
        SUCCEEDED,
        FAILED
    }

    private final Map<ObjectKey, List<OwnedPod>> byOwner = new HashMap<>();
    private final Set<ObjectKey> keys = new HashSet<>();

    /** Takes note of a pod. */
    void seen(ObjectNode pod) {
        ObjectKey key = ObjectKey.of(pod);
        Optional<ObjectKey> controller = controllerOf(pod);
        // Replica sets' pods have random names, which no other name can meet by intention.
        if (controller.isEmpty() || !controller.get().kind().equals("ReplicaSet")) {
            keys.add(key);
        }
        if (controller.isEmpty()) {
            return;
        }
        JsonNode labels = pod.path("metadata").path("labels");
        String hash = labels.path(HASH).asText("");
        OwnedPod owned = new OwnedPod(
                key.name(),
                nodeName(pod.path("spec")),
                index(pod),
                state(pod),
                hash.isEmpty() ? labels.path("controller-revision-hash").asText("") : hash,
                !pod.path("spec").path("nodeName").asText("").isEmpty(),
                hasCondition(pod, "Ready"));
        byOwner.computeIfAbsent(controller.get(), any -> new ArrayList<>()).add(owned);
        deployment(controller.get(), hash)
                .ifPresent(deployment -> byOwner.computeIfAbsent(deployment, any -> new ArrayList<>())
                        .add(owned));
    }

    // The replica set of a deployment may be missing in what kubectl was asked for, and its name tells whose it is.
    private static Optional<ObjectKey> deployment(ObjectKey replicaSet, String hash) {
        String ending = "-" + hash;
        if (!replicaSet.kind().equals("ReplicaSet")
                || hash.isEmpty()
                || !replicaSet.name().endsWith(ending)) {
            return Optional.empty();
        }
        String name = replicaSet.name().substring(0, replicaSet.name().length() - ending.length());
        return Optional.of(new ObjectKey("apps", "Deployment", replicaSet.namespace(), name));
    }

    /** The controller that owns an object. */
    static Optional<ObjectKey> controllerOf(ObjectNode object) {
        JsonNode metadata = object.path("metadata");
        for (JsonNode owner : metadata.path("ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                String apiVersion = owner.path("apiVersion").asText("");
                return Optional.of(new ObjectKey(
                        apiVersion.substring(0, Math.max(0, apiVersion.indexOf('/'))),
                        owner.path("kind").asText(""),
                        metadata.path("namespace").asText(""),
                        owner.path("name").asText("")));
            }
        }
        return Optional.empty();
    }

    /** The pods of a workload. */
    List<OwnedPod> of(ObjectKey owner) {
        return byOwner.getOrDefault(owner, List.of());
    }

    /** The number of a workload's pods in a state. */
    int count(ObjectKey owner, State state) {
        int count = 0;
        for (OwnedPod pod : of(owner)) {
            count += pod.state() == state ? 1 : 0;
        }
        return count;
    }

    /** The hash of the template that the newest of a workload's pods are made of, if one of them tells. */
    Optional<String> revision(ObjectKey owner) {
        List<OwnedPod> pods = of(owner);
        for (int i = pods.size() - 1; i >= 0; i--) {
            if (!pods.get(i).revision().isEmpty()) {
                return Optional.of(pods.get(i).revision());
            }
        }
        return Optional.empty();
    }

    /** Whether there is a pod of that name. */
    boolean contains(String namespace, String name) {
        return keys.contains(new ObjectKey("", "Pod", namespace, name));
    }

    /** Whether the status of an object has a condition that is true. */
    static boolean hasCondition(ObjectNode object, String type) {
        for (JsonNode condition : object.path("status").path("conditions")) {
            if (condition.path("type").asText("").equals(type)
                    && condition.path("status").asText("").equals("True")) {
                return true;
            }
        }
        return false;
    }

    private static State state(ObjectNode pod) {
        return switch (pod.path("status").path("phase").asText("")) {
            case "Succeeded" -> State.SUCCEEDED;
            case "Failed" -> State.FAILED;
            default ->
                Fields.isAbsent(pod.path("metadata").path("deletionTimestamp")) ? State.ACTIVE : State.TERMINATING;
        };
    }

    private static int index(ObjectNode pod) {
        return pod.path("metadata").path("annotations").path(INDEX).asInt(-1);
    }

    // A pod of a daemon set names its node in its affinity until it is scheduled.
    private static String nodeName(JsonNode spec) {
        String nodeName = spec.path("nodeName").asText("");
        if (nodeName.isEmpty()) {
            JsonNode terms = spec.at(
                    "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution" + "/nodeSelectorTerms");
            for (JsonNode term : terms) {
                for (JsonNode field : term.path("matchFields")) {
                    if (field.path("key").asText("").equals("metadata.name")
                            && field.path("values").size() == 1) {
                        return field.path("values").path(0).asText("");
                    }
                }
            }
        }
        return nodeName;
    }
}
