// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.Code;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.whatif.Fit;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/** Makes pods schedulable, pod by pod: moves as few pods as possible away from a node where the pod then fits. */
final class PodFitting {
    // The number of nodes that are tried: those that the fewest pods would have to leave.
    private static final int MOST_NODES = 32;

    private final KnownCluster cluster;
    private final PodMoves moves;
    private final Optional<Manifests.Contents> manifests;

    /** A node, and the pods that would have to leave it. */
    private record Candidate(Node node, List<Pod> pods) {}

    /**
     * A fitting of pods.
     *
     * @param manifests the manifests whose pods are to fit, once the pods are moved; empty for the pending pods
     */
    PodFitting(KnownCluster cluster, PodMoves moves, Optional<Manifests.Contents> manifests) {
        this.cluster = cluster;
        this.moves = moves;
        this.manifests = manifests;
        manifests.ifPresent(asked ->
                asked.pods().forEach(manifest -> manifest.pods().forEach(pod -> moves.exclude(pod.pod()))));
    }

    /** Moves pods until no more of the asked pods can be made to fit. */
    void run() {
        Set<Object> failed = new HashSet<>();
        boolean isFitted = true;
        while (isFitted && moves.left() > 0) {
            isFitted = false;
            for (RescheduledPod pod : unplaced()) {
                Object kind = AlikePods.of(pod.pod()).map(Object.class::cast).orElse(pod.pod());
                if (!failed.contains(kind)) {
                    if (fits(pod.pod())) {
                        isFitted = true;
                        break;
                    }
                    failed.add(kind);
                }
            }
        }
    }

    private List<RescheduledPod> unplaced() {
        return end().stream().filter(pod -> pod.nodeName().isEmpty()).toList();
    }

    /**
     * Returns the asked pods, and where they are scheduled after the moves; of the pending pods those that are still
     * pending.
     */
    List<RescheduledPod> end() {
        try (Transaction trial = moves.transaction().begin()) {
            return end(trial, moves.pending());
        }
    }

    // Those of manifests are scheduled in the transaction.
    private List<RescheduledPod> end(Transaction trial, List<RescheduledPod> pending) {
        return manifests
                .map(asked -> cluster.rescheduling(trial)
                        .withoutPreemption()
                        .waiting(asked)
                        .schedule()
                        .pods())
                .orElse(pending);
    }

    private static int unplaced(List<RescheduledPod> pods) {
        return (int) pods.stream().filter(pod -> pod.nodeName().isEmpty()).count();
    }

    private boolean fits(Pod pod) {
        int before = unplaced().size();
        PodMoves.Goal goal = new PodMoves.Goal() {
            @Override
            public boolean mayBeReached(Transaction trial, Set<String> changed) {
                return manifests.isPresent() || trial.fits(pod).fits();
            }

            @Override
            public boolean isReached(Transaction trial, Set<String> changed, List<RescheduledPod> pending) {
                try (Transaction inner = trial.begin()) {
                    return unplaced(end(inner, pending)) < before;
                }
            }
        };
        for (Candidate candidate : candidates(pod)) {
            if (moves.keep(candidate.pods, goal)) {
                return true;
            }
        }
        return false;
    }

    private List<Candidate> candidates(Pod pod) {
        List<Candidate> candidates = new ArrayList<>();
        try (Transaction trial = moves.transaction().begin()) {
            List<RescheduledPod> ignored = end(trial, moves.pending());
            Fit fit;
            try {
                fit = trial.fits(pod);
            } catch (RuntimeException failedPlugin) {
                // The message of the pod has the plugin and its failure.
                return List.of();
            }
            for (Node node : cluster.nodes().values()) {
                Optional<PluginStatus> rejection = fit.whyNot(node.name());
                if (rejection.isPresent() && rejection.get().status().code() == Code.UNSCHEDULABLE) {
                    candidate(pod, node, trial.podsOn(node.name())).ifPresent(candidates::add);
                }
            }
        }
        candidates.removeIf(candidate -> !mayLeave(candidate));
        candidates.sort(Comparator.<Candidate>comparingInt(candidate -> candidate.pods.size())
                .thenComparingDouble(candidate -> NodeRoom.share(candidate.pods, candidate.node))
                .thenComparing(candidate -> candidate.node.name()));
        return candidates.subList(0, Math.min(MOST_NODES, candidates.size()));
    }

    // The pods with most of the missing resources leave first; pods whose removal turns out to be unnecessary stay.
    private Optional<Candidate> candidate(Pod pod, Node node, List<Pod> onNode) {
        List<Pod> stay = new ArrayList<>(onNode);
        List<Pod> leave = new ArrayList<>();
        List<Pod> movable =
                new ArrayList<>(onNode.stream().filter(moves::isMovable).toList());
        NodeRoom room = NodeRoom.of(node, stay);
        while (!room.fits(pod) && !movable.isEmpty() && leave.size() < moves.left()) {
            NodeRoom now = room;
            Pod next = movable.stream()
                    .max(Comparator.<Pod>comparingDouble(other -> now.relief(pod, other))
                            .thenComparing(Comparator.comparing(Pod::key).reversed()))
                    .orElseThrow();
            if (room.freePods() > 0 && room.relief(pod, next) == 0) {
                return Optional.empty();
            }
            movable.remove(next);
            stay.remove(next);
            leave.add(next);
            room = NodeRoom.of(node, stay);
        }
        if (leave.isEmpty() || !room.fits(pod)) {
            return Optional.empty();
        }
        for (Pod other : List.copyOf(leave)) {
            stay.add(other);
            if (NodeRoom.of(node, stay).fits(pod)) {
                leave.remove(other);
            } else {
                stay.remove(other);
            }
        }
        return Optional.of(new Candidate(node, leave));
    }

    private boolean mayLeave(Candidate candidate) {
        return candidate.pods.stream()
                .allMatch(pod -> moves.target(pod)
                        .map(target -> !target.isEmpty() && !target.equals(candidate.node.name()))
                        .orElse(true));
    }
}
