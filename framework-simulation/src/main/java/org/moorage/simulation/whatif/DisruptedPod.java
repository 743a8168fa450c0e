// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.model.Pod;

/**
 * A pod whose node is drained or lost, or that is preempted, and the result. Immutable.
 *
 * @param pod the pod as it was
 * @param nodeName the node that it was on
 * @param outcome the result
 * @param successor the pod that its controller creates in its place; empty if there is none
 * @param newNodeName the node of that one; empty if it has none
 * @param reason why it is pending, is not evicted or stays; {@link PodReason#NONE} if it has a node again
 * @param round the round in which it was evicted, counted from 1; 0 if it was not
 * @param victims whom its successor preempted; they are among the disrupted pods themselves
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
        /** It is created again, on another node. */
        MOVES,
        /** It is created again, on a node that is drained: it tolerates that the node is unschedulable. */
        RETURNS,
        /** It is created again, and finds no node. */
        WAITS,
        /** It is gone, and has no controller that creates it again. */
        LOST,
        /** It is gone, and had succeeded, failed or been deleted before. */
        ENDED,
        /** It belongs to its node, and stays there or goes with it: a pod of a DaemonSet, or a static one. */
        OF_NODE,
        /** Its eviction is refused: by a budget, or since several select it. */
        BLOCKED,
        /** {@code kubectl drain} evicts no pod of its node, because of this one. */
        REFUSED,
        /** {@code kubectl drain} evicts no pod of its node, because of others. */
        HELD_UP,
        /** It is left alone, since it was not asked for. */
        LEFT
    }

    /** A pod that stays, or is not evicted. */
    static DisruptedPod there(Pod pod, String nodeName, Outcome outcome, PodReason reason) {
        return new DisruptedPod(pod, nodeName, outcome, Optional.empty(), Optional.empty(), reason, 0, List.of());
    }

    /** Returns the message of the {@link #reason}: that of the condition of a pending pod, or why an eviction is refused; may be empty. */
    public String message() {
        return reason.message();
    }

    /** Whether the pod no longer needs its old node: it has another one, needs none, or belongs to its node. */
    public boolean isSettled() {
        return switch (outcome) {
            case MOVES, ENDED, OF_NODE -> true;
            case RETURNS, WAITS, LOST, BLOCKED, REFUSED, HELD_UP, LEFT -> false;
        };
    }
}
