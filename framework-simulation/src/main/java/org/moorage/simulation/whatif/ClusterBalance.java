// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.simulation.admission.RecreatedPod;

/**
 * How the pods of a cluster fill its nodes. Immutable.
 *
 * @param pods how many pods are on nodes
 * @param emptyNodeNames the nodes that have only pods of DaemonSets and mirrors of static pods, in order
 * @param byResource how each resource is used, in the order cpu, memory, others by name
 */
public record ClusterBalance(int pods, List<String> emptyNodeNames, Map<ResourceName, ResourceBalance> byResource) {
    public ClusterBalance {
        emptyNodeNames = List.copyOf(emptyNodeNames);
        byResource = Collections.unmodifiableMap(new LinkedHashMap<>(byResource));
    }

    /**
     * How one resource is used, on the nodes that have some of it.
     *
     * @param allocatable how much there is, in the units of {@link Resources}
     * @param requested how much of that pods request
     * @param imbalance the standard deviation of the nodes' requested shares, in percentage points: 0 if all are
     *     equally full, at most 50 if none is more than full
     * @param fragmentation how much of the room that is left is of no use, in percent, see {@link PodSizes#unusable}
     */
    public record ResourceBalance(long allocatable, long requested, double imbalance, double fragmentation) {}

    /** Returns the number of nodes that have only pods of DaemonSets and mirrors of static pods. */
    public int emptyNodes() {
        return emptyNodeNames.size();
    }

    /**
     * Returns the balance of some nodes; duplicates count once.
     *
     * @param podsOn the pods on a node, by its name
     * @param sizes the pods for which the remaining capacity is measured
     */
    public static ClusterBalance of(Collection<Node> nodes, Function<String, List<Pod>> podsOn, PodSizes sizes) {
        Objects.requireNonNull(nodes, "nodes");
        Objects.requireNonNull(podsOn, "podsOn");
        Objects.requireNonNull(sizes, "sizes");
        Map<ResourceName, Sum> sums = new LinkedHashMap<>();
        sums.put(ResourceName.CPU, new Sum());
        sums.put(ResourceName.MEMORY, new Sum());
        new TreeMap<>(others(nodes)).forEach((name, resource) -> sums.put(resource, new Sum()));
        int pods = 0;
        List<String> emptyNodes = new ArrayList<>();
        Map<String, Node> byName = new LinkedHashMap<>();
        nodes.forEach(node -> byName.putIfAbsent(node.name(), node));
        for (Node node : byName.values()) {
            List<Pod> onNode = podsOn.apply(node.name());
            pods += onNode.size();
            if (isEmpty(onNode)) {
                emptyNodes.add(node.name());
            }
            sums.forEach((resource, sum) -> {
                long requested = 0;
                for (Pod pod : onNode) {
                    requested += pod.requestsWithClaims().amount(resource);
                }
                sum.add(node.allocatableResources().amount(resource), requested);
            });
            if (!node.unschedulable()) {
                NodeRoom room = NodeRoom.of(node, onNode);
                sums.forEach((resource, sum) -> {
                    sum.free += room.of(resource);
                    sum.unusable += room.unusable(resource, sizes);
                });
            }
        }
        Map<ResourceName, ResourceBalance> byResource = new LinkedHashMap<>();
        sums.forEach((resource, sum) -> byResource.put(resource, sum.balance()));
        return new ClusterBalance(pods, emptyNodes, byResource);
    }

    /** Returns whether a node with these pods counts as empty. */
    static boolean isEmpty(Collection<Pod> onNode) {
        return onNode.stream().allMatch(ClusterBalance::belongsToNode);
    }

    /** Returns whether a pod has ended, or belongs to its node. */
    static boolean belongsToNode(Pod pod) {
        RecreatedPod.Fate fate = RecreatedPod.fateOf(pod);
        return fate == RecreatedPod.Fate.OF_NODE || fate == RecreatedPod.Fate.ENDED;
    }

    private static Map<String, ResourceName> others(Collection<Node> nodes) {
        Map<String, ResourceName> names = new HashMap<>();
        for (Node node : nodes) {
            Resources allocatable = node.allocatableResources();
            for (int i = 0; i < allocatable.scalarCount(); i++) {
                if (allocatable.scalarAmount(i) > 0) {
                    names.put(allocatable.scalarName(i), ResourceName.of(allocatable.scalarName(i)));
                }
            }
        }
        return names;
    }

    /** The sums over the nodes that have some of a resource. */
    private static final class Sum {
        private final List<Double> shares = new ArrayList<>();
        private long allocatable;
        private long requested;
        private double free;
        private double unusable;

        void add(long ofNode, long byPods) {
            if (ofNode > 0) {
                allocatable += ofNode;
                requested += byPods;
                shares.add(100.0 * byPods / ofNode);
            }
        }

        ResourceBalance balance() {
            double mean = shares.stream().mapToDouble(share -> share).average().orElse(0);
            double variance = shares.stream()
                    .mapToDouble(share -> (share - mean) * (share - mean))
                    .average()
                    .orElse(0);
            return new ResourceBalance(
                    allocatable, requested, Math.sqrt(variance), free == 0 ? 0 : 100 * unusable / free);
        }
    }
}
