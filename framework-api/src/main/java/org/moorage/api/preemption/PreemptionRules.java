// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/**
 * The rules by which {@link Preemption} evicts pods. With all defaults, every pod of lower priority may be evicted, as
 * by kube-scheduler. The states that are passed reflect the simulated changes so far.
 */
public interface PreemptionRules {
    /** Returns the prefix of all messages. */
    default String messagePrefix() {
        return "";
    }

    /**
     * Returns how many candidates to find before the best one is picked.
     *
     * @param nodes the number of nodes where preemption could help
     */
    default int enoughCandidates(int nodes) {
        return nodes;
    }

    /**
     * Returns whether the preemptor waits for a pod that is being deleted from its nominated node, instead of evicting
     * other pods.
     *
     * @param priority the priority of the pod, or of the group of {@code scheduling.k8s.io} that it belongs to
     */
    default boolean waitsFor(CycleState state, Pod preemptor, Pod terminating, int priority) {
        return priority < preemptor.spec().priority() && Preemption.isPreempted(terminating);
    }

    /** Returns the priority that victims are below. */
    default long priorityLimit(Pod preemptor) {
        return preemptor.spec().priority();
    }

    /** Returns whether {@link #mayEvict} is called for the least important victims of a node first. */
    default boolean startsWithLeastImportant() {
        return false;
    }

    /**
     * Returns whether a victim below the priority limit may be evicted. Called for the victims of a node one after the
     * other; those that may be evicted are removed before the next call. An exception fails the node.
     */
    default boolean mayEvict(CycleState state, Pod preemptor, Victim victim) {
        return true;
    }

    /** Returns the rejection of a node without any victim. */
    default Status noVictims(Pod preemptor, NodeInfo node) {
        return Status.unresolvable("No preemption victims found for incoming pod");
    }

    /**
     * Returns success, or why the pod must not run although it fits on the node. Called when all victims are removed.
     */
    default Status withoutVictims(CycleState state, Pod preemptor) {
        return Status.success();
    }

    /**
     * Returns whether a victim may stay. Called when the victim was put back and the pod still fits; a victim that may
     * not stay does not count as a violation of a disruption budget.
     */
    default boolean mayStay(CycleState state, Pod preemptor, Victim victim) {
        return true;
    }

    /**
     * Called when a victim was put back, and removed again because the pod does not fit with it. An exception fails the
     * node.
     */
    default void leaves(CycleState state, Pod preemptor, Victim victim) {}
}
