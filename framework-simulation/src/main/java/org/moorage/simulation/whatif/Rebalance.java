// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.whatif.RebalancePlan.State;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * Plans pod moves that empty nodes, pack a resource or make pods schedulable.
 *
 * <p>The moves are made one after the other: a pod is evicted as by {@link Drain}, except that its node stays
 * schedulable, and its controller creates another one. The scheduler chooses the node of that one. Pending pods are
 * scheduled before the first move, and again after each. A plan has only moves whose replacement is scheduled to
 * another node without preemption, and no pod that was running is pending after it.
 *
 * <p>The search is greedy: a plan helps, but may not be the best one. The same query has the same plan.
 */
public final class Rebalance {
    /** The maximum number of moves, unless a caller chooses another one. */
    public static final int DEFAULT_MAX_MOVES = 100;

    private final KnownCluster cluster;
    private final RebalanceGoal goal;
    private final PodSizes sizes;
    private final PodMoves moves;
    private final Optional<PodFitting> fitting;

    private Rebalance(KnownCluster cluster, RebalanceGoal goal, PodSizes sizes, PodMoves moves) {
        this.cluster = cluster;
        this.goal = goal;
        this.sizes = sizes;
        this.moves = moves;
        fitting = goal instanceof RebalanceGoal.Fit || goal instanceof RebalanceGoal.FitPending
                ? Optional.of(new PodFitting(cluster, moves, manifests(goal)))
                : Optional.empty();
    }

    /**
     * Plans moves in a cluster; the cluster does not change.
     *
     * @param goal the goal of the moves
     * @param rules the pods that may be evicted; a pod that these refuse is not moved, and the others of its node may
     *     be. Budgets always count.
     * @param maxMoves the maximum number of moves; 0 for none
     * @param sizes the pods for which the free capacity is measured
     * @param progress receives the number of moves that were tried
     * @throws RuntimeException if a plugin fails; the message names it
     */
    public static RebalancePlan of(
            KnownCluster cluster,
            RebalanceGoal goal,
            DrainRules rules,
            int maxMoves,
            PodSizes sizes,
            IntConsumer progress) {
        Objects.requireNonNull(cluster, "cluster");
        Objects.requireNonNull(goal, "goal");
        Objects.requireNonNull(rules, "rules");
        Objects.requireNonNull(sizes, "sizes");
        Objects.requireNonNull(progress, "progress");
        if (maxMoves < 0) {
            throw new IllegalArgumentException("maxMoves: " + maxMoves + " (expected: 0 or more)");
        }
        try (Transaction transaction = cluster.whatIf().begin()) {
            PodMoves moves = new PodMoves(cluster, transaction, pending(cluster, goal), rules, maxMoves, progress);
            return new Rebalance(cluster, goal, sizes, moves).plan();
        }
    }

    private static Optional<Manifests.Contents> manifests(RebalanceGoal goal) {
        return goal instanceof RebalanceGoal.Fit fit ? Optional.of(fit.manifests()) : Optional.empty();
    }

    // Pods that manifests have in their own pods' place are not among them.
    private static List<Pod> pending(KnownCluster cluster, RebalanceGoal goal) {
        Set<String> replaced = new HashSet<>();
        manifests(goal).ifPresent(contents -> contents.pods().forEach(manifest -> replaced.addAll(manifest.waiting())));
        List<Pod> pending = new ArrayList<>(cluster.waitingPods());
        pending.removeIf(pod -> !pod.spec().schedulingGates().isEmpty()
                || !cluster.schedules(pod.spec().schedulerName())
                || replaced.contains(pod.key()));
        return pending;
    }

    private RebalancePlan plan() {
        List<RescheduledPod> pendingBefore = moves.pending();
        Set<String> emptyBefore = emptyNodes();
        State before = state();
        if (goal instanceof RebalanceGoal.FreeNodes) {
            new NodeEmptying(cluster, moves).run();
        } else if (goal instanceof RebalanceGoal.Pack pack) {
            new ResourcePacking(cluster, moves, pack.resource(), sizes).run();
        } else {
            fitting.orElseThrow().run();
        }
        State after = state();
        List<String> emptied = new ArrayList<>(cluster.nodes().keySet());
        emptied.retainAll(emptyNodes());
        emptied.removeAll(emptyBefore);
        List<RescheduledPod> asked =
                manifests(goal).isPresent() ? fitting.orElseThrow().end() : moves.results(pendingBefore);
        List<RescheduledPod> notFitting =
                asked.stream().filter(pod -> pod.nodeName().isEmpty()).toList();
        boolean isReached = goal instanceof RebalanceGoal.FreeNodes
                ? !emptied.isEmpty()
                : fitting.isPresent() ? notFitting.isEmpty() : !moves.moves().isEmpty();
        return new RebalancePlan(
                isReached,
                moves.moves(),
                before,
                after,
                emptied,
                asked.stream().filter(pod -> pod.nodeName().isPresent()).toList(),
                notFitting,
                moves.obstacles(),
                moves.usedBudgets());
    }

    private Set<String> emptyNodes() {
        Set<String> empty = new HashSet<>();
        for (Node node : cluster.nodes().values()) {
            if (ClusterBalance.isEmpty(moves.transaction().podsOn(node.name()))) {
                empty.add(node.name());
            }
        }
        return empty;
    }

    private State state() {
        int fits = manifests(goal).isEmpty()
                ? 0
                : (int) fitting.orElseThrow().end().stream()
                        .filter(pod -> pod.nodeName().isPresent())
                        .count();
        return new State(
                ClusterBalance.of(cluster.nodes().values(), moves.transaction()::podsOn, sizes),
                moves.pending().size(),
                fits);
    }
}
