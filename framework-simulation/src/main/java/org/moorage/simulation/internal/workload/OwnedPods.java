// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;

/** The existing pods, by owner. */
final class OwnedPods {
    private static final String HASH = "pod-template-hash";
    private static final String DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";

    /**
     * A pod that a workload owns.
     *
     * @param name its name
     * @param nodeName the node that it is on or meant for; empty if neither is known
     * @param index its completion index; -1 if it has none
     * @param state its phase
     * @param revision the hash of its template; empty if it has no label with the hash
     * @param isScheduled whether it has a node
     * @param isReady whether it runs and is ready
     * @param age what else decides which pods are deleted first
     */
    record OwnedPod(
            String name,
            String nodeName,
            int index,
            State state,
            String revision,
            boolean isScheduled,
            boolean isReady,
            Age age) {}

    /**
     * How old a pod is, and what it costs to delete it.
     *
     * @param uid its identity
     * @param phase its phase; empty if unknown
     * @param cost the annotation {@code controller.kubernetes.io/pod-deletion-cost}; 0 if it has none
     * @param restarts the most restarts of one of its containers
     * @param created when it was created, in seconds of the epoch; 0 if unknown
     * @param ready since when it is ready, in seconds of the epoch; 0 if it is not, or unknown
     */
    record Age(String uid, String phase, int cost, int restarts, long created, long ready) {
        private static final Pattern TO_THE_SECOND =
                Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}Z");

        private static Age of(ObjectNode pod) {
            JsonNode metadata = pod.path("metadata");
            JsonNode status = pod.path("status");
            int restarts = 0;
            for (JsonNode container : status.path("containerStatuses")) {
                restarts = Math.max(restarts, container.path("restartCount").asInt());
            }
            long ready = 0;
            for (JsonNode condition : status.path("conditions")) {
                if (condition.path("type").asText("").equals("Ready")) {
                    ready = seconds(condition.path("lastTransitionTime"));
                }
            }
            return new Age(
                    metadata.path("uid").asText(""),
                    status.path("phase").asText(""),
                    metadata.path("annotations").path(DELETION_COST).asInt(),
                    restarts,
                    seconds(metadata.path("creationTimestamp")),
                    hasCondition(pod, "Ready") ? ready : 0);
        }

        private static long seconds(JsonNode time) {
            String text = time.asText("");
            if (text.isEmpty()) {
                return 0;
            }
            try {
                return TO_THE_SECOND.matcher(text).matches()
                        ? secondsOf(text)
                        : Instant.parse(text).getEpochSecond();
            } catch (DateTimeException unknown) {
                return 0;
            }
        }

        // The form of the API server. Every pod has several times, and the parser for all forms takes ten times as
        // long.
        private static long secondsOf(String text) {
            LocalDate day = LocalDate.of(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10));
            LocalTime time = LocalTime.of(number(text, 11, 13), number(text, 14, 16), number(text, 17, 19));
            return day.toEpochSecond(time, ZoneOffset.UTC);
        }

        private static int number(String text, int from, int to) {
            return Integer.parseInt(text, from, to, 10);
        }
    }

    /** The state of a pod for controllers. */
    enum State {
        ACTIVE,
        TERMINATING,
        SUCCEEDED,
        FAILED
    }

    private final Map<ObjectKey, List<OwnedPod>> byOwner = new HashMap<>();
    private final Set<ObjectKey> keys = new HashSet<>();
    /** The latest time at which a pod was created or became ready, in seconds since the epoch. */
    private long newest;

    /** Adds a pod. */
    void seen(ObjectNode pod) {
        ObjectKey key = ObjectKey.of(pod);
        Optional<ObjectKey> controller = controllerOf(pod);
        // Pods of replica sets have random names, which do not collide with intended names.
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
                hasCondition(pod, "Ready"),
                Age.of(pod));
        newest = Math.max(newest, Math.max(owned.age().created(), owned.age().ready()));
        byOwner.computeIfAbsent(controller.get(), any -> new ArrayList<>()).add(owned);
        deployment(controller.get(), hash)
                .ifPresent(deployment -> byOwner.computeIfAbsent(deployment, any -> new ArrayList<>())
                        .add(owned));
    }

    // The dump may lack the deployment's replica sets, so the deployment is derived from the replica set's name.
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
                return Optional.of(new ObjectKey(
                        ObjectKind.groupOf(owner.path("apiVersion").asText("")),
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

    /** Returns the pods of a workload that are in a state. */
    List<OwnedPod> of(ObjectKey owner, State state) {
        return of(owner).stream().filter(pod -> pod.state() == state).toList();
    }

    /**
     * Returns the latest time at which a pod was created or became ready, in seconds since the epoch. It is the best
     * estimate of when the objects were read.
     */
    long newest() {
        return newest;
    }

    /** The keys of pods of a namespace. */
    static List<ObjectKey> keys(String namespace, List<OwnedPod> pods) {
        return pods.stream()
                .map(pod -> new ObjectKey("", "Pod", namespace, pod.name()))
                .toList();
    }

    /** The number of a workload's pods in a state. */
    int count(ObjectKey owner, State state) {
        int count = 0;
        for (OwnedPod pod : of(owner)) {
            count += pod.state() == state ? 1 : 0;
        }
        return count;
    }

    /** Returns the template hash of a workload's newest pod that has one. */
    Optional<String> revision(ObjectKey owner) {
        List<OwnedPod> pods = of(owner);
        for (int i = pods.size() - 1; i >= 0; i--) {
            if (!pods.get(i).revision().isEmpty()) {
                return Optional.of(pods.get(i).revision());
            }
        }
        return Optional.empty();
    }

    /** Returns whether a pod with that name exists. */
    boolean contains(String namespace, String name) {
        return keys.contains(new ObjectKey("", "Pod", namespace, name));
    }

    /** Returns whether the status of an object has a condition that is true. */
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
