// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import java.util.ArrayList;
import java.util.Collections;
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
    private final Handle handle;
    private final PreemptionRules rules;
    private final Pod pod;
    private final PossibleVictims possibleVictims;
    private final List<PodDisruptionBudget> budgets;

    VictimSelection(
            Handle handle,
            PreemptionRules rules,
            Pod pod,
            PossibleVictims possibleVictims,
            List<PodDisruptionBudget> budgets) {
        this.handle = handle;
        this.rules = rules;
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
     * @throws RuntimeException if a filter or a rule fails
     */
    Selection on(NodeInfo node, CycleState state) {
        List<Victim> below = possibleVictims.below(rules.priorityLimit(pod), List.of(node));
        if (below.isEmpty()) {
            return new Selection(rules.noVictims(pod, node), null);
        }
        Trial trial = handle.preemption().trial(state, pod);
        List<Victim> possible = remove(below, trial);
        if (possible.isEmpty()) {
            return new Selection(rules.noVictims(pod, node), null);
        }
        Status status = filter(trial, node);
        if (status.isSuccess()) {
            status = rules.withoutVictims(trial.state(), pod);
        }
        if (!status.isSuccess()) {
            return new Selection(status, null);
        }
        Reprieve reprieve = Reprieve.of(possible, budgets, victim -> putBack(trial, node, victim));
        if (reprieve.victims().isEmpty()) {
            throw new PluginException("expected at least one victim pod on node \"" + node.name() + "\"");
        }
        return new Selection(Status.success(), new Candidate(node.name(), reprieve.pods(), reprieve.pdbViolations()));
    }

    private List<Victim> remove(List<Victim> below, Trial trial) {
        List<Victim> ordered = below;
        if (rules.startsWithLeastImportant()) {
            ordered = new ArrayList<>(Reprieve.mostImportantFirst(below));
            Collections.reverse(ordered);
        }
        List<Victim> removed = new ArrayList<>(ordered.size());
        for (Victim victim : ordered) {
            if (rules.mayEvict(trial.state(), pod, victim)) {
                victim.forEachPodOn(trial.snapshot(), trial::remove);
                removed.add(victim);
            }
        }
        return removed;
    }

    private Reprieve.Outcome putBack(Trial trial, NodeInfo node, Victim victim) {
        int changes = trial.changes();
        victim.forEachPodOn(trial.snapshot(), trial::assume);
        boolean fits = fits(trial, node);
        if (fits && rules.mayStay(trial.state(), pod, victim)) {
            return Reprieve.Outcome.STAYS;
        }
        trial.revertTo(changes);
        if (fits) {
            return Reprieve.Outcome.LEAVES_UNCOUNTED;
        }
        rules.leaves(trial.state(), pod, victim);
        return Reprieve.Outcome.LEAVES;
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
        return handle.preemption()
                .filterWithNominatedPods(
                        trial.state(), pod, trial.snapshot().node(node.name()).orElseThrow());
    }
}
