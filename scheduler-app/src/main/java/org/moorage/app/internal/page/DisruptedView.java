// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.app.internal.answer.OutcomeText;
import org.moorage.app.internal.page.ClusterView.PodView;
import org.moorage.app.internal.page.PageContent.Move;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.Workload;

/** A cluster after pods were disrupted, as a page shows it next to the one before. */
public final class DisruptedView {
    private DisruptedView() {}

    /**
     * The content of a page about it.
     *
     * @param title the page's title
     * @param before the cluster before
     * @param disrupted the disrupted pods with their outcomes
     * @param lostNodes the names of nodes that are gone
     */
    public static PageContent.Builder of(
            String title, ClusterView before, List<DisruptedPod> disrupted, Set<String> lostNodes) {
        Map<String, DisruptedPod> byUid = new HashMap<>();
        Set<String> preempted = new HashSet<>();
        disrupted.forEach(pod -> pod.victims().forEach(victim -> preempted.add(victim.uid())));
        List<Move> moves = new ArrayList<>();
        for (DisruptedPod pod : disrupted) {
            byUid.put(pod.pod().uid(), pod);
            moves.add(move(pod, preempted.contains(pod.pod().uid())));
        }
        List<PodView> pods = new ArrayList<>();
        for (PodView pod : before.pods()) {
            DisruptedPod known = byUid.get(pod.pod().uid());
            if (known == null || known.successor().isEmpty() && isThere(known, lostNodes)) {
                pods.add(pod);
            } else {
                known.successor()
                        .ifPresent(successor -> pods.add(new PodView(
                                successor,
                                known.newNodeName().orElse(""),
                                known.newNodeName().isPresent() ? ClusterView.BOUND : "unschedulable",
                                known.message())));
            }
        }
        ClusterView after = new ClusterView(
                before.nodes().stream()
                        .filter(node -> !lostNodes.contains(node.name()))
                        .toList(),
                pods);
        return PageContent.of(title, after).before(before).moves(moves);
    }

    private static boolean isThere(DisruptedPod pod, Set<String> lostNodes) {
        return switch (pod.outcome()) {
            case DAEMON_PODS -> !lostNodes.contains(pod.nodeName());
            case BLOCKED_BY_BUDGET, REFUSED, BLOCKED_BY_OTHER_PODS, NOT_SELECTED -> true;
            case RESCHEDULED, RETURNED, PENDING, LOST, ENDED -> false;
        };
    }

    private static Move move(DisruptedPod pod, boolean isPreempted) {
        String owner = pod.pod().metadata().controller().isEmpty()
                ? ""
                : Workload.of(pod.pod()).key();
        String what = (isPreempted ? "preempted, " : "")
                + OutcomeText.of(pod.outcome()).figure();
        return new Move(
                pod.pod().key(), owner, what, pod.nodeName(), pod.newNodeName().orElse(""), pod.message());
    }
}
