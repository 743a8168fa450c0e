// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelection;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.model.Taint;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.ObjectTrees;

/**
 * A template for new nodes, as cluster-autoscaler makes one from a node of a node group. Immutable.
 *
 * <p>A new node has its own name, no annotations, and the labels and the allocatable resources of the template. Labels
 * that repeat the name or the zone of the template's node change with the name and the zone:
 * {@code kubernetes.io/hostname}, the zone labels, and the topology keys of its CSI drivers. The node is schedulable
 * and ready: taints that describe a temporary state are dropped, others stay.
 *
 * @param name the name of the type
 * @param namePrefix the prefix of the names of new nodes; no node of the cluster has a name with this prefix
 * @param node the node that new ones are like
 * @param beside the objects that new nodes get their own copies of: the node's {@link CsiNode}, which limits its
 *     volumes, each {@link ResourceSlice} with its devices, and each {@link CsiStorageCapacity} of the storage classes
 *     that have capacity on it
 * @param daemonPods the pods of DaemonSets and the static pods that each new node has; they take their room first
 * @param zones the zones to spread the new nodes among, in turn; empty for the zone of the template
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
    /** CSI drivers and cloud providers have their own zone labels, such as {@code topology.gke.io/zone}. */
    private static final String ZONE_OF_DRIVER = "/zone";

    /**
     * The taints that cluster-autoscaler drops, and {@code out-of-service}, which a person sets on a node that is shut
     * down.
     */
    private static final Set<String> TEMPORARY = Set.of(
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
            "node.kubernetes.io/unschedulable",
            "node.kubernetes.io/memory-pressure",
            "node.kubernetes.io/disk-pressure",
            "node.kubernetes.io/network-unavailable",
            "node.kubernetes.io/pid-pressure",
            "node.kubernetes.io/out-of-service",
            "node.cloudprovider.kubernetes.io/uninitialized",
            "node.cloudprovider.kubernetes.io/shutdown",
            "cloud.google.com/impending-node-termination",
            "NodeWithImpairedVolumes",
            "ToBeDeletedByClusterAutoscaler",
            "DeletionCandidateOfClusterAutoscaler");

    private static final List<String> TEMPORARY_PREFIXES = List.of(
            "ignore-taint.cluster-autoscaler.kubernetes.io/",
            "startup-taint.cluster-autoscaler.kubernetes.io/",
            "status-taint.cluster-autoscaler.kubernetes.io/");
    /** Fields that a new node does not take over. */
    private static final List<String> OWN = List.of("providerID", "podCIDR", "podCIDRs", "unschedulable", "taints");

    public NodeTemplate {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(namePrefix, "namePrefix");
        beside = List.copyOf(beside);
        daemonPods = List.copyOf(daemonPods);
        zones = List.copyOf(zones);
    }

    /** Returns the same type with other pods of DaemonSets. */
    public NodeTemplate withDaemonPods(List<Pod> pods) {
        return new NodeTemplate(name, namePrefix, node, beside, pods, zones);
    }

    /** The number of kinds of new nodes: one for each zone. */
    int kinds() {
        return Math.max(1, zones.size());
    }

    /** The name of a new node, from 1 on. */
    public String nodeName(int number) {
        return namePrefix + number;
    }

    /** A new node. */
    public Node newNode(int number) {
        List<Taint> taints = new ArrayList<>(node.taints());
        taints.removeIf(taint -> isTemporary(taint.key()));
        Node made = node.toBuilder()
                .metadata(metadata(ObjectKind.NODE, nodeName(number), labels(number)))
                .unschedulable(false)
                .taints(taints)
                .conditions(Map.of("Ready", "True"))
                .build();
        return node.json().isEmpty()
                ? made
                : made.toBuilder().json(json(node.json().get(), made)).build();
    }

    private static boolean isTemporary(String taint) {
        return TEMPORARY.contains(taint) || TEMPORARY_PREFIXES.stream().anyMatch(taint::startsWith);
    }

    private Map<String, String> labels(int number) {
        Map<String, String> labels = new HashMap<>(node.labels());
        List<String> names = List.of(node.name(), node.labels().getOrDefault(HOST_NAME, node.name()));
        for (String key : topologyKeys()) {
            labels.computeIfPresent(key, (label, value) -> names.contains(value) ? nodeName(number) : value);
        }
        labels.put(HOST_NAME, nodeName(number));
        if (!zones.isEmpty()) {
            String zone = zones.get((number - 1) % zones.size());
            String former = node.labels().getOrDefault(ZONE, node.labels().getOrDefault(OLD_ZONE, ""));
            labels.replaceAll((label, value) -> label.endsWith(ZONE_OF_DRIVER) && value.equals(former) ? zone : value);
            labels.put(ZONE, zone);
            labels.computeIfPresent(OLD_ZONE, (label, value) -> zone);
        }
        return labels;
    }

    private Set<String> topologyKeys() {
        Set<String> keys = new HashSet<>();
        for (ClusterObject object : beside) {
            if (object instanceof CsiNode drivers) {
                drivers.drivers().forEach(driver -> keys.addAll(driver.topologyKeys()));
            }
        }
        return keys;
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
        ObjectNode spec = tree.withObject("/spec");
        OWN.forEach(spec::remove);
        ArrayNode taints = spec.putArray("taints");
        for (Taint taint : made.taints()) {
            taints.addObject()
                    .put("key", taint.key())
                    .put("value", taint.value())
                    .put("effect", taint.effect());
        }
        return tree.toString();
    }

    /** New nodes with what is on them. */
    public Collection<ClusterObject> newNodes(int count) {
        List<ClusterObject> objects = new ArrayList<>();
        List<CsiStorageCapacity> capacities = new ArrayList<>();
        for (ClusterObject object : beside) {
            if (object instanceof CsiStorageCapacity capacity) {
                capacities.add(capacity);
            }
        }
        for (int number = 1; number <= count; number++) {
            Node made = newNode(number);
            objects.add(made);
            for (ClusterObject object : beside) {
                if (!(object instanceof CsiStorageCapacity)) {
                    objects.add(ofNode(object, made));
                }
            }
            List<CsiStorageCapacity> added = capacities(capacities, made);
            objects.addAll(added);
            capacities.addAll(added);
            for (Pod pod : daemonPods) {
                objects.add(onNode(pod, made.name()));
            }
        }
        return objects;
    }

    private ClusterObject ofNode(ClusterObject object, Node made) {
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
                    false,
                    slice.devices(),
                    slice.sharedCounters(),
                    slice.skipNodeOperations());
        }
        throw new IllegalArgumentException(
                "beside: " + object.key() + " (expected: a CSINode, a ResourceSlice or a CSIStorageCapacity)");
    }

    // A class that has capacity where the node is, such as in its zone, needs no more. Otherwise the node has what the
    // template's node has.
    private List<CsiStorageCapacity> capacities(List<CsiStorageCapacity> known, Node made) {
        Set<String> available = new HashSet<>();
        for (CsiStorageCapacity capacity : known) {
            if (reaches(capacity, made)) {
                available.add(capacity.storageClassName());
            }
        }
        List<CsiStorageCapacity> added = new ArrayList<>();
        for (ClusterObject object : beside) {
            if (object instanceof CsiStorageCapacity capacity
                    && reaches(capacity, node)
                    && !available.contains(capacity.storageClassName())) {
                added.add(ofNode(capacity, made));
            }
        }
        return added;
    }

    private static boolean reaches(CsiStorageCapacity capacity, Node node) {
        return capacity.nodeTopology()
                .filter(topology -> topology.matches(node.labels()))
                .isPresent();
    }

    private static CsiStorageCapacity ofNode(CsiStorageCapacity capacity, Node made) {
        String name = capacity.name() + "-" + made.name();
        ObjectMeta former = capacity.metadata();
        ObjectKey key = new ObjectKey(
                ObjectKind.CSI_STORAGE_CAPACITY.group(),
                ObjectKind.CSI_STORAGE_CAPACITY.kind(),
                former.namespace(),
                name);
        return new CsiStorageCapacity(
                former.toBuilder(name).uid(key.derivedUid()).build(),
                capacity.storageClassName(),
                capacity.capacity(),
                capacity.maximumVolumeSize(),
                capacity.nodeTopology().map(topology -> selecting(topology, made.labels())));
    }

    private static LabelSelector selecting(LabelSelector topology, Map<String, String> labels) {
        Map<String, String> matchLabels = new HashMap<>(topology.matchLabels());
        matchLabels.replaceAll((key, value) -> labels.getOrDefault(key, value));
        List<LabelSelector.Requirement> matchExpressions = new ArrayList<>(topology.matchExpressions());
        matchExpressions.replaceAll(required -> new LabelSelector(Map.of(), List.of(required)).matches(labels)
                ? required
                : new LabelSelector.Requirement(
                        required.key(), "In", List.of(labels.getOrDefault(required.key(), ""))));
        return new LabelSelector(matchLabels, matchExpressions);
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
