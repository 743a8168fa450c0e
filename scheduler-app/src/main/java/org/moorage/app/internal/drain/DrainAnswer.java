// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.drain;

import java.util.List;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.disruption.DisruptionSummary;
import org.moorage.app.internal.disruption.PodDisruption;
import org.moorage.app.internal.report.Answer;
import org.moorage.simulation.whatif.DrainResult;
import org.moorage.simulation.whatif.DrainResult.UsedBudget;

/**
 * The result of draining nodes.
 *
 * @param nodes the drained nodes
 * @param succeeded whether the nodes are drained and every pod is scheduled
 * @param rounds the number of rounds in which pods are evicted
 * @param pods the pods on these nodes, by node and name
 * @param preempted the pods on other nodes that are preempted
 * @param pendingBefore the pods that were pending before and do not fit without the drain either
 * @param budgets the disruption budgets that take part
 * @param summary the number of pods by outcome
 */
record DrainAnswer(
        List<String> nodes,
        boolean succeeded,
        int rounds,
        List<PodDisruption> pods,
        List<PodDisruption> preempted,
        List<PlacedPod> pendingBefore,
        List<UsedBudget> budgets,
        DisruptionSummary summary)
        implements Answer {
    static DrainAnswer of(DrainResult result) {
        return new DrainAnswer(
                result.nodes(),
                result.isComplete(),
                result.rounds(),
                PodDisruption.all(result.pods()),
                PodDisruption.all(result.preempted()),
                PlacedPod.all(result.waitedBefore()),
                result.budgets(),
                DisruptionSummary.of(result.pods(), result.preempted(), result.waitedBefore()));
    }
}
