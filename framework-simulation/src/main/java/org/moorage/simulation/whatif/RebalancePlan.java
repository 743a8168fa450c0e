// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.model.Pod;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * A plan of pod moves, and the cluster before and after them. Immutable.
 *
 * @param isReached whether the goal is reached
 * @param moves the moves, in order
 * @param before the cluster before the moves
 * @param after the cluster after the moves
 * @param emptiedNodes the nodes that are empty after the moves and were not before, in the order of the cluster
 * @param fitting the pods that are scheduled after the moves: those of the manifests, if these are the goal, otherwise
 *     those that were pending
 * @param notFitting the pods that are not
 * @param obstacles how many pods are not moved, by reason
 * @param budgets the budgets that evicted pods count against
 */
public record RebalancePlan(
        boolean isReached,
        List<Move> moves,
        State before,
        State after,
        List<String> emptiedNodes,
        List<RescheduledPod> fitting,
        List<RescheduledPod> notFitting,
        Map<String, Integer> obstacles,
        List<DrainResult.UsedBudget> budgets) {
    public RebalancePlan {
        moves = List.copyOf(moves);
        Objects.requireNonNull(before, "before");
        Objects.requireNonNull(after, "after");
        emptiedNodes = List.copyOf(emptiedNodes);
        fitting = List.copyOf(fitting);
        notFitting = List.copyOf(notFitting);
        obstacles = Collections.unmodifiableMap(new TreeMap<>(obstacles));
        budgets = List.copyOf(budgets);
    }

    /**
     * A move: the pod is evicted, and its controller creates another one.
     *
     * @param pod the pod
     * @param replacement the pod that its controller creates; empty if it has no controller, so that the pod is lost
     * @param from the node that the pod is on
     * @param to the node that the scheduler chooses for the replacement; empty if there is none
     * @param round the number of the round, from 1; before the next round starts, the replacements of this one have to
     *     be healthy
     */
    public record Move(Pod pod, Optional<Pod> replacement, String from, Optional<String> to, int round) {
        public Move {
            Objects.requireNonNull(pod, "pod");
            Objects.requireNonNull(replacement, "replacement");
            Objects.requireNonNull(from, "from");
            Objects.requireNonNull(to, "to");
        }

        Move inRound(int number) {
            return new Move(pod, replacement, from, to, number);
        }
    }

    /**
     * A state of the cluster.
     *
     * @param balance how its nodes are filled
     * @param pending how many pods are pending
     * @param fitting how many of the manifests' pods would be scheduled; 0 if these are not the goal
     */
    public record State(ClusterBalance balance, int pending, int fitting) {
        public State {
            Objects.requireNonNull(balance, "balance");
        }
    }

    /** Returns the number of rounds. */
    public int rounds() {
        return moves.isEmpty() ? 0 : moves.get(moves.size() - 1).round();
    }
}
