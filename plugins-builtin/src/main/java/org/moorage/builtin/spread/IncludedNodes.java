// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.NodeInfo;
import org.moorage.api.Topology;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.Pod;

/**
 * The nodes that count for pods with a node selector or node affinity, kept for recent templates: they are the same for
 * all pods of a template, as long as no label of a node changes. Safe for use by several threads.
 */
final class IncludedNodes {
    private static final int MOST = 32;

    private final Map<Key, Included> known = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Included> eldest) {
            return size() > MOST;
        }
    };

    /** The conditions that decide. A snapshot has other topologies once a label of a node has changed. */
    private record Key(
            Topology topology,
            List<Topology> required,
            Map<String, String> nodeSelector,
            Optional<NodeSelector> nodeAffinity) {}

    /**
     * The nodes that count for a constraint.
     *
     * @param topology the topology of the constraint, without the other nodes
     * @param hasNodes whether a domain has a node that counts; read-only
     */
    record Included(Topology topology, boolean[] hasNodes) {}

    /** Returns whether labels of nodes alone decide which nodes count. */
    static boolean dependOnLabels(SpreadConstraint[] constraints) {
        for (SpreadConstraint constraint : constraints) {
            if (constraint.honorsNodeTaints()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the nodes that count for a constraint that does not honor taints.
     *
     * @param topology the topology of the constraint
     * @param required the topologies whose labels a node must have
     * @param pod the incoming pod
     * @param nodes the nodes of the snapshot
     */
    synchronized Included of(
            SpreadConstraint constraint, Topology topology, Topology[] required, Pod pod, List<NodeInfo> nodes) {
        boolean selects = constraint.honorsNodeAffinity();
        Key key = new Key(
                topology,
                List.of(required),
                selects ? pod.spec().nodeSelector() : Map.of(),
                selects ? pod.spec().affinity().nodeAffinity().required() : Optional.empty());
        Included included = known.get(key);
        if (included == null) {
            included = included(constraint, topology, required, pod, nodes);
            known.put(key, included);
        }
        return included;
    }

    private static Included included(
            SpreadConstraint constraint, Topology topology, Topology[] required, Pod pod, List<NodeInfo> nodes) {
        boolean[] hasNodes = new boolean[topology.size()];
        List<NodeInfo> counting = new ArrayList<>();
        for (NodeInfo node : nodes) {
            int domain = topology.domain(node);
            if (domain != Topology.NONE
                    && SpreadConstraint.hasAllKeys(required, node)
                    && constraint.includes(pod, node.node())) {
                hasNodes[domain] = true;
                counting.add(node);
            }
        }
        return new Included(topology.among(counting), hasNodes);
    }
}
