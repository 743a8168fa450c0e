// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.PodCount;
import org.moorage.api.Snapshot;
import org.moorage.api.Topology;
import org.moorage.api.model.Pod;

/** Scores nodes by the {@code ScheduleAnyway} constraints of the incoming pod. Immutable. */
final class TopologySpreadScore {
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final int NO_CONSTRAINT = -1;
    // Scores in a wider range are normalized one by one.
    private static final int MOST_KNOWN_SCORES = 1 << 10;

    private final SpreadConstraint[] constraints;
    private final Topology[] topologies;
    // Whether nodes that lack a topology key are ignored, and there are such nodes.
    private final boolean ignoresNodes;
    private final boolean[] isHostname;
    private final PodCount[] matchingPods;
    // By constraint and domain index: the matching pods. Not used for the hostname key.
    private final int[][] counts;
    private final double[] weights;
    // The constraint by hostname, and the scores of nodes without matching pods by domain index of the only other
    // constraint: most nodes have no pods of the incoming pod's template. Empty if there are other constraints or nodes
    // without hostname.
    private final int host;
    private final int other;
    private final long[] scoresWithoutPods;

    /**
     * Counts the matching pods.
     *
     * @param list the constraints
     * @param pod the incoming pod
     * @param snapshot the cluster
     * @param feasible the nodes to score
     * @param requiresAllTopologies whether nodes that lack a topology key are ignored
     * @param included the nodes that count for recent pods
     */
    TopologySpreadScore(
            List<SpreadConstraint> list,
            Pod pod,
            Snapshot snapshot,
            List<NodeInfo> feasible,
            boolean requiresAllTopologies,
            IncludedNodes included) {
        constraints = list.toArray(SpreadConstraint[]::new);
        int size = constraints.length;
        topologies = new Topology[size];
        isHostname = new boolean[size];
        matchingPods = new PodCount[size];
        boolean[][] isScored = new boolean[size][];
        boolean haveAllNodes = true;
        for (int c = 0; c < size; c++) {
            topologies[c] = snapshot.topology(constraints[c].topologyKey());
            isHostname[c] = constraints[c].topologyKey().equals(HOSTNAME);
            matchingPods[c] = constraints[c].matchingPods(pod.namespace(), snapshot);
            isScored[c] = new boolean[isHostname[c] ? 0 : topologies[c].size() + 1];
            haveAllNodes &= topologies[c].hasAllNodes();
        }
        ignoresNodes = requiresAllTopologies && !haveAllNodes;
        weights = weights(feasible, isScored);
        if (SpreadConstraint.includeAllNodes(constraints, topologies, pod)) {
            counts = countsInAll();
        } else if (IncludedNodes.dependOnLabels(constraints) && !countsNodesWithoutKey()) {
            counts = counts(pod, snapshot.nodes(), included);
        } else {
            counts = counts(pod, snapshot.nodes(), isScored);
        }
        host = first(true);
        other = first(false);
        scoresWithoutPods = scoresWithoutPods();
    }

    private int first(boolean ofHostname) {
        for (int c = 0; c < constraints.length; c++) {
            if (isHostname[c] == ofHostname) {
                return c;
            }
        }
        return NO_CONSTRAINT;
    }

    private long[] scoresWithoutPods() {
        boolean isUsable = host != NO_CONSTRAINT
                && other != NO_CONSTRAINT
                && constraints.length == 2
                && topologies[host].hasAllNodes();
        long[] scores = new long[isUsable ? topologies[other].size() : 0];
        for (int domain = 0; domain < scores.length; domain++) {
            double ofHost = term(host, 0);
            double ofOther = term(other, counts[other][domain]);
            // In the order of the constraints, as in of().
            scores[domain] = Math.round(host < other ? 0 + ofHost + ofOther : 0 + ofOther + ofHost);
        }
        return scores;
    }

    private double term(int constraint, long count) {
        return count * weights[constraint] + (constraints[constraint].maxSkew() - 1);
    }

    // Computes weights and marks the domains to score. A constraint with many domains weighs more, since each domain
    // has fewer of the pods.
    private double[] weights(List<NodeInfo> feasible, boolean[][] isScored) {
        int[] sizes = new int[constraints.length];
        for (int c = 0; c < sizes.length; c++) {
            sizes[c] = isHostname[c] && !ignoresNodes ? feasible.size() : scored(c, feasible, isScored[c]);
        }
        double[] result = new double[sizes.length];
        for (int c = 0; c < result.length; c++) {
            result[c] = Math.log(sizes[c] + 2);
        }
        return result;
    }

    // Returns the number of domains to score, or of nodes for the hostname key.
    private int scored(int constraint, List<NodeInfo> feasible, boolean[] isScored) {
        int domains = topologies[constraint].hasAllNodes() ? topologies[constraint].size() : isScored.length;
        int scored = 0;
        for (int i = 0; i < feasible.size() && (isHostname[constraint] || scored < domains); i++) {
            NodeInfo node = feasible.get(i);
            if (isIgnored(node)) {
                continue;
            }
            int domain = domainIndex(constraint, node);
            if (isHostname[constraint]) {
                scored++;
            } else if (!isScored[domain]) {
                isScored[domain] = true;
                scored++;
            }
        }
        return scored;
    }

    private int[][] countsInAll() {
        int[][] result = new int[constraints.length][];
        for (int c = 0; c < result.length; c++) {
            result[c] = isHostname[c] ? new int[0] : matchingPods[c].in(topologies[c]);
        }
        return result;
    }

    // Whether nodes that lack a key are in the domain of nodes whose value is empty.
    private boolean countsNodesWithoutKey() {
        for (Topology topology : topologies) {
            if (!ignoresNodes && !topology.hasAllNodes() && topology.domainOf("") != Topology.NONE) {
                return true;
            }
        }
        return false;
    }

    private int[][] counts(Pod pod, List<NodeInfo> nodes, IncludedNodes included) {
        Topology[] required = ignoresNodes ? topologies : new Topology[0];
        int[][] result = new int[constraints.length][];
        for (int c = 0; c < result.length; c++) {
            result[c] = isHostname[c]
                    ? new int[0]
                    : matchingPods[c].in(included.of(constraints[c], topologies[c], required, pod, nodes)
                            .topology());
        }
        return result;
    }

    private int[][] counts(Pod pod, List<NodeInfo> nodes, boolean[][] isScored) {
        int[][] result = new int[constraints.length][];
        for (int c = 0; c < result.length; c++) {
            result[c] = new int[isScored[c].length];
            // The pods of a hostname domain are those of one node, counted when that node is scored.
            if (isHostname[c]) {
                continue;
            }
            for (int i = 0; i < nodes.size(); i++) {
                NodeInfo node = nodes.get(i);
                if (node.podCount() == 0 || isIgnored(node)) {
                    continue;
                }
                int domain = domainIndex(c, node);
                if (isScored[c][domain] && constraints[c].includes(pod, node.node())) {
                    result[c][domain] += matchingPods[c].on(node);
                }
            }
        }
        return result;
    }

    // Nodes without the key are one domain, the same as that of nodes whose value is empty.
    private int domainIndex(int constraint, NodeInfo node) {
        int domain = topologies[constraint].domain(node);
        if (domain != Topology.NONE) {
            return domain;
        }
        int emptyValue = topologies[constraint].domainOf("");
        return emptyValue == Topology.NONE ? topologies[constraint].size() : emptyValue;
    }

    private boolean isIgnored(NodeInfo node) {
        return ignoresNodes && !SpreadConstraint.hasAllKeys(topologies, node);
    }

    /** Returns the weighted number of matching pods in the domains of a node; the lower, the better. */
    long of(NodeInfo node) {
        if (isIgnored(node)) {
            return 0;
        }
        if (scoresWithoutPods.length > 0) {
            int domain = topologies[other].domain(node);
            if (domain != Topology.NONE && matchingPods[host].on(node) == 0) {
                return scoresWithoutPods[domain];
            }
        }
        double sum = 0;
        for (int c = 0; c < constraints.length; c++) {
            int domain = topologies[c].domain(node);
            if (domain != Topology.NONE) {
                sum += term(c, isHostname[c] ? matchingPods[c].on(node) : counts[c][domain]);
            }
        }
        return Math.round(sum);
    }

    /** Scales the scores to 0 to 100; the lowest becomes the highest. */
    NodeScores normalized(NodeScores scores) {
        long lowest = Long.MAX_VALUE;
        long highest = 0;
        long[] values = scores.toArray();
        for (int i = 0; i < values.length; i++) {
            if (!ignoresNodes || !isIgnored(scores.node(i))) {
                lowest = Math.min(lowest, values[i]);
                highest = Math.max(highest, values[i]);
            }
        }
        // By the difference to the lowest score. There are few different scores, and dividing is slower.
        long[] known = new long
                [highest - lowest >= 0 && highest - lowest < MOST_KNOWN_SCORES ? (int) (highest - lowest) + 1 : 0];
        for (int i = 0; i < known.length; i++) {
            known[i] = normalized(lowest + i, lowest, highest);
        }
        for (int i = 0; i < values.length; i++) {
            if (ignoresNodes && isIgnored(scores.node(i))) {
                values[i] = 0;
            } else {
                values[i] =
                        known.length > 0 ? known[(int) (values[i] - lowest)] : normalized(values[i], lowest, highest);
            }
        }
        return scores.with(values);
    }

    private static long normalized(long score, long lowest, long highest) {
        return highest == 0 ? NodeScores.MAX : NodeScores.MAX * (highest + lowest - score) / highest;
    }
}
