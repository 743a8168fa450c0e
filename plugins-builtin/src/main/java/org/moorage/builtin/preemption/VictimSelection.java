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
        List<PossibleVictim> possible = new ArrayList<>();
        for (int i = 0; i < lowerPriority.size(); i++) {
            possible.add(new PossibleVictim(lowerPriority.get(i), i));
        }
        List<PossibleVictim> violating = new ArrayList<>();
        List<PossibleVictim> nonViolating = new ArrayList<>();
        splitByPdbViolation(mostImportantFirst(possible), violating, nonViolating);
        List<PossibleVictim> victims = new ArrayList<>();
        for (PossibleVictim other : violating) {
            reprieve(trial, node, other, victims);
        }
        int pdbViolations = victims.size();
        for (PossibleVictim other : nonViolating) {
            reprieve(trial, node, other, victims);
        }
        if (victims.isEmpty()) {
            throw new IllegalStateException("expected at least one victim pod on node \"" + node.name() + "\"");
        }
        List<PossibleVictim> ordered =
                violating.isEmpty() || nonViolating.isEmpty() ? victims : mostImportantFirst(victims);
        List<Pod> pods = ordered.stream().map(PossibleVictim::pod).toList();
        return new Selection(Status.success(), new Candidate(node.name(), pods, pdbViolations));
    }

    /**
     * A pod that may have to leave.
     *
     * @param number its place among the pods of the node
     */
    private record PossibleVictim(Pod pod, int number) {}

    private static List<PossibleVictim> mostImportantFirst(List<PossibleVictim> victims) {
        PossibleVictim[] ordered = victims.toArray(PossibleVictim[]::new);
        GoSort.sort(ordered, VictimSelection::isMoreImportant);
        return List.of(ordered);
    }

    // kube-scheduler has a pod that has not started start when it is looked at, so of two of them the first on the
    // node is the more important one.
    private static boolean isMoreImportant(PossibleVictim first, PossibleVictim second) {
        int firstPriority = first.pod.spec().priority();
        int secondPriority = second.pod.spec().priority();
        if (firstPriority != secondPriority) {
            return firstPriority > secondPriority;
        }
        Instant firstStart = Candidate.startTime(first.pod);
        Instant secondStart = Candidate.startTime(second.pod);
        return firstStart.equals(Instant.MAX) && secondStart.equals(Instant.MAX)
                ? first.number < second.number
                : firstStart.isBefore(secondStart);
    }

    private void splitByPdbViolation(
            List<PossibleVictim> possible, List<PossibleVictim> violating, List<PossibleVictim> nonViolating) {
        int[] allowed = new int[budgets.size()];
        for (int i = 0; i < allowed.length; i++) {
            allowed[i] = budgets.get(i).disruptionsAllowed();
        }
        for (PossibleVictim other : possible) {
            (violates(other.pod, allowed) ? violating : nonViolating).add(other);
        }
    }

    // Each matching pod uses up a disruption of its budgets, also a pod that is reprieved later; one that violates
    // a budget leaves those after that alone.
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

    private void reprieve(Trial trial, NodeInfo node, PossibleVictim other, List<PossibleVictim> victims) {
        int changes = trial.changes();
        trial.assume(other.pod, node.name());
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
