// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.model.Pod;

/**
 * The cluster's nodes and their pods as one scheduling cycle sees them.
 *
 * <p>It does not change while a cycle runs. Nodes are numbered from 0 in the order in which kube-scheduler lists them:
 * zone by zone in turn, so that two nodes in a row are of different zones.
 */
public interface Snapshot {
    /** All nodes, ordered by {@link NodeInfo#index()}. */
    List<NodeInfo> nodes();

    /** The node of that name, or empty. */
    Optional<NodeInfo> node(String name);

    /** The nodes that have a pod with pod affinity or anti-affinity, required or preferred. */
    List<NodeInfo> nodesWithAffinityPods();

    /** The nodes that have a pod with required pod anti-affinity. */
    List<NodeInfo> nodesWithRequiredAntiAffinityPods();

    /** The topology domains of a node label. */
    default Topology topology(String key) {
        return Topology.of(key, nodes());
    }

    /**
     * Counts the pods that a predicate holds for, as they are in the running cycle, on a node or in topology domains.
     *
     * <p>A snapshot may keep the counts for predicates that are equal, and then count again only on nodes that have changed.
     *
     * @param which depends on nothing but the pod; in the same cycle and later, one that is equal to it holds for the same pods
     */
    default PodCount count(Predicate<Pod> which) {
        return PodCount.of(nodes(), which);
    }

    /** Whether any node has the container image of exactly this name. */
    default boolean hasImage(String name) {
        for (NodeInfo node : nodes()) {
            if (node.image(name).nodes() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether a volume of a pod on a node names this claim. */
    boolean isClaimInUse(String namespace, String claimName);

    /** The groups of pods as the cycle sees them. */
    default PodGroupLister podGroups() {
        return PodGroupLister.NONE;
    }
}
