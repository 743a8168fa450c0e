// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.disruption;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.app.internal.answer.OutcomeText;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextTable;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * The number of disrupted pods by outcome.
 *
 * @param pods the number of pods on the drained or lost nodes
 * @param rescheduled those whose successors are on other nodes
 * @param returned those whose successors are on drained nodes
 * @param pending those whose successors are pending
 * @param lost those that no controller creates again
 * @param ended those that had ended before
 * @param daemonPods pods of DaemonSets and static pods
 * @param blockedByBudget those that a disruption budget keeps on their nodes
 * @param refused those that {@code kubectl drain} refuses to evict
 * @param blockedByOtherPods those that stay because {@code kubectl drain} refuses to evict others of their nodes
 * @param notSelected those that are not among the pods to evict
 * @param preempted the number of pods on other nodes that are preempted
 * @param pendingBefore the number of pods that were pending before
 */
public record DisruptionSummary(
        int pods,
        int rescheduled,
        int returned,
        int pending,
        int lost,
        int ended,
        int daemonPods,
        int blockedByBudget,
        int refused,
        int blockedByOtherPods,
        int notSelected,
        int preempted,
        int pendingBefore) {
    /** Counts pods. */
    public static DisruptionSummary of(
            Collection<DisruptedPod> pods,
            Collection<DisruptedPod> preempted,
            Collection<RescheduledPod> pendingBefore) {
        Map<Outcome, Integer> counts = counts(pods);
        return new DisruptionSummary(
                pods.size(),
                counts.getOrDefault(Outcome.RESCHEDULED, 0),
                counts.getOrDefault(Outcome.RETURNED, 0),
                counts.getOrDefault(Outcome.PENDING, 0),
                counts.getOrDefault(Outcome.LOST, 0),
                counts.getOrDefault(Outcome.ENDED, 0),
                counts.getOrDefault(Outcome.DAEMON_PODS, 0),
                counts.getOrDefault(Outcome.BLOCKED_BY_BUDGET, 0),
                counts.getOrDefault(Outcome.REFUSED, 0),
                counts.getOrDefault(Outcome.BLOCKED_BY_OTHER_PODS, 0),
                counts.getOrDefault(Outcome.NOT_SELECTED, 0),
                preempted.size(),
                pendingBefore.size());
    }

    // In the order of the outcomes; outcomes that do not occur are omitted.
    private static Map<Outcome, Integer> counts(Collection<DisruptedPod> pods) {
        Map<Outcome, Integer> counts = new LinkedHashMap<>();
        for (Outcome outcome : Outcome.values()) {
            pods.stream()
                    .filter(pod -> pod.outcome() == outcome)
                    .forEach(pod -> counts.merge(outcome, 1, Integer::sum));
        }
        return counts;
    }

    /** Returns a text such as {@code 5 are rescheduled, 1 is pending}; empty for no pods. */
    public static String text(Collection<DisruptedPod> pods) {
        List<String> parts = new ArrayList<>();
        counts(pods).forEach((outcome, count) -> {
            OutcomeText text = OutcomeText.of(outcome);
            parts.add(count + " " + (count == 1 ? text.one() : text.many()));
        });
        return String.join(", ", parts);
    }

    /** Returns the counts of the outcomes that occur, as figures of a page. */
    public static Map<String, String> figures(Collection<DisruptedPod> pods) {
        Map<String, String> figures = new LinkedHashMap<>();
        counts(pods)
                .forEach((outcome, count) -> figures.put(OutcomeText.of(outcome).figure(), Integer.toString(count)));
        return figures;
    }

    /** Prints the number of pods that are preempted on other nodes, by outcome; nothing if there are none. */
    public static void printPreempted(Collection<DisruptedPod> preempted, Terminal terminal) {
        if (!preempted.isEmpty()) {
            TextTable.printWrapped("Preempted on other nodes: " + text(preempted) + ".", terminal);
        }
    }

    /** Prints the number of pods that were pending before, and of those that still are. */
    public static void printPendingBefore(Collection<RescheduledPod> pendingBefore, Terminal terminal) {
        if (pendingBefore.isEmpty()) {
            return;
        }
        int count = pendingBefore.size();
        long placed =
                pendingBefore.stream().filter(pod -> pod.nodeName().isPresent()).count();
        String were = count == 1 ? "1 pod was" : count + " pods were";
        String still = count == 1 ? "still is" : "still are";
        TextTable.printWrapped(
                were + " pending before" + (placed == 0 ? ", and " + still : "; now " + placed + " of them fit") + ".",
                terminal);
    }
}
