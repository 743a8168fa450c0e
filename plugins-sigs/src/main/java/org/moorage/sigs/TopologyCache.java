// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.model.Pod;

/** The topologies of nodes as NodeResourceTopologyMatch uses them. */
interface TopologyCache {
    /**
     * Returns whether what is known of a node is out of date, so that no pod that needs alignment may be scheduled to
     * it.
     */
    boolean isStale(String node);

    /** Returns the topology of a node that is not stale; empty if there is no object for it. */
    Optional<NodeTopology> topology(String node);

    /** Notes that the plugin rejected a node because its cells have too little left. */
    void rejected(String node);

    /** Notes that a pod is assumed on a node. */
    void reserved(String node, Pod pod);

    /** Notes that an assumed pod is not bound to the node. */
    void unreserved(String node, Pod pod);

    /** Notes that an assumed pod is bound to the node. */
    void bound(String node, Pod pod);

    /** The current objects, as the agents on the nodes wrote them. */
    record Current(CustomResources<NodeTopology> objects) implements TopologyCache {
        @Override
        public boolean isStale(String node) {
            return false;
        }

        @Override
        public Optional<NodeTopology> topology(String node) {
            return objects.get("", node);
        }

        @Override
        public void rejected(String node) {}

        @Override
        public void reserved(String node, Pod pod) {}

        @Override
        public void unreserved(String node, Pod pod) {}

        @Override
        public void bound(String node, Pod pod) {}
    }

    /**
     * The current objects, but a node is stale while a pod that is assumed on it is not bound.
     *
     * @param current the current objects
     * @param reservedByNode the UIDs of the pods that are not bound, by node
     */
    record DiscardReserved(Current current, Map<String, Set<String>> reservedByNode) implements TopologyCache {
        DiscardReserved(Current current) {
            this(current, new ConcurrentHashMap<>());
        }

        @Override
        public boolean isStale(String node) {
            return reservedByNode.containsKey(node);
        }

        @Override
        public Optional<NodeTopology> topology(String node) {
            return current.topology(node);
        }

        @Override
        public void rejected(String node) {}

        @Override
        public void reserved(String node, Pod pod) {
            reservedByNode.compute(node, (name, before) -> {
                Set<String> pods = before == null ? ConcurrentHashMap.newKeySet() : before;
                pods.add(pod.uid());
                return pods;
            });
        }

        @Override
        public void unreserved(String node, Pod pod) {
            reservedByNode.computeIfPresent(node, (name, pods) -> {
                pods.remove(pod.uid());
                return pods.isEmpty() ? null : pods;
            });
        }

        @Override
        public void bound(String node, Pod pod) {
            unreserved(node, pod);
        }
    }
}
