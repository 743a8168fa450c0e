// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.moorage.app.internal.answer.PodOwner;
import org.moorage.app.internal.page.ClusterView.PodView;
import org.moorage.app.internal.page.PageContent.Move;
import org.moorage.simulation.whatif.DisruptedPod;

/** A cluster after pods were disrupted, as a page shows it beside the one before. */
public final class DisruptedView {
    private DisruptedView() {}

    /**
     * What a page shows of it.
     *
     * @param title the page's title
     * @param before the cluster before
     * @param disrupted what became of pods
     * @param lostNodes the names of nodes that are gone
     */
    public static PageContent.Builder of(
            String title, ClusterView before, List<DisruptedPod> disrupted, Set<String> lostNodes) {
        Map<String, DisruptedPod> byUid = new HashMap<>();
        List<Move> moves = new ArrayList<>();
        for (DisruptedPod pod : disrupted) {
            byUid.put(pod.pod().uid(), pod);
            moves.add(move(pod));
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

    private static Move move(DisruptedPod pod) {
        String owner = PodOwner.of(pod.pod())
                .map(known -> known.namespace() + "/" + known.name())
                .orElse("");
        String what = pod.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return new Move(
                pod.pod().key(), owner, what, pod.nodeName(), pod.newNodeName().orElse(""), pod.message());
    }
}
