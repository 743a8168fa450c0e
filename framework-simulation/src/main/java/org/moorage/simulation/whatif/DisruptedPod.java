// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.model.Pod;

/**
 * A pod on a node that is drained or lost, or that is preempted. Immutable.
 *
 * @param pod the pod as it was
 * @param nodeName the node that it was on
 * @param outcome the result for it
 * @param successor the pod that its controller creates in its place; empty if there is none
 * @param newNodeName the node of the successor; empty if it has none
 * @param reason the reason why the pod is pending, or why it is not evicted; {@link PodReason#NONE} if it has a node
 *     again
 * @param round the round in which it is evicted, from 1 on; 0 if it is not evicted
 * @param victims the pods that its successor preempts; they are disrupted pods, too
 */
public record DisruptedPod(
        Pod pod,
        String nodeName,
        Outcome outcome,
        Optional<Pod> successor,
        Optional<String> newNodeName,
        PodReason reason,
        int round,
        List<Pod> victims) {
    public DisruptedPod {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(nodeName, "nodeName");
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(successor, "successor");
        Objects.requireNonNull(newNodeName, "newNodeName");
        Objects.requireNonNull(reason, "reason");
        victims = List.copyOf(victims);
    }

    /** The result for a pod. */
    public enum Outcome {
        /** Its successor is on another node. */
        RESCHEDULED,
        /** Its replacement is on a drained node, since it tolerates that the node is unschedulable. */
        RETURNED,
        /** Its successor fits on no node. */
        PENDING,
        /** It is deleted, and no controller recreates it. */
        LOST,
        /** It had succeeded, failed or been deleted before. */
        ENDED,
        /** It is a pod of a DaemonSet or a static pod: it stays on its node, or goes with it. */
        DAEMON_PODS,
        /** A disruption budget refuses its eviction, or several budgets select it. */
        BLOCKED_BY_BUDGET,
        /** {@code kubectl drain} evicts no pod of its node, because of this one. */
        REFUSED,
        /** {@code kubectl drain} evicts no pod of its node, because of other pods. */
        BLOCKED_BY_OTHER_PODS,
        /** It is not among the pods to evict. */
        NOT_SELECTED
    }

    /** A pod that stays, or is not evicted. */
    static DisruptedPod there(Pod pod, String nodeName, Outcome outcome, PodReason reason) {
        return new DisruptedPod(pod, nodeName, outcome, Optional.empty(), Optional.empty(), reason, 0, List.of());
    }

    /**
     * Returns the message of the {@link #reason}: that of the condition of a pending pod, or why an eviction is
     * refused; may be empty.
     */
    public String message() {
        return reason.message();
    }

    /** Returns whether it is rescheduled or does not have to be: nothing is missing, and it is off its node. */
    public boolean isSettled() {
        return switch (outcome) {
            case RESCHEDULED, ENDED, DAEMON_PODS -> true;
            case RETURNED, PENDING, LOST, BLOCKED_BY_BUDGET, REFUSED, BLOCKED_BY_OTHER_PODS, NOT_SELECTED -> false;
        };
    }
}
