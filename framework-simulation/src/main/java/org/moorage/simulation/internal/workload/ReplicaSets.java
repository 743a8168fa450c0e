// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.objects.GeneratedNames;
import org.moorage.objects.internal.Fields;
import org.moorage.objects.internal.ObjectKey;
import org.moorage.objects.internal.OwnerReferences;

/** Makes the pods of replica sets and replication controllers, and the replica sets of deployments. */
final class ReplicaSets {
    private static final String HASH = "pod-template-hash";

    private final OwnedPods pods;
    /** The deployments that have replica sets. */
    private final Set<ObjectKey> deployed = new HashSet<>();

    ReplicaSets(OwnedPods pods) {
        this.pods = pods;
    }

    /** Takes note of a replica set. */
    void seen(ObjectNode replicaSet) {
        OwnedPods.controllerOf(replicaSet).ifPresent(deployed::add);
    }

    /** Makes the replica set of a deployment, unless it has one, and the pods. */
    MadeObjects ofDeployment(ObjectNode deployment) {
        ObjectKey key = ObjectKey.of(deployment);
        if (deployed.contains(key)) {
            return MadeObjects.none();
        }
        Fields spec = PodTemplate.specOf(deployment);
        PodTemplate template = PodTemplate.of(deployment);
        if (!template.isSelected()) {
            return MadeObjects.none(Workloads.NOT_SELECTED);
        }
        // A paused deployment gets no new replica set.
        if (spec.node().path("paused").asBoolean() && pods.of(key).isEmpty()) {
            return MadeObjects.none("paused");
        }
        int replicas = spec.number("replicas", 1);
        if (replicas == 0) {
            return MadeObjects.none(Workloads.NO_REPLICAS);
        }
        ObjectNode replicaSet = replicaSet(deployment, spec, pods.revision(key).orElseGet(template::hash));
        return ofReplicaSet(replicaSet).after(List.of(replicaSet));
    }

    private static ObjectNode replicaSet(ObjectNode deployment, Fields spec, String hash) {
        ObjectKey key = ObjectKey.of(deployment);
        ObjectNode replicaSet = JsonNodeFactory.instance.objectNode();
        replicaSet.put("apiVersion", "apps/v1").put("kind", "ReplicaSet");
        ObjectNode metadata = replicaSet.putObject("metadata");
        metadata.put("name", key.name() + "-" + hash).put("namespace", key.namespace());
        metadata.put("uid", ObjectKey.of(replicaSet).derivedUid());
        OwnerReferences.addController(metadata, deployment);
        ObjectNode made = replicaSet.putObject("spec");
        made.put("replicas", spec.number("replicas", 1));
        made.set("selector", spec.struct("selector").node().deepCopy());
        Fields.of(replicaSet)
                .struct("spec")
                .struct("selector")
                .struct("matchLabels")
                .node()
                .put(HASH, hash);
        made.set("template", spec.struct("template").node().deepCopy());
        ObjectNode labels = Fields.of(replicaSet)
                .struct("spec")
                .struct("template")
                .struct("metadata")
                .struct("labels")
                .node();
        labels.put(HASH, hash);
        metadata.set("labels", labels.deepCopy());
        return replicaSet;
    }

    /** Makes the pods that a replica set lacks. */
    MadeObjects ofReplicaSet(ObjectNode replicaSet) {
        return PodTemplate.of(replicaSet).isSelected()
                ? replicas(replicaSet)
                : MadeObjects.none(Workloads.NOT_SELECTED);
    }

    /** Makes the pods that a replication controller lacks. */
    MadeObjects ofReplicationController(ObjectNode controller) {
        return replicas(controller);
    }

    private MadeObjects replicas(ObjectNode owner) {
        ObjectKey key = ObjectKey.of(owner);
        int replicas = PodTemplate.specOf(owner).number("replicas", 1);
        if (replicas == 0) {
            // A deployment keeps its former replica sets.
            Optional<ObjectKey> controller = OwnedPods.controllerOf(owner);
            return controller.isPresent() ? MadeObjects.none() : MadeObjects.none(Workloads.NO_REPLICAS);
        }
        if (OwnedPods.hasCondition(owner, "ReplicaFailure")) {
            return MadeObjects.none("its status says that the API server refuses them");
        }
        PodTemplate template = PodTemplate.of(owner);
        List<ObjectNode> made = new ArrayList<>();
        Set<String> names = new HashSet<>();
        pods.of(key).forEach(pod -> names.add(pod.name()));
        int missing = replicas - pods.count(key, OwnedPods.State.ACTIVE);
        for (int seed = 0; made.size() < missing; seed++) {
            String name = GeneratedNames.name(template.prefix(), key.namespace() + "/" + seed);
            if (names.add(name)) {
                made.add(template.pod(template.prefix(), name));
            }
        }
        return MadeObjects.of(made);
    }
}
