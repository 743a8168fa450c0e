// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelection;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.model.Taint;
import org.moorage.objects.internal.ObjectKey;
import org.moorage.objects.internal.ObjectTrees;

/**
 * A node that new nodes are like, as those of a node group of the cluster autoscaler are. Immutable.
 *
 * <p>A new node has a name of its own, which its label {@code kubernetes.io/hostname} has too, no annotations, and the labels and the allocatable
 * resources of the template. It is schedulable and ready: taints that Kubernetes, a cloud provider or the cluster autoscaler sets on a node
 * for a while are left out, others stay.
 *
 * @param name what the type is called
 * @param namePrefix what the names of the new nodes start with; no node of the cluster has one that does
 * @param node the node that new ones are like
 * @param beside what else the cluster has for that node: its {@link CsiNode}, which limits its volumes, and each {@link ResourceSlice} with its devices
 * @param daemonPods the pods that DaemonSets have on each new node; they take their room first
 * @param zones the zones among which the new nodes are spread, one after the other; empty for the zone of the template
 */
public record NodeTemplate(
        String name,
        String namePrefix,
        Node node,
        List<ClusterObject> beside,
        List<Pod> daemonPods,
        List<String> zones) {
    private static final String HOST_NAME = "kubernetes.io/hostname";
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String OLD_ZONE = "failure-domain.beta.kubernetes.io/zone";
    /** The keys of taints that Kubernetes itself sets begin so. */
    private static final String OF_KUBERNETES = "node.kubernetes.io/";

    private static final Set<String> SET_FOR_A_WHILE = Set.of(
            "node.cloudprovider.kubernetes.io/uninitialized",
            "node.cloudprovider.kubernetes.io/shutdown",
            "ToBeDeletedByClusterAutoscaler",
            "DeletionCandidateOfClusterAutoscaler");
    /** Fields of a node that are its own. */
    private static final List<String> OWN = List.of("providerID", "podCIDR", "podCIDRs", "unschedulable", "taints");

    public NodeTemplate {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(namePrefix, "namePrefix");
        beside = List.copyOf(beside);
        daemonPods = List.copyOf(daemonPods);
        zones = List.copyOf(zones);
    }

    /** The same type with other pods of DaemonSets. */
    public NodeTemplate withDaemonPods(List<Pod> pods) {
        return new NodeTemplate(name, namePrefix, node, beside, pods, zones);
    }

    /** The name of a new node, from 1 on. */
    public String nodeName(int number) {
        return namePrefix + number;
    }

    /** A new node. */
    public Node newNode(int number) {
        String nodeName = nodeName(number);
        Map<String, String> labels = new HashMap<>(node.labels());
        labels.put(HOST_NAME, nodeName);
        if (!zones.isEmpty()) {
            String zone = zones.get((number - 1) % zones.size());
            labels.put(ZONE, zone);
            labels.computeIfPresent(OLD_ZONE, (label, former) -> zone);
        }
        List<Taint> taints = new ArrayList<>();
        for (Taint taint : node.taints()) {
            if (!isSetForAWhile(taint.key())) {
                taints.add(taint);
            }
        }
        Node made = node.toBuilder()
                .metadata(metadata(ObjectKind.NODE, nodeName, labels))
                .unschedulable(false)
                .taints(taints)
                .conditions(Map.of("Ready", "True"))
                .build();
        return node.json().isEmpty()
                ? made
                : made.toBuilder().json(json(node.json().get(), made)).build();
    }

    private static boolean isSetForAWhile(String taint) {
        return taint.startsWith(OF_KUBERNETES) || SET_FOR_A_WHILE.contains(taint);
    }

    private static ObjectMeta metadata(ObjectKind<?> kind, String name, Map<String, String> labels) {
        return ObjectMeta.named(name)
                .uid(new ObjectKey(kind.group(), kind.kind(), "", name).derivedUid())
                .labels(labels)
                .build();
    }

    private static String json(String text, Node made) {
        ObjectNode tree = ObjectTrees.of(text);
        ObjectNode metadata = tree.putObject("metadata");
        metadata.put("name", made.name()).put("uid", made.metadata().uid());
        ObjectNode labels = metadata.putObject("labels");
        made.labels().forEach(labels::put);
        JsonNode taints = tree.path("spec").path("taints");
        ObjectNode spec = tree.withObject("/spec");
        OWN.forEach(spec::remove);
        ArrayNode kept = spec.putArray("taints");
        for (JsonNode taint : taints) {
            if (!isSetForAWhile(taint.path("key").asText(""))) {
                kept.add(taint);
            }
        }
        return tree.toString();
    }

    /** New nodes with what is on them. */
    public Collection<ClusterObject> newNodes(int count) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            Node made = newNode(number);
            objects.add(made);
            for (ClusterObject object : beside) {
                objects.add(ofNode(object, made));
            }
            for (Pod pod : daemonPods) {
                objects.add(onNode(pod, made.name()));
            }
        }
        return objects;
    }

    private static ClusterObject ofNode(ClusterObject object, Node made) {
        if (object instanceof CsiNode drivers) {
            return new CsiNode(drivers.metadata().toBuilder(made.name()).build(), drivers.drivers());
        }
        if (object instanceof ResourceSlice slice) {
            String name = slice.name() + "-" + made.name();
            ResourceSlice.Pool pool = slice.pool();
            return new ResourceSlice(
                    metadata(ObjectKind.RESOURCE_SLICE, name, slice.metadata().labels()),
                    slice.driver(),
                    new ResourceSlice.Pool(pool.name() + "-" + made.name(), pool.generation(), pool.sliceCount()),
                    new NodeSelection(made.name(), false, Optional.empty()),
                    slice.perDeviceNodeSelection(),
                    slice.devices(),
                    slice.sharedCounters(),
                    slice.skipNodeOperations());
        }
        throw new IllegalArgumentException("beside: " + object.key() + " (expected: a CSINode or a ResourceSlice)");
    }

    private static Pod onNode(Pod pod, String nodeName) {
        String podName = pod.name() + "-" + nodeName;
        ObjectKey key = new ObjectKey("", "Pod", pod.namespace(), podName);
        return pod.withMetadata(
                        pod.metadata().toBuilder(podName).uid(key.derivedUid()).build())
                .withNode(nodeName);
    }

    /** The name. */
    @Override
    public String toString() {
        return name;
    }
}
