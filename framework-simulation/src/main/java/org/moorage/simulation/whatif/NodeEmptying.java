// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.RebalancePlan.Move;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/** The emptying of nodes, those with the fewest pods first. */
final class NodeEmptying {
    private static final String TO_EMPTY_NODE = "the replacement would be scheduled to an empty node";

    private final KnownCluster cluster;
    private final PodMoves moves;
    private final Set<String> empty = new HashSet<>();
    // Until moves are kept.
    private final Map<String, NodeRoom> rooms = new HashMap<>();

    /** A node, and the pods that have to leave it. */
    private record Candidate(Node node, List<Pod> pods) {}

    NodeEmptying(KnownCluster cluster, PodMoves moves) {
        this.cluster = cluster;
        this.moves = moves;
    }

    /** Empties nodes until no more can be emptied. */
    void run() {
        boolean isEmptied = true;
        while (isEmptied) {
            isEmptied = false;
            for (Candidate candidate : candidates()) {
                isEmptied |= empties(candidate);
            }
        }
    }

    private List<Candidate> candidates() {
        List<Candidate> candidates = new ArrayList<>();
        for (Node node : cluster.nodes().values()) {
            List<Pod> pods = podsToMove(node);
            if (pods.isEmpty()) {
                empty.add(node.name());
            } else if (pods.stream().filter(moves::isMovable).count() == pods.size() && pods.size() <= moves.left()) {
                pods.sort(NodeRoom.largestFirst(node));
                candidates.add(new Candidate(node, pods));
            }
        }
        candidates.sort(Comparator.<Candidate>comparingInt(candidate -> candidate.pods.size())
                .thenComparingDouble(candidate -> NodeRoom.share(candidate.pods, candidate.node))
                .thenComparing(candidate -> candidate.node.name()));
        return candidates;
    }

    private List<Pod> podsToMove(Node node) {
        List<Pod> pods = new ArrayList<>(moves.transaction().podsOn(node.name()));
        pods.removeIf(ClusterBalance::belongsToNode);
        return pods;
    }

    // Other pods may have been scheduled to the node since.
    private boolean empties(Candidate candidate) {
        String nodeName = candidate.node.name();
        if (podsToMove(candidate.node).size() > candidate.pods.size()) {
            return false;
        }
        if (!mayFitElsewhere(candidate)) {
            candidate.pods.forEach(pod -> moves.refuse(pod, "the pods of the node do not fit on the other nodes"));
            return false;
        }
        for (Pod pod : candidate.pods) {
            Optional<String> obstacle = moves.target(pod).flatMap(target -> objection(target, nodeName));
            if (obstacle.isPresent()) {
                moves.refuse(pod, obstacle.get());
                return false;
            }
        }
        PodMoves.Goal isEmpty = new PodMoves.Goal() {
            @Override
            public Optional<String> objection(Move move) {
                return move.to().filter(empty::contains).map(any -> TO_EMPTY_NODE);
            }

            @Override
            public boolean isReached(Transaction trial, Set<String> changed, List<RescheduledPod> pending) {
                return ClusterBalance.isEmpty(trial.podsOn(nodeName));
            }
        };
        if (!moves.keep(candidate.pods, isEmpty)) {
            return false;
        }
        rooms.clear();
        return empty.add(nodeName);
    }

    private Optional<String> objection(String target, String nodeName) {
        if (target.isEmpty()) {
            return Optional.of("the replacement would be unschedulable");
        }
        if (target.equals(nodeName)) {
            return Optional.of("the replacement would be scheduled to the same node");
        }
        return empty.contains(target) ? Optional.of(TO_EMPTY_NODE) : Optional.empty();
    }

    // Compares with the total free resources of the other non-empty nodes.
    private boolean mayFitElsewhere(Candidate candidate) {
        Map<ResourceName, Long> free = new HashMap<>();
        for (Node node : cluster.nodes().values()) {
            if (!node.unschedulable() && !empty.contains(node.name()) && node != candidate.node) {
                rooms.computeIfAbsent(
                                node.name(),
                                name -> NodeRoom.of(node, moves.transaction().podsOn(name)))
                        .free()
                        .forEach((resource, amount) -> free.merge(resource, amount, Long::sum));
            }
        }
        return new NodeRoom(free, Long.MAX_VALUE)
                .fits(candidate.pods.stream()
                        .filter(pod -> RecreatedPod.fateOf(pod) == RecreatedPod.Fate.CREATED_AGAIN)
                        .toList());
    }
}
