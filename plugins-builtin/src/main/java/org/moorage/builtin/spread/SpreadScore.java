// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.Topology;
import org.moorage.api.model.Pod;

/** Scores nodes by constraints that had better hold. Immutable. */
final class SpreadScore {
    private static final String HOSTNAME = "kubernetes.io/hostname";

    private final Constraint[] constraints;
    private final Topology[] topologies;
    private final boolean needsAllKeys;
    private final boolean[] isByHost;
    private final long[][] counts;
    private final double[] weights;

    /**
     * The score for a pod.
     *
     * @param list the constraints
     * @param pod the pod to schedule
     * @param snapshot the cluster
     * @param feasible the nodes to score
     * @param needsAllKeys whether nodes that lack a topology key are left out
     */
    SpreadScore(List<Constraint> list, Pod pod, Snapshot snapshot, List<NodeInfo> feasible, boolean needsAllKeys) {
        constraints = list.toArray(Constraint[]::new);
        this.needsAllKeys = needsAllKeys;
        int size = constraints.length;
        topologies = new Topology[size];
        isByHost = new boolean[size];
        boolean[][] isScored = new boolean[size][];
        for (int c = 0; c < size; c++) {
            topologies[c] = snapshot.topology(constraints[c].topologyKey());
            isByHost[c] = constraints[c].topologyKey().equals(HOSTNAME);
            isScored[c] = new boolean[topologies[c].size() + 1];
        }
        weights = weights(feasible, isScored);
        counts = counts(pod, snapshot.nodes(), isScored);
    }

    // Domains of few nodes weigh less, so that they are not drowned by those of many. Marks the domains that are
    // scored.
    private double[] weights(List<NodeInfo> feasible, boolean[][] isScored) {
        int[] sizes = new int[constraints.length];
        for (int i = 0; i < feasible.size(); i++) {
            NodeInfo node = feasible.get(i);
            if (isIgnored(node)) {
                continue;
            }
            for (int c = 0; c < constraints.length; c++) {
                int slot = slot(c, node);
                if (isByHost[c]) {
                    sizes[c]++;
                } else if (!isScored[c][slot]) {
                    isScored[c][slot] = true;
                    sizes[c]++;
                }
            }
        }
        double[] result = new double[sizes.length];
        for (int c = 0; c < result.length; c++) {
            result[c] = Math.log(sizes[c] + 2);
        }
        return result;
    }

    private long[][] counts(Pod pod, List<NodeInfo> nodes, boolean[][] isScored) {
        long[][] result = new long[constraints.length][];
        for (int c = 0; c < result.length; c++) {
            result[c] = new long[isScored[c].length];
            // What is on a host is counted when that host is scored.
            if (isByHost[c]) {
                continue;
            }
            for (int i = 0; i < nodes.size(); i++) {
                NodeInfo node = nodes.get(i);
                if (node.podCount() == 0 || isIgnored(node)) {
                    continue;
                }
                int slot = slot(c, node);
                if (isScored[c][slot] && constraints[c].includes(pod, node.node())) {
                    result[c][slot] += constraints[c].count(node, pod.namespace());
                }
            }
        }
        return result;
    }

    // Nodes without the key are a domain of their own, together with those whose value is empty.
    private int slot(int constraint, NodeInfo node) {
        int domain = topologies[constraint].domain(node);
        if (domain != Topology.NONE) {
            return domain;
        }
        int ofEmpty = topologies[constraint].domainOf("");
        return ofEmpty == Topology.NONE ? topologies[constraint].size() : ofEmpty;
    }

    private boolean isIgnored(NodeInfo node) {
        return needsAllKeys && !Constraint.isIn(topologies, node);
    }

    /** The sum of the weighted counts of the domains that a node is in; the fewer, the better. */
    long of(NodeInfo node, Pod pod) {
        if (isIgnored(node)) {
            return 0;
        }
        double sum = 0;
        for (int c = 0; c < constraints.length; c++) {
            int domain = topologies[c].domain(node);
            if (domain != Topology.NONE) {
                long count = isByHost[c] ? constraints[c].count(node, pod.namespace()) : counts[c][domain];
                sum += count * weights[c] + (constraints[c].maxSkew() - 1);
            }
        }
        return Math.round(sum);
    }

    /** Turned round, so that the fewer get the more. */
    NodeScores normalized(NodeScores scores) {
        long lowest = Long.MAX_VALUE;
        long highest = 0;
        for (int i = 0; i < scores.size(); i++) {
            if (!isIgnored(scores.node(i))) {
                lowest = Math.min(lowest, scores.score(i));
                highest = Math.max(highest, scores.score(i));
            }
        }
        long[] result = new long[scores.size()];
        for (int i = 0; i < result.length; i++) {
            if (!isIgnored(scores.node(i))) {
                result[i] =
                        highest == 0 ? NodeScores.MAX : NodeScores.MAX * (highest + lowest - scores.score(i)) / highest;
            }
        }
        return scores.with(result);
    }
}
