// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.moorage.simulation.internal.workload.OwnedPods.OwnedPod;

/**
 * Which pods of a replica set or replication controller are deleted when it has more than it wants, in the order of kube-controller-manager: those
 * without a node, then those that do not run, those that are not ready, those that cost the least to delete, those whose node has the most
 * pods of the same workload, those that are ready for the shortest time, those with the most restarts, and the newest. Times are compared by
 * their magnitude, and pods of the same magnitude by their uids.
 */
final class SurplusPods {
    private static final long NANOS = 1_000_000_000;

    private final Map<String, Integer> relatedByNode = new HashMap<>();
    private final long now;

    private SurplusPods(long now) {
        this.now = now;
    }

    /**
     * The pods to delete.
     *
     * @param active the pods of the set that have neither ended nor are being deleted
     * @param related those of all replica sets of the same deployment
     * @param count how many are too many
     * @param now when, in seconds of the epoch
     */
    static List<OwnedPod> of(List<OwnedPod> active, List<OwnedPod> related, int count, long now) {
        SurplusPods surplus = new SurplusPods(now);
        related.forEach(pod -> surplus.relatedByNode.merge(pod.nodeName(), 1, Integer::sum));
        return active.stream().sorted(surplus.firstToGo()).limit(count).toList();
    }

    private Comparator<OwnedPod> firstToGo() {
        return Comparator.comparing(OwnedPod::isScheduled)
                .thenComparingInt(pod -> phase(pod.age().phase()))
                .thenComparing(OwnedPod::isReady)
                .thenComparingInt(pod -> pod.age().cost())
                .thenComparingInt(pod -> -relatedByNode.getOrDefault(pod.nodeName(), 0))
                .thenComparingInt(pod -> magnitude(pod.age().ready()))
                .thenComparingInt(pod -> -pod.age().restarts())
                .thenComparingInt(pod -> magnitude(pod.age().created()))
                .thenComparing(pod -> pod.age().uid());
    }

    private static int phase(String phase) {
        return switch (phase) {
            case "Unknown" -> 1;
            case "Running" -> 2;
            default -> 0;
        };
    }

    // Of how long ago it was. What is not known is long ago.
    private int magnitude(long seconds) {
        long nanos = Math.max(0, now - seconds) * NANOS;
        return nanos == 0 ? -1 : Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
    }
}
