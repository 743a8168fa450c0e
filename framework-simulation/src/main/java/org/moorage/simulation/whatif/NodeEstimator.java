// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.simulation.whatif.NodeEstimate.Attempt;
import org.moorage.simulation.whatif.NodeEstimate.End;
import org.moorage.simulation.whatif.NodeEstimate.Found;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * A search for the fewest nodes of a type with which all pending pods fit, like an estimator of cluster-autoscaler, but
 * with the decisions of the scheduler. The cluster does not change. Safe for use by several threads.
 *
 * <p>The pods are scheduled to the existing nodes first; new nodes are for those that do not fit there. The number of
 * nodes is doubled until all pods fit, and then bisected. More nodes seldom make a pod unschedulable, but they may, so
 * the numbers in between are tried as well, unless that takes too long.
 *
 * <p>The search ends early when more nodes cannot help: a pod that an empty new node in each of the zones rejects is
 * rejected by one more such node as well. That does not hold for pods of a group or gang, which fit together or not at all.
 */
public final class NodeEstimator {
    /** The numbers in between are tried if that takes at most so many looks of a pod at a node. */
    private static final long MOST_LOOKS = 5_000_000;

    private final KnownCluster cluster;
    private final int expendablePodsPriorityCutoff;
    private final IntConsumer progress;

    /**
     * Estimates for a cluster.
     *
     * @param cluster the cluster as it is
     * @param expendablePodsPriorityCutoff the priority below which pods are expendable, so that no nodes are added for
     *     them
     * @param progress receives the count of tried numbers of nodes
     */
    public NodeEstimator(KnownCluster cluster, int expendablePodsPriorityCutoff, IntConsumer progress) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.expendablePodsPriorityCutoff = expendablePodsPriorityCutoff;
        this.progress = Objects.requireNonNull(progress, "progress");
    }

    /**
     * Estimates the nodes of a type. If not all pods fit, the result is the least number with which as many fit as with
     * any other that was tried.
     *
     * @param waiting the pending pods
     * @param upto the maximum number of nodes, at least 1
     * @throws IllegalArgumentException if {@code upto} is less
     */
    public NodeEstimate estimate(NodeTemplate type, Collection<Pod> waiting, int upto) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(waiting, "waiting");
        if (upto < 1) {
            throw new IllegalArgumentException("upto: " + upto + " (expected: 1 or more)");
        }
        try (ScaleUpTrial trial = new ScaleUpTrial(cluster, waiting, expendablePodsPriorityCutoff)) {
            return trial.estimate(type, trial.pods().isEmpty() ? Found.NOTHING : new Search(trial, type, upto).find());
        }
    }

    /** The search for a number of nodes of one type. */
    private final class Search {
        private final ScaleUpTrial trial;
        private final NodeTemplate type;
        private final List<Pod> waiting;
        // More are known not to help, or are not allowed.
        private int most;
        private boolean isLimited;
        private final NavigableMap<Integer, Integer> leftByNodes = new TreeMap<>();
        private int latestNodes = -1;
        private RescheduledPods latest = new RescheduledPods(List.of(), List.of());

        Search(ScaleUpTrial trial, NodeTemplate type, int upto) {
            this.trial = trial;
            this.type = type;
            waiting = trial.pods();
            // Enough for each pod to have an empty node in each of the zones.
            long useful = (long) waiting.size() * type.kinds();
            most = (int) Math.min(upto, useful);
            isLimited = upto < useful;
            leftByNodes.put(0, waiting.size());
        }

        Found find() {
            growUntilEnough();
            bisect();
            boolean everyNumberTried = tryOthers();
            int oneOfEach = Math.min(most, type.kinds());
            int ignored = left(oneOfEach);
            int nodes = best();
            // That one more does not help is not concluded but tried.
            while (left(nodes) > 0 && nodes < most && left(nodes + 1) < left(nodes)) {
                nodes++;
            }
            int shownNodes = nodes == 0 ? oneOfEach : nodes;
            End end = left(nodes) == 0 ? End.ALL_FIT : isLimited ? End.LIMIT : End.NO_HELP;
            RescheduledPods pods = pods(shownNodes);
            List<Attempt> attempts = new ArrayList<>();
            leftByNodes.forEach((number, left) -> attempts.add(new Attempt(number, left)));
            return new Found(nodes, shownNodes, pods, trial.left(pods), attempts, end, everyNumberTried);
        }

        private void growUntilEnough() {
            int nodes = Math.min(most, atLeast());
            while (left(nodes) > 0 && nodes < most) {
                nodes = (int) Math.min(most, 2L * nodes);
            }
        }

        private void bisect() {
            int enough = best();
            int target = left(enough);
            int tooFew = Objects.requireNonNullElse(leftByNodes.lowerKey(enough), 0);
            while (enough - tooFew > 1) {
                int middle = (tooFew + enough) >>> 1;
                if (left(middle) <= target) {
                    enough = middle;
                } else {
                    tooFew = middle;
                }
            }
        }

        // Returns the smallest number of nodes that leaves the fewest pods pending.
        private int best() {
            int best = 0;
            for (Map.Entry<Integer, Integer> entry : leftByNodes.entrySet()) {
                best = entry.getValue() < left(best) ? entry.getKey() : best;
            }
            return best;
        }

        private boolean tryOthers() {
            int best = best();
            int last = left(best) == 0 ? best - 1 : most;
            long others = last - leftByNodes.headMap(last, true).size() + 1L;
            if (others * waiting.size() * (cluster.nodes().size() + last) > MOST_LOOKS) {
                return others == 0;
            }
            for (int nodes = 1; nodes <= last; nodes++) {
                int ignored = left(nodes);
            }
            return true;
        }

        // Fewer cannot have the room, if all pods go to new nodes.
        private int atLeast() {
            Resources allocatable = type.node().allocatableResources();
            List<ResourceName> names = new ArrayList<>(List.of(ResourceName.CPU, ResourceName.MEMORY));
            for (int i = 0; i < allocatable.scalarCount(); i++) {
                names.add(ResourceName.of(allocatable.scalarName(i)));
            }
            double most = 1;
            for (ResourceName name : names) {
                double requested = 0;
                for (Pod pod : waiting) {
                    requested += pod.requests().amount(name);
                }
                long room = allocatable.amount(name);
                most = room > 0 ? Math.max(most, requested / room) : most;
            }
            return (int) Math.min(Integer.MAX_VALUE, Math.ceil(most));
        }

        private int left(int nodes) {
            Integer known = leftByNodes.get(nodes);
            if (known != null) {
                return known;
            }
            RescheduledPods pods = pods(nodes);
            List<RescheduledPod> left = trial.left(pods);
            leftByNodes.put(nodes, left.size());
            progress.accept(leftByNodes.size());
            if (!left.isEmpty() && nodes <= most && isSaturated(nodes, pods, left)) {
                most = nodes;
                isLimited = false;
            }
            return left.size();
        }

        // Returns whether each zone has an empty new node, on which the pods that are left do not fit either.
        private boolean isSaturated(int nodes, RescheduledPods pods, List<RescheduledPod> left) {
            // Pods that wait for others have left the nodes that they found.
            if (left.stream()
                    .anyMatch(pod -> !pod.pod().spec().podGroupName().isEmpty()
                            || pod.reason().isWaitingForPermit())) {
                return false;
            }
            Set<String> used = new HashSet<>();
            pods.pods().forEach(pod -> pod.nodeName().ifPresent(used::add));
            Set<Integer> emptyKinds = new HashSet<>();
            for (int number = 1; number <= nodes; number++) {
                if (!used.contains(type.nodeName(number))) {
                    emptyKinds.add((number - 1) % type.kinds());
                }
            }
            return emptyKinds.size() == type.kinds();
        }

        private RescheduledPods pods(int nodes) {
            if (nodes != latestNodes) {
                latest = trial.with(type.newNodes(nodes));
                latestNodes = nodes;
            }
            return latest;
        }
    }
}
