// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import java.util.Objects;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * The result of draining nodes. Immutable.
 *
 * @param nodes the nodes, in the order in which they were named
 * @param rounds in how many rounds their pods are evicted
 * @param pods the pods on these nodes, each once, by node and then by name
 * @param preempted the pods on other nodes that have to leave for those that are evicted
 * @param waitedBefore the pods that were pending before and would not have fit anyway, and where they are now
 * @param budgets the budgets that evicted pods count against, or that refuse an eviction
 */
public record DrainResult(
        List<String> nodes,
        int rounds,
        List<DisruptedPod> pods,
        List<DisruptedPod> preempted,
        List<RescheduledPod> waitedBefore,
        List<UsedBudget> budgets) {
    public DrainResult {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
        preempted = List.copyOf(preempted);
        waitedBefore = List.copyOf(waitedBefore);
        budgets = List.copyOf(budgets);
    }

    /**
     * A budget that took part.
     *
     * @param budget the budget as it was
     * @param allowed the number of disruptions that it allows at first
     * @param evicted how many of its pods are evicted
     * @param blocked how many of its pods are never evicted, since it allows no more
     * @param allowedAtEnd how many disruptions it allows in the end
     */
    public record UsedBudget(PodDisruptionBudget budget, int allowed, int evicted, int blocked, int allowedAtEnd) {
        public UsedBudget {
            Objects.requireNonNull(budget, "budget");
        }
    }

    /** Returns whether the only pods left on the nodes are those that belong to them. */
    public boolean isDrained() {
        return pods.stream().allMatch(pod -> switch (pod.outcome()) {
            case RESCHEDULED, PENDING, LOST, ENDED, DAEMON_PODS -> true;
            case RETURNED, BLOCKED_BY_BUDGET, REFUSED, BLOCKED_BY_OTHER_PODS, NOT_SELECTED -> false;
        });
    }

    /**
     * Returns whether the nodes are drained and every pod with a controller is scheduled. Only pods that are evicted by
     * force may be lost.
     */
    public boolean isComplete() {
        for (DisruptedPod pod : pods) {
            if (!pod.isSettled() && pod.outcome() != DisruptedPod.Outcome.LOST) {
                return false;
            }
        }
        return preempted.stream().allMatch(DisruptedPod::isSettled);
    }
}
