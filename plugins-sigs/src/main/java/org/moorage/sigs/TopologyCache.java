// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.point.NodeChanges;

/** The topologies of nodes as NodeResourceTopologyMatch uses them. It reports each change of what {@link #of} returns. */
interface TopologyCache {
    /** Returns the state of a node, which follows its changes. A node that was deleted has another one later. */
    OfNode of(String node);

    /** Notes that the plugin rejected a node because its cells have too little left. */
    void rejected(String node);

    /** Notes that a pod is assumed on a node. */
    void reserved(String node, Pod pod);

    /** Notes that an assumed pod is not bound to the node. */
    void unreserved(String node, Pod pod);

    /** Notes that an assumed pod is bound to the node. */
    void bound(String node, Pod pod);

    /** The current topology of one node. */
    interface OfNode {
        /**
         * Returns whether what is known is out of date, so that no pod that needs alignment may be scheduled to the
         * node.
         */
        boolean isStale();

        /** Returns the topology of a node that is not stale; null if there is no object for it. */
        @Nullable
        NodeTopology topology();
    }

    /** The current objects, as the agents on the nodes wrote them. */
    final class Current implements TopologyCache {
        private final TypedResources<NodeTopology> objects;
        private final NodeChanges changes;
        private final Map<String, Latest> byNode = new ConcurrentHashMap<>();

        /** The latest object of a node. */
        private static final class Latest implements OfNode {
            private volatile @Nullable NodeTopology topology;

            Latest(@Nullable NodeTopology topology) {
                this.topology = topology;
            }

            @Override
            public boolean isStale() {
                return false;
            }

            @Override
            public @Nullable NodeTopology topology() {
                return topology;
            }
        }

        Current(Handle handle, TypedResources<NodeTopology> objects, NodeChanges changes) {
            this.objects = objects;
            this.changes = changes;
            handle.cluster().lister(ObjectKind.NODE);
            handle.cluster().onChange(ObjectKind.NODE, change -> {
                if (change.after().isEmpty()) {
                    byNode.remove(change.latest().name());
                    changes.add(change.latest().name());
                }
            });
            handle.cluster().onChange(NodeTopology.KIND, this::changed);
        }

        // A node whose object is being read at the moment is updated afterwards.
        private void changed(ObjectChange<OtherObject> change) {
            byNode.computeIfPresent(change.latest().name(), (node, known) -> {
                known.topology = change.after().flatMap(objects::of).orElse(null);
                return known;
            });
            changes.add(change.latest().name());
        }

        @Override
        public OfNode of(String node) {
            return byNode.computeIfAbsent(
                    node, name -> new Latest(objects.get("", name).orElse(null)));
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
     * @param changes the changes of topologies
     */
    record DiscardReserved(Current current, Map<String, Set<String>> reservedByNode, NodeChanges changes)
            implements TopologyCache {
        DiscardReserved(Current current) {
            this(current, new ConcurrentHashMap<>(), current.changes);
        }

        /** The current topology of one node. */
        private record UnlessReserved(OfNode current, String node, Map<String, Set<String>> reservedByNode)
                implements OfNode {
            @Override
            public boolean isStale() {
                return reservedByNode.containsKey(node);
            }

            @Override
            public @Nullable NodeTopology topology() {
                return current.topology();
            }
        }

        @Override
        public OfNode of(String node) {
            return new UnlessReserved(current.of(node), node, reservedByNode);
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
            changes.add(node);
        }

        @Override
        public void unreserved(String node, Pod pod) {
            reservedByNode.computeIfPresent(node, (name, pods) -> {
                pods.remove(pod.uid());
                return pods.isEmpty() ? null : pods;
            });
            changes.add(node);
        }

        @Override
        public void bound(String node, Pod pod) {
            unreserved(node, pod);
        }
    }
}
