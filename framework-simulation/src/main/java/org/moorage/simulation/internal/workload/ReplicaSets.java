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
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.OwnerReferences;
import org.moorage.simulation.internal.workload.OwnedPods.OwnedPod;

/** The pods of replica sets and replication controllers, and the replica sets of deployments. */
final class ReplicaSets {
    private static final String HASH = Deployments.HASH;

    private final OwnedPods pods;
    private final Deployments deployments = new Deployments();

    ReplicaSets(OwnedPods pods) {
        this.pods = pods;
    }

    /** Takes note of a deployment. */
    void seenDeployment(ObjectNode deployment) {
        deployments.seen(deployment);
    }

    /** Takes note of a replica set. */
    void seen(ObjectNode replicaSet) {
        deployments.seenReplicaSet(replicaSet);
    }

    /**
     * Makes the replica set of a deployment, unless it has one of its template, and the pods.
     *
     * @param hasNewTemplate whether the pods that are there are of another template
     */
    MadeObjects ofDeployment(ObjectNode deployment, boolean hasNewTemplate) {
        ObjectKey key = ObjectKey.of(deployment);
        Fields spec = PodTemplate.specOf(deployment);
        boolean isPaused = spec.node().path("paused").asBoolean();
        boolean isRolledOut =
                deployments.isRolledOut(key) || hasNewTemplate && !isPaused && !deployments.hasReplicaSets(key);
        if (deployments.hasReplicaSets(key) && !isRolledOut) {
            return MadeObjects.none();
        }
        PodTemplate template = PodTemplate.of(deployment);
        if (!template.isSelected()) {
            return MadeObjects.none(Workloads.NOT_SELECTED);
        }
        // A paused deployment gets no new replica set.
        if (isPaused && pods.of(key).isEmpty()) {
            return MadeObjects.none("paused");
        }
        Optional<String> revision = isRolledOut ? Optional.empty() : pods.revision(key);
        ObjectNode replicaSet = replicaSet(deployment, spec, revision.orElseGet(template::hash));
        MadeObjects made = spec.number("replicas", 1) == 0
                ? MadeObjects.none(Workloads.NO_REPLICAS).deleting(active(key))
                : replicas(replicaSet).after(List.of(replicaSet));
        if (!isRolledOut) {
            return made;
        }
        // Existing replica sets delete their own pods.
        return deployments.hasReplicaSets(key)
                ? made.rolledOut()
                : made.deleting(active(key)).rolledOut();
    }

    private List<ObjectKey> active(ObjectKey owner) {
        return OwnedPods.keys(owner.namespace(), pods.of(owner, OwnedPods.State.ACTIVE));
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

    /** Creates the pods that a replication controller lacks. */
    MadeObjects ofReplicationController(ObjectNode controller) {
        return replicas(controller);
    }

    private MadeObjects replicas(ObjectNode owner) {
        ObjectKey key = ObjectKey.of(owner);
        int replicas =
                deployments.replicas(key).orElse(PodTemplate.specOf(owner).number("replicas", 1));
        List<OwnedPod> active = pods.of(key, OwnedPods.State.ACTIVE);
        Optional<ObjectKey> controller = OwnedPods.controllerOf(owner);
        if (active.size() > replicas) {
            List<OwnedPod> related = controller
                    .map(deployment -> pods.of(deployment, OwnedPods.State.ACTIVE))
                    .filter(found -> !found.isEmpty())
                    .orElse(active);
            List<OwnedPod> surplus = SurplusPods.of(active, related, active.size() - replicas, pods.newest());
            return MadeObjects.none().deleting(OwnedPods.keys(key.namespace(), surplus));
        }
        if (replicas == 0) {
            // A deployment keeps its former replica sets.
            return controller.isPresent() ? MadeObjects.none() : MadeObjects.none(Workloads.NO_REPLICAS);
        }
        if (OwnedPods.hasCondition(owner, "ReplicaFailure")) {
            return MadeObjects.none("its status says that the API server refuses them");
        }
        PodTemplate template = PodTemplate.of(owner);
        List<ObjectNode> made = new ArrayList<>();
        Set<String> names = new HashSet<>();
        pods.of(key).forEach(pod -> names.add(pod.name()));
        int missing = replicas - active.size();
        for (int seed = 0; made.size() < missing; seed++) {
            String name = GeneratedNames.name(template.prefix(), key.namespace() + "/" + seed);
            if (names.add(name)) {
                made.add(template.pod(template.prefix(), name));
            }
        }
        return MadeObjects.of(made);
    }
}
