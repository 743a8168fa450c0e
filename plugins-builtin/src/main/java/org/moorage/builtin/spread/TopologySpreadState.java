// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import java.util.Arrays;
import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.Topology;
import org.moorage.api.model.Pod;

/** The {@code DoNotSchedule} constraints of the incoming pod and the matching pods of each domain. Immutable. */
final class TopologySpreadState {
    private final SpreadConstraint[] constraints;
    private final Topology[] topologies;
    // By constraint, 1 if it matches the incoming pod itself, otherwise 0.
    private final int[] selfMatch;
    private final DomainCounts[] counts;

    private TopologySpreadState(
            SpreadConstraint[] constraints, Topology[] topologies, int[] selfMatch, DomainCounts[] counts) {
        this.constraints = constraints;
        this.topologies = topologies;
        this.selfMatch = selfMatch;
        this.counts = counts;
    }

    /**
     * Counts the matching pods of the cluster.
     *
     * @param included the nodes that count for recent pods
     */
    static TopologySpreadState of(List<SpreadConstraint> list, Pod pod, Snapshot snapshot, IncludedNodes included) {
        SpreadConstraint[] constraints = list.toArray(SpreadConstraint[]::new);
        int size = constraints.length;
        Topology[] topologies = new Topology[size];
        PodCount[] matchingPods = new PodCount[size];
        int[][] matching = new int[size][];
        boolean[][] isEligible = new boolean[size][];
        int[] selfMatch = new int[size];
        for (int c = 0; c < size; c++) {
            topologies[c] = snapshot.topology(constraints[c].topologyKey());
            matchingPods[c] = constraints[c].matchingPods(pod.namespace(), snapshot);
            matching[c] = new int[topologies[c].size()];
            isEligible[c] = new boolean[topologies[c].size()];
            selfMatch[c] = constraints[c].selector().matches(pod.labels()) ? 1 : 0;
        }
        // In most clusters and for most pods no node is excluded; then the nodes do not have to be visited.
        boolean includesAll = SpreadConstraint.includeAllNodes(constraints, topologies, pod);
        for (int c = 0; c < size && includesAll; c++) {
            matching[c] = matchingPods[c].in(topologies[c]);
            Arrays.fill(isEligible[c], true);
        }
        boolean dependsOnLabels = IncludedNodes.dependOnLabels(constraints);
        for (int c = 0; c < size && dependsOnLabels && !includesAll; c++) {
            IncludedNodes.Included counting =
                    included.of(constraints[c], topologies[c], topologies, pod, snapshot.nodes());
            matching[c] = matchingPods[c].in(counting.topology());
            isEligible[c] = counting.hasNodes();
        }
        List<NodeInfo> nodes = includesAll || dependsOnLabels ? List.of() : snapshot.nodes();
        int nodeCount = nodes.size();
        for (int i = 0; i < nodeCount; i++) {
            NodeInfo node = nodes.get(i);
            if (!SpreadConstraint.hasAllKeys(topologies, node)) {
                continue;
            }
            for (int c = 0; c < size; c++) {
                if (constraints[c].includes(pod, node.node())) {
                    int domain = topologies[c].domain(node);
                    isEligible[c][domain] = true;
                    matching[c][domain] += matchingPods[c].on(node);
                }
            }
        }
        DomainCounts[] counts = new DomainCounts[size];
        for (int c = 0; c < size; c++) {
            counts[c] = new DomainCounts(matching[c], isEligible[c]);
        }
        return new TopologySpreadState(constraints, topologies, selfMatch, counts);
    }

    /** Returns the state with an existing pod added to a node (1), or removed from it (-1). */
    TopologySpreadState with(Pod pod, Pod existing, NodeInfo node, int amount) {
        if (!existing.namespace().equals(pod.namespace()) || !SpreadConstraint.hasAllKeys(topologies, node)) {
            return this;
        }
        DomainCounts[] changed = counts.clone();
        for (int c = 0; c < constraints.length; c++) {
            // As in kube-scheduler, and unlike in of(), terminating pods and selectors that match everything count.
            if (constraints[c].selector().matches(existing.labels()) && constraints[c].includes(pod, node.node())) {
                changed[c] = changed[c].plus(topologies[c].domain(node), amount);
            }
        }
        return new TopologySpreadState(constraints, topologies, selfMatch, changed);
    }

    /** Returns whether the node satisfies all constraints. */
    Status check(NodeInfo node) {
        for (int c = 0; c < constraints.length; c++) {
            int domain = topologies[c].domain(node);
            if (domain == Topology.NONE) {
                return PodTopologySpread.LABEL_MISSING;
            }
            int globalMinimum = counts[c].eligibleDomains() < constraints[c].minDomains() ? 0 : counts[c].minimum();
            int skew = counts[c].of(domain) + selfMatch[c] - globalMinimum;
            if (skew > constraints[c].maxSkew()) {
                return PodTopologySpread.CONSTRAINTS_NOT_MATCHED;
            }
        }
        return Status.success();
    }
}
