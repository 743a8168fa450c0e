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
import org.moorage.api.plugin.Trial;

/**
 * Selects the victims on a node: removes all pods of lower priority, then reprieves one after the other while the preemptor
 * still fits, first the pods whose eviction would violate a pod disruption budget, and the most important first.
 */
final class VictimSelection {
    private static final Status NO_VICTIMS = Status.unresolvable("No preemption victims found for incoming pod");

    private final Handle handle;
    private final Pod pod;
    private final List<PodDisruptionBudget> budgets;

    VictimSelection(Handle handle, Pod pod, List<PodDisruptionBudget> budgets) {
        this.handle = handle;
        this.pod = pod;
        this.budgets = budgets;
    }

    /**
     * The victims on a node.
     *
     * @param status success with a candidate, otherwise why preemption does not help on the node
     * @param candidate the node and the victims, or null
     */
    record Selection(Status status, @Nullable Candidate candidate) {}

    /**
     * Selects the victims on a node.
     *
     * @throws RuntimeException if a filter fails
     */
    Selection on(NodeInfo node, CycleState state) {
        List<Pod> lowerPriority = new ArrayList<>();
        for (Pod other : node.pods()) {
            if (other.spec().priority() < pod.spec().priority()) {
                lowerPriority.add(other);
            }
        }
        if (lowerPriority.isEmpty()) {
            return new Selection(NO_VICTIMS, null);
        }
        Trial trial = handle.trial(state, pod);
        for (Pod other : lowerPriority) {
            trial.remove(other, node.name());
        }
        Status status = filter(trial, node);
        if (!status.isSuccess()) {
            return new Selection(status, null);
        }
        List<Pod> violating = new ArrayList<>();
        List<Pod> nonViolating = new ArrayList<>();
        splitByPdbViolation(mostImportantFirst(lowerPriority), violating, nonViolating);
        List<Pod> victims = new ArrayList<>();
        for (Pod other : violating) {
            reprieve(trial, node, other, victims);
        }
        int pdbViolations = victims.size();
        for (Pod other : nonViolating) {
            reprieve(trial, node, other, victims);
        }
        if (victims.isEmpty()) {
            throw new IllegalStateException("expected at least one victim pod on node \"" + node.name() + "\"");
        }
        List<Pod> ordered = violating.isEmpty() || nonViolating.isEmpty() ? victims : mostImportantFirst(victims);
        return new Selection(Status.success(), new Candidate(node.name(), List.copyOf(ordered), pdbViolations));
    }

    private static List<Pod> mostImportantFirst(List<Pod> pods) {
        Pod[] ordered = pods.toArray(Pod[]::new);
        GoSort.sort(ordered, VictimSelection::isMoreImportant);
        return List.of(ordered);
    }

    // kube-scheduler takes the current time for a missing start time, anew in each comparison. So of two pods that have
    // not started, each is more important than the other.
    private static boolean isMoreImportant(Pod first, Pod second) {
        int firstPriority = first.spec().priority();
        int secondPriority = second.spec().priority();
        if (firstPriority != secondPriority) {
            return firstPriority > secondPriority;
        }
        Instant startTime = Candidate.startTime(first);
        return startTime.equals(Instant.MAX)
                ? startTime.equals(Candidate.startTime(second))
                : startTime.isBefore(Candidate.startTime(second));
    }

    private void splitByPdbViolation(List<Pod> pods, List<Pod> violating, List<Pod> nonViolating) {
        int[] allowed = new int[budgets.size()];
        for (int i = 0; i < allowed.length; i++) {
            allowed[i] = budgets.get(i).disruptionsAllowed();
        }
        for (Pod other : pods) {
            (violates(other, allowed) ? violating : nonViolating).add(other);
        }
    }

    // Each matching pod uses up a disruption of its budgets, also a pod that is reprieved later; one that violates a
    // budget
    // leaves those after that alone.
    private boolean violates(Pod other, int[] allowed) {
        for (int i = 0; i < allowed.length; i++) {
            if (budgets.get(i).matches(other)) {
                allowed[i]--;
                if (allowed[i] < 0) {
                    return true;
                }
            }
        }
        return false;
    }

    private void reprieve(Trial trial, NodeInfo node, Pod other, List<Pod> victims) {
        int changes = trial.changes();
        trial.assume(other, node.name());
        if (!fits(trial, node)) {
            trial.takeBack(changes);
            victims.add(other);
        }
    }

    private boolean fits(Trial trial, NodeInfo node) {
        try {
            return filter(trial, node).isSuccess();
        } catch (RuntimeException failed) {
            // As in kube-scheduler, a failing filter rejects here.
            return false;
        }
    }

    private Status filter(Trial trial, NodeInfo node) {
        return handle.filterWithNominatedPods(
                trial.state(), pod, trial.snapshot().node(node.name()).orElseThrow());
    }
}
