// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.UnschedulableReasons;
import org.moorage.simulation.PodMove;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;

/**
 * A pod at the end of a simulation.
 *
 * @param pod namespace and name
 * @param node the node; empty if it has none
 * @param score the node's total score, if nodes were scored
 * @param outcome the outcome
 * @param message the reason why it has no node, or what it waits for; empty if it is scheduled
 * @param reasons the number of nodes for each reason, if no node is feasible
 * @param plugin the plugin that gates it
 * @param attempts the number of attempts to schedule it
 * @param scheduledAfterFlush whether it was scheduled only after the periodic flush of unschedulable pods
 * @param createdAgainAs the pod that its controller created in its place
 * @param movedBy the changes for which it was tried again
 */
public record PodResult(
        Pod pod,
        String node,
        Optional<Long> score,
        State outcome,
        String message,
        Optional<UnschedulableReasons> reasons,
        Optional<String> plugin,
        int attempts,
        Optional<Boolean> scheduledAfterFlush,
        Optional<String> createdAgainAs,
        @JsonInclude(Include.NON_EMPTY) List<Retry> movedBy) {
    /**
     * A change for which a pod was tried again.
     *
     * @param change the number of the change
     * @param type {@code ADDED}, {@code MODIFIED} or {@code DELETED}
     * @param kind the kind of the changed object
     * @param name its namespace and name
     * @param event the event that a plugin waited for
     */
    public record Retry(int change, String type, String kind, String name, String event) {
        static Retry of(PodMove move) {
            return new Retry(
                    move.change().number(),
                    move.change().type().name(),
                    ObjectKind.of(move.change().object()).kind(),
                    move.change().object().key(),
                    move.event());
        }
    }

    /** Returns a pod of a simulation. */
    public static PodResult of(SimulatedPod pod) {
        return new PodResult(
                pod.pod(),
                pod.nodeName(),
                pod.score().isPresent() ? Optional.of(pod.score().getAsLong()) : Optional.empty(),
                pod.state(),
                pod.message(),
                pod.reason().reasons(),
                Optional.of(pod.plugin()).filter(plugin -> !plugin.isEmpty()),
                pod.attempts(),
                pod.scheduledAfterFlush() ? Optional.of(true) : Optional.empty(),
                Optional.of(pod.createdAgainAs()).filter(name -> !name.isEmpty()),
                pod.movedBy().stream().map(Retry::of).toList());
    }

    /** Returns the pods of a simulation. */
    public static List<PodResult> all(Collection<SimulatedPod> pods) {
        return pods.stream().map(PodResult::of).toList();
    }
}
