// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.moorage.api.model.Pod;
import org.moorage.simulation.whatif.PodReason;

/**
 * A pod at the end of a {@link Simulation}.
 *
 * @param pod the pod
 * @param state its state
 * @param nodeName its node; empty if it has none
 * @param score the node's score; empty if nodes were not scored, as when only one was feasible
 * @param plugin the PreEnqueue plugin that gates it; empty if none does
 * @param reason why it has no node, or what it waits for; {@link PodReason#NONE} if it is bound. For a gated pod it has
 *     the plugin's message
 * @param attempts how often it was tried
 * @param scheduledAfterFlush whether it was scheduled only since the periodic flush retried it, as kube-scheduler does
 *     with pods that have been unschedulable for five minutes: no event that a plugin waits for made it schedulable
 * @param movedBy the recorded changes for which it was tried again, in order
 * @param preemption the node that it was preempted from; empty if it was not
 */
public record SimulatedPod(
        Pod pod,
        State state,
        String nodeName,
        OptionalLong score,
        String plugin,
        PodReason reason,
        int attempts,
        boolean scheduledAfterFlush,
        List<PodMove> movedBy,
        Optional<Preemption> preemption) {
    public SimulatedPod {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(nodeName, "nodeName");
        Objects.requireNonNull(score, "score");
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(reason, "reason");
        movedBy = List.copyOf(movedBy);
        Objects.requireNonNull(preemption, "preemption");
    }

    /**
     * The preemption of a pod.
     *
     * @param nodeName the node that it was deleted from; empty if it had none
     * @param createdAgainAs the namespace and name of the pod that its controller created in its place; empty if none
     *     was
     */
    public record Preemption(String nodeName, String createdAgainAs) {
        public Preemption {
            Objects.requireNonNull(nodeName, "nodeName");
            Objects.requireNonNull(createdAgainAs, "createdAgainAs");
        }
    }

    /** Returns the message of the {@link #reason}; empty if the pod is bound. */
    public String message() {
        return reason.message();
    }

    /** Returns the namespace and name of the replacement that its controller created; empty if there is none. */
    public String createdAgainAs() {
        return preemption.map(Preemption::createdAgainAs).orElse("");
    }

    /** The state of a pod at the end. */
    public enum State {
        /** It is bound to a node. */
        SCHEDULED,
        /** No node is feasible. */
        UNSCHEDULABLE,
        /** Scheduling or binding it failed, or a PreEnqueue plugin did. */
        ERROR,
        /** It was deleted to make room for a pod of higher priority. */
        PREEMPTED,
        /** It is reserved on a node, and waits for a permit. */
        WAITING_FOR_PERMIT,
        /** A PreEnqueue plugin keeps it out of the queue, or a group that it is part of is missing. */
        GATED,
        /** It names a scheduler that the configuration has no profile for. */
        OTHER_SCHEDULER,
        /** It was being deleted before it was scheduled. */
        DELETING,
        /** A recorded change deleted it, with or without a node. */
        DELETED;

        /** Returns whether the pod was tried, or bound before, and has no node, or a plugin failed. */
        public boolean isFailure() {
            return this == UNSCHEDULABLE || this == ERROR || this == PREEMPTED;
        }
    }
}
