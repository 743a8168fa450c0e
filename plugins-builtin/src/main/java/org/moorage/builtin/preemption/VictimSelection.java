// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.preemption;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.NodeDraft;

/**
 * Finds out who has to leave a node for a pod: first all that are less important, then one after the other is let back in as
 * long as the pod still fits, those first whose leaving would break a budget, and of these the most important first.
 */
final class VictimSelection {
    private static final Status NOBODY_TO_LEAVE = Status.unresolvable("No preemption victims found for incoming pod");

    private final Handle handle;
    private final Pod pod;
    private final List<PodDisruptionBudget> budgets;

    VictimSelection(Handle handle, Pod pod, List<PodDisruptionBudget> budgets) {
        this.handle = handle;
        this.pod = pod;
        this.budgets = budgets;
    }

    /**
     * What came out for a node.
     *
     * @param status why nobody's leaving helps; success with a candidate
     * @param candidate the node and the pods to leave, or null
     */
    record Outcome(Status status, @Nullable Candidate candidate) {}

    /**
     * Tries a node.
     *
     * @throws RuntimeException if it cannot be said
     */
    Outcome on(NodeInfo node, CycleState state) {
        List<Pod> lesser = new ArrayList<>();
        for (Pod other : node.pods()) {
            if (other.spec().priority() < pod.spec().priority()) {
                lesser.add(other);
            }
        }
        if (lesser.isEmpty()) {
            return new Outcome(NOBODY_TO_LEAVE, null);
        }
        NodeDraft draft = handle.draft(state, pod, node);
        for (Pod other : lesser) {
            draft.remove(other);
        }
        Status without = handle.filterWithNominatedPods(draft.state(), pod, draft.node());
        if (!without.isSuccess()) {
            return new Outcome(without, null);
        }
        List<Pod> protectedOnes = new ArrayList<>();
        List<Pod> others = new ArrayList<>();
        divide(mostImportantFirst(lesser), protectedOnes, others);
        List<Pod> victims = new ArrayList<>();
        for (Pod candidate : protectedOnes) {
            reprieve(draft, candidate, victims);
        }
        int violations = victims.size();
        for (Pod candidate : others) {
            reprieve(draft, candidate, victims);
        }
        if (victims.isEmpty()) {
            throw new IllegalStateException("expected at least one victim pod on node \"" + node.name() + "\"");
        }
        List<Pod> ordered = protectedOnes.isEmpty() || others.isEmpty() ? victims : mostImportantFirst(victims);
        return new Outcome(Status.success(), new Candidate(node.name(), List.copyOf(ordered), violations));
    }

    private static List<Pod> mostImportantFirst(List<Pod> pods) {
        Pod[] ordered = pods.toArray(Pod[]::new);
        GoSort.sort(ordered, VictimSelection::isMoreImportant);
        return List.of(ordered);
    }

    // kube-scheduler takes "now" for a start that is missing, anew for each pod that it looks at, so of two pods that
    // have
    // not
    // started each was there before the other.
    private static boolean isMoreImportant(Pod first, Pod second) {
        int firstPriority = first.spec().priority();
        int secondPriority = second.spec().priority();
        if (firstPriority != secondPriority) {
            return firstPriority > secondPriority;
        }
        Instant start = Candidate.startOf(first);
        return start.equals(Instant.MAX)
                ? start.equals(Candidate.startOf(second))
                : start.isBefore(Candidate.startOf(second));
    }

    // A budget is used up by every pod that it is about, also by those that are let back in later.
    private void divide(List<Pod> pods, List<Pod> protectedOnes, List<Pod> others) {
        int[] left = new int[budgets.size()];
        for (int i = 0; i < left.length; i++) {
            left[i] = budgets.get(i).disruptionsAllowed();
        }
        for (Pod candidate : pods) {
            boolean violates = false;
            for (int i = 0; i < left.length; i++) {
                if (budgets.get(i).countsFor(candidate)) {
                    left[i]--;
                    violates |= left[i] < 0;
                }
            }
            (violates ? protectedOnes : others).add(candidate);
        }
    }

    private void reprieve(NodeDraft draft, Pod candidate, List<Pod> victims) {
        draft.add(candidate);
        if (!fits(draft)) {
            draft.remove(candidate);
            victims.add(candidate);
        }
    }

    private boolean fits(NodeDraft draft) {
        try {
            return handle.filterWithNominatedPods(draft.state(), pod, draft.node())
                    .isSuccess();
        } catch (RuntimeException failed) {
            // As kube-scheduler has it: a filter that fails now does not accept.
            return false;
        }
    }
}
