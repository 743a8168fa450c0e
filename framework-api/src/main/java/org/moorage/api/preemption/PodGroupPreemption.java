// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.Code;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;

/**
 * Selects the victims in the whole cluster for a group of pods: removes all pods of lower priority, schedules the
 * group, then {@linkplain Reprieve reprieves} each victim with which the group's pods still fit on their nodes.
 */
final class PodGroupPreemption {
    private static final String PREFIX = "pod group preemption: ";
    private static final Status NEVER_PREEMPTS =
            Status.unschedulable(PREFIX + "not eligible due to preemptionPolicy=Never.");
    private static final Status NO_VICTIMS =
            Status.unresolvable(PREFIX + "No preemption victims found for incoming preemptor");
    private static final String ONGOING = PREFIX + "ongoing preemption on nominated nodes";

    private final ObjectLister<Pod> pods;
    private final ObjectLister<PodDisruptionBudget> budgets;
    private final FeatureGates features;

    PodGroupPreemption(Handle handle) {
        pods = handle.cluster().lister(ObjectKind.POD);
        budgets = handle.cluster().lister(ObjectKind.POD_DISRUPTION_BUDGET);
        features = handle.featureGates();
    }

    /**
     * Returns the victims to evict for a group without a parent, if that helps.
     *
     * @throws PluginException if the group cannot be tried
     */
    PodGroupPostFilterResult makeRoom(PodGroupInfo preemptor, PodGroupTrial trial) {
        if (neverPreempts(preemptor)) {
            return PodGroupPostFilterResult.rejected(NEVER_PREEMPTS);
        }
        int priority = preemptor.group().priority();
        PossibleVictims possibleVictims =
                new PossibleVictims(features, trial.snapshot().podGroups());
        Map<String, String> nominatedNodes = nominatedNodes(preemptor);
        if (isOngoing(priority, nominatedNodes, possibleVictims, trial.snapshot())) {
            Map<String, Nomination> nominations = new HashMap<>();
            nominatedNodes.forEach(
                    (uid, node) -> nominations.put(uid, node.isEmpty() ? Nomination.clear() : Nomination.to(node)));
            return PodGroupPostFilterResult.nominated(nominations, List.of(), ONGOING);
        }
        Optional<String> unavailable = budgets.unavailable();
        if (unavailable.isPresent()) {
            return PodGroupPostFilterResult.rejected(Status.unschedulable(PREFIX + unavailable.get()));
        }
        List<Victim> possible = possibleVictims.below(priority, trial.snapshot().nodes());
        return possible.isEmpty() ? PodGroupPostFilterResult.rejected(NO_VICTIMS) : makeRoom(possible, trial);
    }

    private PodGroupPostFilterResult makeRoom(List<Victim> possible, PodGroupTrial trial) {
        removeAll(possible, trial);
        PodGroupTrial.Result simulation = trial.schedule();
        if (!simulation.status().isSuccess()) {
            return rejected(simulation.status());
        }
        Reprieve reprieve = Reprieve.of(possible, Reprieve.ordered(budgets), victim -> putBack(trial, victim));
        List<Pod> victims = reprieve.pods();
        Map<String, Nomination> nominations = new HashMap<>();
        for (ProposedAssignment assignment : simulation.assignments()) {
            nominations.put(assignment.pod().uid(), Nomination.to(assignment.nodeName()));
        }
        return PodGroupPostFilterResult.nominated(
                        nominations,
                        victims,
                        PREFIX + "found a placement for podgroup, preempting " + victims.size() + " victims")
                .withCounts(reprieve.groupDisruptions(), reprieve.pdbViolations());
    }

    private static void removeAll(List<Victim> victims, PodGroupTrial trial) {
        Map<String, List<Pod>> podsByNode = new LinkedHashMap<>();
        for (Victim victim : victims) {
            victim.forEachPodOn(
                    trial.snapshot(),
                    (pod, node) -> podsByNode
                            .computeIfAbsent(node, any -> new ArrayList<>())
                            .add(pod));
        }
        podsByNode.forEach((node, pods) -> trial.remove(pods, node));
    }

    private static PodGroupPostFilterResult rejected(Status status) {
        if (status.code() == Code.ERROR) {
            throw new PluginException(PREFIX + status.message());
        }
        return PodGroupPostFilterResult.rejected(
                status.message().isEmpty() ? status : Status.of(status.code(), List.of(PREFIX + status.message())));
    }

    private static Reprieve.Outcome putBack(PodGroupTrial trial, Victim victim) {
        int changes = trial.changes();
        victim.forEachPodOn(trial.snapshot(), trial::assume);
        if (holds(trial)) {
            return Reprieve.Outcome.STAYS;
        }
        trial.revertTo(changes);
        return Reprieve.Outcome.LEAVES;
    }

    private static boolean holds(PodGroupTrial trial) {
        try {
            return trial.holds();
        } catch (RuntimeException failed) {
            // As in kube-scheduler, a failing filter rejects here.
            return false;
        }
    }

    private boolean neverPreempts(PodGroupInfo preemptor) {
        if (features.isEnabled(FeatureGates.POD_GROUP_PREEMPTION_POLICY)) {
            return preemptor
                    .group()
                    .preemptionPolicy()
                    .filter(Preemption.NEVER::equals)
                    .isPresent();
        }
        for (Pod pod : preemptor.unscheduledPods()) {
            if (pod.spec().preemptionPolicy().equals(Preemption.NEVER)) {
                return true;
            }
        }
        return false;
    }

    // The nominated node of each pod of the group, by pod uid. It may be newer than in the cycle's pods.
    private Map<String, String> nominatedNodes(PodGroupInfo preemptor) {
        Map<String, String> nodes = new HashMap<>();
        for (Pod pod : preemptor.unscheduledPods()) {
            Pod current = pods.current(pod)
                    .filter(listed -> listed.uid().equals(pod.uid()))
                    .orElse(pod);
            nodes.put(pod.uid(), current.status().nominatedNodeName());
        }
        return nodes;
    }

    private static boolean isOngoing(
            int priority, Map<String, String> nominatedNodes, PossibleVictims victims, Snapshot snapshot) {
        for (String name : nominatedNodes.values()) {
            NodeInfo node = snapshot.node(name).orElse(null);
            if (node != null && victims.isAnyLeaving(priority, node)) {
                return true;
            }
        }
        return false;
    }
}
