// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;

/**
 * The desired replicas of the replica sets of deployments, once the deployment controller has seen the deployments in
 * their present state.
 *
 * <p>Scaling a deployment scales the replica set of its template. A deployment whose template none of its replica sets
 * has counts as rolled out: its replica sets are scaled to zero, and a new one is created. A rollout in progress stays
 * as it is, since its progress depends on when pods become ready; scaling it up adds replicas to the newest replica
 * set, and scaling it down removes them from the others first.
 */
final class Deployments {
    static final String HASH = "pod-template-hash";
    private static final String REVISION = "deployment.kubernetes.io/revision";
    private static final String DESIRED = "deployment.kubernetes.io/desired-replicas";

    private final Map<ObjectKey, ObjectNode> deployments = new LinkedHashMap<>();
    private final Map<ObjectKey, List<ObjectNode>> setsByDeployment = new HashMap<>();
    private final Map<ObjectKey, Integer> replicasBySet = new HashMap<>();
    private final Set<ObjectKey> rolledOut = new HashSet<>();
    // The replica sets of a dump that keeps what scheduling reads.
    private final Set<ObjectKey> pruned = new HashSet<>();
    private boolean isDecided;

    /** Takes note of a deployment. */
    void seen(ObjectNode deployment) {
        if (Fields.isAbsent(deployment.path("metadata").path("deletionTimestamp"))) {
            deployments.put(ObjectKey.of(deployment), deployment);
        }
    }

    /** Takes note of a replica set. */
    void seenReplicaSet(ObjectNode replicaSet) {
        // Before it is completed with defaults.
        if (PodTemplate.of(replicaSet).isPruned()) {
            pruned.add(ObjectKey.of(replicaSet));
        }
        OwnedPods.controllerOf(replicaSet)
                .ifPresent(deployment -> setsByDeployment
                        .computeIfAbsent(deployment, any -> new ArrayList<>())
                        .add(replicaSet));
    }

    /** Returns whether a deployment has replica sets. */
    boolean hasReplicaSets(ObjectKey deployment) {
        return setsByDeployment.containsKey(deployment);
    }

    /** Returns whether no replica set of a deployment has its template. Called after all objects have been seen. */
    boolean isRolledOut(ObjectKey deployment) {
        decide();
        return rolledOut.contains(deployment);
    }

    /**
     * Returns the desired replicas of a replica set, if its deployment sets them. Called after all objects have been
     * seen.
     */
    OptionalInt replicas(ObjectKey replicaSet) {
        decide();
        Integer replicas = replicasBySet.get(replicaSet);
        return replicas == null ? OptionalInt.empty() : OptionalInt.of(replicas);
    }

    private void decide() {
        if (!isDecided) {
            isDecided = true;
            deployments.forEach((key, deployment) -> {
                List<ObjectNode> sets = setsByDeployment.get(key);
                if (sets != null) {
                    decide(key, deployment, sets);
                }
            });
        }
    }

    private void decide(ObjectKey key, ObjectNode deployment, List<ObjectNode> sets) {
        Fields spec = PodTemplate.specOf(deployment);
        int replicas = spec.number("replicas", 1);
        List<ObjectNode> active = sets.stream().filter(set -> replicas(set) > 0).toList();
        Optional<ObjectNode> newest = ofTemplate(deployment, sets);
        // A paused deployment is scaled, and gets no new replica set.
        if (newest.isEmpty() && spec.node().path("paused").asBoolean()) {
            newest = active.size() == 1 ? Optional.of(active.get(0)) : Optional.empty();
        } else if (newest.isEmpty()) {
            sets.forEach(set -> replicasBySet.put(ObjectKey.of(set), 0));
            rolledOut.add(key);
        }
        if (newest.isPresent()) {
            ObjectNode current = newest.get();
            List<ObjectNode> former =
                    active.stream().filter(set -> !set.equals(current)).toList();
            scale(current, former, replicas);
        }
    }

    private void scale(ObjectNode current, List<ObjectNode> former, int replicas) {
        if (former.isEmpty() || replicas == 0) {
            former.forEach(set -> replicasBySet.put(ObjectKey.of(set), 0));
            replicasBySet.put(ObjectKey.of(current), replicas);
            return;
        }
        ObjectNode scaled = replicas(current) > 0 ? current : former.get(0);
        int before = annotation(scaled, DESIRED).asInt(replicas);
        int more = replicas - before;
        for (ObjectNode set : former) {
            int fewer = Math.min(replicas(set), Math.max(0, -more));
            more += fewer;
            replicasBySet.put(ObjectKey.of(set), replicas(set) - fewer);
        }
        replicasBySet.put(ObjectKey.of(current), Math.max(0, replicas(current) + more));
    }

    private static int replicas(ObjectNode replicaSet) {
        return PodTemplate.specOf(replicaSet).number("replicas", 1);
    }

    // There is one, unless a dump lacks what templates differ in: then that of the deployment's revision, or one that
    // has pods. Of equal ones the
    // oldest, as the deployment controller takes it.
    private Optional<ObjectNode> ofTemplate(ObjectNode deployment, List<ObjectNode> sets) {
        PodTemplate template = PodTemplate.of(deployment);
        String revision = annotation(deployment, REVISION).asText("");
        return sets.stream()
                .filter(set -> template.makesPodsOf(PodTemplate.of(set), HASH, pruned.contains(ObjectKey.of(set))))
                .min(Comparator.<ObjectNode, Boolean>comparing(
                                set -> !annotation(set, REVISION).asText("").equals(revision))
                        .thenComparing(set -> replicas(set) == 0)
                        .thenComparing(set ->
                                set.path("metadata").path("creationTimestamp").asText("")));
    }

    private static JsonNode annotation(ObjectNode object, String name) {
        return object.path("metadata").path("annotations").path(name);
    }
}
