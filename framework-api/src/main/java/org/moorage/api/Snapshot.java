// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.moorage.api.model.Pod;

/**
 * The cluster's nodes and their pods as one scheduling cycle sees them.
 *
 * <p>Immutable while a cycle runs. Nodes are numbered from 0 in the order in which kube-scheduler lists them:
 * round-robin across zones.
 */
public interface Snapshot {
    /** Returns all nodes, ordered by {@link NodeInfo#index()}. */
    List<NodeInfo> nodes();

    /** Returns the node with that name, or empty. */
    Optional<NodeInfo> node(String name);

    /** Returns the nodes that have a pod with pod affinity or anti-affinity, required or preferred. */
    List<NodeInfo> nodesWithAffinityPods();

    /** Returns the nodes that have a pod with required pod anti-affinity. */
    List<NodeInfo> nodesWithRequiredAntiAffinityPods();

    /**
     * Returns the groups of pods with pod affinity or anti-affinity, required or preferred; those of one template are one
     * group. {@link #count} counts the pods of a group. A group may have no pods any more.
     */
    default Set<PodsWithAffinity> podsWithAffinity() {
        Set<PodsWithAffinity> groups = new LinkedHashSet<>();
        for (NodeInfo node : nodesWithAffinityPods()) {
            for (Pod pod : node.podsWithAffinity()) {
                groups.add(PodsWithAffinity.of(pod));
            }
        }
        return groups;
    }

    /** Returns the topology domains of a node label. */
    default Topology topology(String key) {
        return Topology.of(key, nodes());
    }

    /**
     * Counts the pods that match a predicate in the current cycle, per node or per topology domain.
     *
     * <p>A snapshot may cache the counts by predicate (predicates that are equal share them) and then recount only
     * changed nodes, or evaluate a {@link TemplatePredicate} once for all pods of a template.
     *
     * @param which a predicate that depends only on the pod; equal predicates must match the same pods, in this cycle
     *     and later
     */
    default PodCount count(Predicate<Pod> which) {
        return PodCount.of(nodes(), which);
    }

    /** Returns whether any node has the container image of exactly this name. */
    default boolean hasImage(String name) {
        for (NodeInfo node : nodes()) {
            if (node.image(name).nodes() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a volume of a pod on a node uses this claim. */
    boolean isClaimInUse(String namespace, String claimName);

    /** Returns the pod groups as the cycle sees them. */
    default PodGroupLister podGroups() {
        return PodGroupLister.NONE;
    }
}
