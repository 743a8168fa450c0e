// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.runtime.decision.UnschedulableReasons;

/**
 * The result for one pod of a group.
 *
 * @param pod the pod
 * @param state the state of its cycle
 * @param code success if it has a node, error, or the kind of rejection
 * @param found the chosen node, or a diagnosis; null if the pod was not tried, the attempt
 *     failed, or a plugin rejected the chosen node
 * @param diagnosis why there is no node; null if there is one, or something else is the reason
 * @param message why there is no node; empty if there is one
 * @param nomination the change of its nominated node if it gets no node
 */
public record MemberResult(
        Pod pod,
        CycleState state,
        Code code,
        SchedulingAlgorithm.@Nullable Result found,
        @Nullable Diagnosis diagnosis,
        RejectionMessage message,
        Nomination nomination) {
    static MemberResult found(Pod pod, CycleState state, SchedulingAlgorithm.Result found) {
        return new MemberResult(pod, state, Code.SUCCESS, found, null, RejectionMessage.NONE, Nomination.keep());
    }

    static MemberResult rejected(
            Pod pod,
            CycleState state,
            SchedulingAlgorithm.@Nullable Result found,
            Diagnosis diagnosis,
            Nomination nomination) {
        return new MemberResult(pod, state, Code.UNSCHEDULABLE, found, diagnosis, diagnosis.message(""), nomination);
    }

    static MemberResult error(Pod pod, CycleState state, String message) {
        return new MemberResult(pod, state, Code.ERROR, null, null, RejectionMessage.of(message), Nomination.clear());
    }

    static MemberResult noNodes(Pod pod, CycleState state) {
        return new MemberResult(
                pod,
                state,
                Code.UNSCHEDULABLE_AND_UNRESOLVABLE,
                null,
                null,
                RejectionMessage.of(UnschedulableReasons.NO_NODES),
                Nomination.clear());
    }

    // Returns the result for a pod that was not tried, because the status of its group was already certain.
    static MemberResult notReached(Pod pod, GroupStatus ofGroup) {
        return new MemberResult(
                pod,
                new CycleState(),
                ofGroup.code(),
                null,
                null,
                RejectionMessage.of(ofGroup.message()),
                Nomination.keep());
    }

    MemberResult with(Nomination value) {
        return new MemberResult(pod, state, code, found, diagnosis, message, value);
    }

    public boolean isScheduled() {
        return code == Code.SUCCESS && found != null && found.node() != null;
    }

    /** Returns the name of its node, which it must have. */
    public String nodeName() {
        return Objects.requireNonNull(Objects.requireNonNull(found).node()).name();
    }

    /** Returns how many nodes were evaluated for it. */
    public int evaluated() {
        return found == null ? 0 : found.evaluated();
    }
}
