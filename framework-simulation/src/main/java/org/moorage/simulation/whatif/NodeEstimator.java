// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.NodeEstimate.Attempt;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * Finds the fewest nodes of a type that have all pods find a place that wait, as an estimator of the cluster autoscaler does, but with the decisions
 * of the scheduler. The cluster stays as it is. Safe for use by several threads.
 *
 * <p>First the pods go to the nodes that are there; the new nodes are for those that find no place then. With more nodes a pod seldom has less
 * of a choice, but it may: so numbers are doubled until all pods find a place, and the least that is enough is found by bisection. One node
 * less than the answer has been tried, too.
 */
public final class NodeEstimator {
    private final KnownCluster cluster;
    private final IntConsumer progress;

    /**
     * Estimates for a cluster.
     *
     * @param cluster the cluster as it is
     * @param progress is told how many numbers of nodes have been tried
     */
    public NodeEstimator(KnownCluster cluster, IntConsumer progress) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.progress = Objects.requireNonNull(progress, "progress");
    }

    /**
     * Estimates the nodes of a type. If not all pods find a place, the answer is the least number with which as many do as with the most.
     *
     * @param waiting the pods that wait
     * @param upto the most nodes to try, at least 1; more than there are pods to place are not tried
     * @throws IllegalArgumentException if {@code upto} is less
     */
    public NodeEstimate estimate(NodeTemplate type, Collection<Pod> waiting, int upto) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(waiting, "waiting");
        if (upto < 1) {
            throw new IllegalArgumentException("upto: " + upto + " (expected: 1 or more)");
        }
        try (Transaction tried = cluster.whatIf().begin()) {
            RescheduledPods before =
                    cluster.rescheduling(tried).waiting(waiting).schedule();
            // One that belongs to a node that is there gets no other.
            List<Pod> left = before.unplaced().stream()
                    .map(RescheduledPod::pod)
                    .filter(pod -> RecreatedPod.fateOf(pod) != RecreatedPod.Fate.OF_NODE)
                    .toList();
            int placedBefore = before.pods().size() - before.unplaced().size();
            Search search = new Search(tried, type, left, Math.min(upto, left.size()));
            int nodes = left.isEmpty() ? 0 : search.fewest();
            return new NodeEstimate(
                    type,
                    placedBefore + left.size(),
                    placedBefore,
                    nodes,
                    left.isEmpty() ? new RescheduledPods(List.of(), List.of()) : search.pods(nodes),
                    search.attempts());
        }
    }

    /** The numbers of nodes of one type that have been tried. */
    private final class Search {
        private final Transaction tried;
        private final NodeTemplate type;
        private final List<Pod> waiting;
        private final int upto;
        private final NavigableMap<Integer, Integer> leftByNodes = new TreeMap<>();
        private int latestNodes = -1;
        private RescheduledPods latest = new RescheduledPods(List.of(), List.of());

        Search(Transaction tried, NodeTemplate type, List<Pod> waiting, int upto) {
            this.tried = tried;
            this.type = type;
            this.waiting = waiting;
            this.upto = upto;
        }

        int fewest() {
            leftByNodes.put(0, waiting.size());
            int nodes = Math.min(upto, atLeast());
            // Some types are of no use at all, as those with a taint: then two numbers tell.
            if (left(nodes) == waiting.size() && left(upto) == waiting.size()) {
                return 0;
            }
            while (left(nodes) > 0 && nodes < upto) {
                nodes = (int) Math.min(upto, 2L * nodes);
            }
            int target = leftByNodes.values().stream().min(Integer::compare).orElse(0);
            int enough = leftByNodes.entrySet().stream()
                    .filter(entry -> entry.getValue() == target)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse(0);
            int tooFew = Objects.requireNonNullElse(leftByNodes.lowerKey(enough), 0);
            while (enough - tooFew > 1) {
                int middle = (tooFew + enough) >>> 1;
                if (left(middle) <= target) {
                    enough = middle;
                } else {
                    tooFew = middle;
                }
            }
            return enough;
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
            int left = pods(nodes).unplaced().size();
            leftByNodes.put(nodes, left);
            progress.accept(leftByNodes.size());
            return left;
        }

        RescheduledPods pods(int nodes) {
            if (nodes != latestNodes) {
                try (Transaction more = tried.begin()) {
                    latest = cluster.rescheduling(more.with(type.newNodes(nodes)))
                            .waiting(waiting)
                            .schedule();
                    latestNodes = nodes;
                }
            }
            return latest;
        }

        List<Attempt> attempts() {
            List<Attempt> attempts = new ArrayList<>();
            leftByNodes.forEach((nodes, left) -> attempts.add(new Attempt(nodes, left)));
            return attempts;
        }
    }
}
