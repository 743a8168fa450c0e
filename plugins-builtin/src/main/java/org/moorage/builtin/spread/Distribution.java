// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Topology;
import org.moorage.api.model.Pod;

/** How the pods that count are distributed, for constraints that must hold. Immutable. */
final class Distribution {
    private final Constraint[] constraints;
    private final Topology[] topologies;
    private final int[] self;
    private final DomainCounts[] counts;

    private Distribution(Constraint[] constraints, Topology[] topologies, int[] self, DomainCounts[] counts) {
        this.constraints = constraints;
        this.topologies = topologies;
        this.self = self;
        this.counts = counts;
    }

    /** How an answer about a node comes out. */
    enum Answer {
        FITS,
        TOO_SKEWED,
        LACKS_LABEL
    }

    /** The distribution in a cluster, seen by the pod to schedule. */
    static Distribution of(List<Constraint> list, Pod pod, Snapshot snapshot) {
        Constraint[] constraints = list.toArray(Constraint[]::new);
        int size = constraints.length;
        Topology[] topologies = new Topology[size];
        int[][] found = new int[size][];
        boolean[][] eligible = new boolean[size][];
        int[] self = new int[size];
        for (int c = 0; c < size; c++) {
            topologies[c] = snapshot.topology(constraints[c].topologyKey());
            found[c] = new int[topologies[c].size()];
            eligible[c] = new boolean[topologies[c].size()];
            self[c] = constraints[c].selector().matches(pod.labels()) ? 1 : 0;
        }
        List<NodeInfo> nodes = snapshot.nodes();
        for (int i = 0; i < nodes.size(); i++) {
            NodeInfo node = nodes.get(i);
            if (!Constraint.isIn(topologies, node)) {
                continue;
            }
            for (int c = 0; c < size; c++) {
                if (constraints[c].includes(pod, node.node())) {
                    int domain = topologies[c].domain(node);
                    eligible[c][domain] = true;
                    found[c][domain] += constraints[c].count(node, pod.namespace());
                }
            }
        }
        DomainCounts[] counts = new DomainCounts[size];
        for (int c = 0; c < size; c++) {
            counts[c] = new DomainCounts(found[c], eligible[c]);
        }
        return new Distribution(constraints, topologies, self, counts);
    }

    /** The distribution if there were some more (or fewer) of another pod on a node. */
    Distribution plus(Pod pod, Pod other, NodeInfo node, int more) {
        if (!other.namespace().equals(pod.namespace()) || !Constraint.isIn(topologies, node)) {
            return this;
        }
        DomainCounts[] changed = counts.clone();
        for (int c = 0; c < constraints.length; c++) {
            // Unlike the first count this one takes pods that are being deleted, and selectors that take everything.
            if (constraints[c].selector().matches(other.labels()) && constraints[c].includes(pod, node.node())) {
                changed[c] = changed[c].plus(topologies[c].domain(node), more);
            }
        }
        return new Distribution(constraints, topologies, self, changed);
    }

    /** Whether the pod can go to a node. */
    Answer check(NodeInfo node) {
        for (int c = 0; c < constraints.length; c++) {
            int domain = topologies[c].domain(node);
            if (domain == Topology.NONE) {
                return Answer.LACKS_LABEL;
            }
            int least = counts[c].eligible() < constraints[c].minDomains() ? 0 : counts[c].lowest();
            if (counts[c].of(domain) + self[c] - least > constraints[c].maxSkew()) {
                return Answer.TOO_SKEWED;
            }
        }
        return Answer.FITS;
    }
}
