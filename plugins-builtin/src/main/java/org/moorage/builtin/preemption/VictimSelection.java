// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.preemption;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.Trial;

/**
 * Selects the victims on a node for a pod: removes all pods of lower priority, with groups that leave as a whole also
 * from other nodes, then {@linkplain Reprieve reprieves} those that can stay.
 */
final class VictimSelection {
    private static final Status NO_VICTIMS = Status.unresolvable("No preemption victims found for incoming pod");

    private final Handle handle;
    private final Pod pod;
    private final PossibleVictims possibleVictims;
    private final List<PodDisruptionBudget> budgets;

    VictimSelection(Handle handle, Pod pod, PossibleVictims possibleVictims, List<PodDisruptionBudget> budgets) {
        this.handle = handle;
        this.pod = pod;
        this.possibleVictims = possibleVictims;
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
        List<Victim> possible = possibleVictims.below(pod.spec().priority(), List.of(node));
        if (possible.isEmpty()) {
            return new Selection(NO_VICTIMS, null);
        }
        Trial trial = handle.trial(state, pod);
        for (Victim victim : possible) {
            victim.forEachPodOn(trial.snapshot(), trial::remove);
        }
        Status status = filter(trial, node);
        if (!status.isSuccess()) {
            return new Selection(status, null);
        }
        Reprieve reprieve = Reprieve.of(possible, budgets, victim -> canStay(trial, node, victim));
        if (reprieve.victims().isEmpty()) {
            throw new PluginException("expected at least one victim pod on node \"" + node.name() + "\"");
        }
        return new Selection(Status.success(), new Candidate(node.name(), reprieve.pods(), reprieve.pdbViolations()));
    }

    private boolean canStay(Trial trial, NodeInfo node, Victim victim) {
        int changes = trial.changes();
        victim.forEachPodOn(trial.snapshot(), trial::assume);
        if (fits(trial, node)) {
            return true;
        }
        trial.revertTo(changes);
        return false;
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
