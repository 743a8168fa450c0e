// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * Lowers the share of the free amount of a resource that is of no use, move by move, the move with the largest
 * predicted gain first.
 */
final class ResourcePacking implements PodMoves.Goal {
    // Less is an error of rounding.
    private static final double LEAST_GAIN = 1e-9;

    private final KnownCluster cluster;
    private final PodMoves moves;
    private final ResourceName resource;
    private final PodSizes sizes;
    private final Map<String, Remainder> remainders = new HashMap<>();
    private final Map<String, List<Candidate>> candidates = new HashMap<>();
    private final Map<String, Map<Resources, Double>> gainsOfTargets = new HashMap<>();
    // Those that did not help, until the pods of their node change.
    private final Map<String, Set<Object>> failed = new HashMap<>();
    // The nodes that the moves change that were tried last.
    private Set<String> changed = Set.of();

    /** The free amount of a node, and the part of it that pods cannot use. */
    private record Remainder(double free, double unusable) {
        static final Remainder NONE = new Remainder(0, 0);

        Remainder plus(Remainder other) {
            return new Remainder(free + other.free, unusable + other.unusable);
        }

        double share() {
            return free == 0 ? 0 : unusable / free;
        }
    }

    /** A pod, and how much less is of no use on its node if it leaves. */
    private record Candidate(Pod pod, double gain) {}

    ResourcePacking(KnownCluster cluster, PodMoves moves, ResourceName resource, PodSizes sizes) {
        this.cluster = cluster;
        this.moves = moves;
        this.resource = resource;
        this.sizes = sizes;
    }

    /** Moves pods while that helps. */
    void run() {
        update(cluster.nodes().keySet());
        while (movesOne()) {
            // The next one is chosen by what is free now.
        }
    }

    private void update(Set<String> nodeNames) {
        for (String nodeName : nodeNames) {
            Node node = node(nodeName);
            List<Pod> pods = moves.transaction().podsOn(nodeName);
            Remainder remainder = remainder(node, pods);
            remainders.put(nodeName, remainder);
            gainsOfTargets.remove(nodeName);
            failed.remove(nodeName);
            List<Candidate> ofNode = new ArrayList<>();
            Set<Object> kinds = new HashSet<>();
            for (Pod pod : pods) {
                if (moves.isMovable(pod) && kinds.add(moves.kindOf(pod))) {
                    List<Pod> others = new ArrayList<>(pods);
                    others.remove(pod);
                    ofNode.add(new Candidate(pod, remainder.unusable - remainder(node, others).unusable));
                }
            }
            candidates.put(nodeName, ofNode);
        }
    }

    private Node node(String nodeName) {
        return Objects.requireNonNull(cluster.nodes().get(nodeName));
    }

    private Remainder remainder(Node node, List<Pod> pods) {
        if (node.unschedulable()) {
            return Remainder.NONE;
        }
        NodeRoom room = NodeRoom.of(node, pods);
        return new Remainder(room.of(resource), room.unusable(resource, sizes));
    }

    private Remainder known(String nodeName) {
        return Objects.requireNonNull(remainders.get(nodeName));
    }

    private boolean movesOne() {
        List<Candidate> promising = new ArrayList<>();
        for (String nodeName : cluster.nodes().keySet()) {
            for (Candidate candidate : Objects.requireNonNull(candidates.get(nodeName))) {
                Optional<String> target = moves.target(candidate.pod);
                double gain = candidate.gain
                        + target.map(name -> gainOfTarget(name, candidate.pod)).orElse(0.0);
                boolean isPromising = gain > LEAST_GAIN
                        && !target.equals(Optional.of(nodeName))
                        && !target.equals(Optional.of(""))
                        && !failed.getOrDefault(nodeName, Set.of()).contains(moves.kindOf(candidate.pod));
                if (isPromising) {
                    promising.add(new Candidate(candidate.pod, gain));
                }
            }
        }
        promising.sort(Comparator.<Candidate>comparingDouble(candidate -> -candidate.gain)
                .thenComparing(candidate -> candidate.pod.key()));
        for (Candidate candidate : promising) {
            if (moves.keep(List.of(candidate.pod), this)) {
                update(changed);
                return true;
            }
            failed.computeIfAbsent(candidate.pod.nodeName(), any -> new HashSet<>())
                    .add(moves.kindOf(candidate.pod));
        }
        return false;
    }

    private double gainOfTarget(String nodeName, Pod pod) {
        return nodeName.isEmpty()
                ? 0
                : gainsOfTargets
                        .computeIfAbsent(nodeName, any -> new HashMap<>())
                        .computeIfAbsent(pod.requestsWithClaims(), any -> {
                            Node node = node(nodeName);
                            List<Pod> pods = new ArrayList<>(moves.transaction().podsOn(nodeName));
                            pods.add(pod);
                            return known(nodeName).unusable - remainder(node, pods).unusable;
                        });
    }

    @Override
    public boolean mayBeReached(Transaction trial, Set<String> changedNodes) {
        return isReached(trial, changedNodes, List.of());
    }

    @Override
    public boolean isReached(Transaction trial, Set<String> changedNodes, List<RescheduledPod> pending) {
        changed = Set.copyOf(changedNodes);
        Remainder before = Remainder.NONE;
        Remainder after = Remainder.NONE;
        for (Node node : cluster.nodes().values()) {
            Remainder known = known(node.name());
            before = before.plus(known);
            after = after.plus(changed.contains(node.name()) ? remainder(node, trial.podsOn(node.name())) : known);
        }
        return before.share() - after.share() > LEAST_GAIN;
    }
}
