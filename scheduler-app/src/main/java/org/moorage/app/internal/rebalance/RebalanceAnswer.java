// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.rebalance;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.ClusterFigures;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.report.Answer;
import org.moorage.simulation.whatif.DrainResult.UsedBudget;
import org.moorage.simulation.whatif.RebalancePlan;

/**
 * A plan of pod moves.
 *
 * @param goal the goal
 * @param succeeded whether the plan reaches the goal
 * @param resource the resource to pack, if that is the goal
 * @param maxMoves the maximum number of moves
 * @param rounds the number of rounds in which pods are evicted
 * @param moves the moves, in order
 * @param before the cluster before
 * @param after the cluster after
 * @param emptyNodes the nodes that the moves empty
 * @param fitting the pods in question that fit after the moves
 * @param pending the pods in question that do not fit
 * @param obstacles the reasons why pods are not moved
 * @param budgets the disruption budgets that take part
 */
record RebalanceAnswer(
        Goal goal,
        boolean succeeded,
        Optional<String> resource,
        int maxMoves,
        int rounds,
        List<PodMove> moves,
        State before,
        State after,
        List<String> emptyNodes,
        List<PlacedPod> fitting,
        List<PlacedPod> pending,
        List<Obstacle> obstacles,
        List<UsedBudget> budgets)
        implements Answer {
    /** The goal of the moves. */
    enum Goal {
        /** Empty nodes. */
        FREE_NODES,
        /** Less unusable room of a resource. */
        PACK,
        /** Room for the pods of manifests. */
        FIT,
        /** Room for the pending pods. */
        FIT_PENDING
    }

    /**
     * A move: an eviction, and the scheduling of the pod that replaces the evicted one.
     *
     * @param pod the evicted pod
     * @param from its node
     * @param round the round in which it is evicted
     * @param to the node of its replacement; absent if there is none
     * @param replacement the pod that replaces it
     */
    record PodMove(Pod pod, String from, int round, Optional<String> to, Optional<Pod> replacement) {}

    /**
     * The cluster before or after the moves.
     *
     * @param pending the number of pending pods
     * @param fitting the number of pods of the manifests that fit, if that is the goal
     * @param cluster how the nodes are filled
     */
    record State(
            int pending,
            Optional<Integer> fitting,
            @JsonUnwrapped ClusterFigures cluster) {}

    /**
     * A reason why pods are not moved.
     *
     * @param reason the reason
     * @param pods the number of pods
     */
    record Obstacle(String reason, int pods) {
        static List<Obstacle> all(Map<String, Integer> podsByReason) {
            return podsByReason.entrySet().stream()
                    .map(entry -> new Obstacle(entry.getKey(), entry.getValue()))
                    .toList();
        }
    }

    static RebalanceAnswer of(Goal goal, Optional<String> resource, int maxMoves, RebalancePlan plan) {
        return new RebalanceAnswer(
                goal,
                plan.isReached(),
                resource,
                maxMoves,
                plan.rounds(),
                plan.moves().stream()
                        .map(move -> new PodMove(move.pod(), move.from(), move.round(), move.to(), move.replacement()))
                        .toList(),
                state(goal, plan.before()),
                state(goal, plan.after()),
                plan.emptiedNodes(),
                PlacedPod.all(plan.fitting()),
                PlacedPod.all(plan.notFitting()),
                Obstacle.all(plan.obstacles()),
                plan.budgets());
    }

    private static State state(Goal goal, RebalancePlan.State state) {
        return new State(
                state.pending(),
                goal == Goal.FIT ? Optional.of(state.fitting()) : Optional.empty(),
                ClusterFigures.of(state.balance()));
    }
}
