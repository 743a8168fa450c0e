// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.moorage.simulation.internal.workload.OwnedPods.OwnedPod;

/**
 * The pods that are deleted when a replica set or replication controller has too many, in the order of
 * kube-controller-manager: pods without a node, pods that do not run, pods that are not ready, pods with the lowest
 * deletion cost, pods whose node has the most pods of the same workload, pods that have been ready for the shortest
 * time, pods with the most restarts, and the newest pods. Times are compared by their magnitude, and pods of the same
 * magnitude by their uids.
 */
final class SurplusPods {
    private static final long NANOS = 1_000_000_000;

    private final Map<String, Integer> relatedByNode = new HashMap<>();
    private final long now;

    private SurplusPods(long now) {
        this.now = now;
    }

    /**
     * Returns the pods to delete.
     *
     * @param active the pods of the set that have not ended and are not being deleted
     * @param related the pods of all replica sets of the same deployment
     * @param count the number of pods to delete
     * @param now the present time, in seconds since the epoch
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

    // The magnitude of the time since then; an unknown time counts as long ago.
    private int magnitude(long seconds) {
        long nanos = Math.max(0, now - seconds) * NANOS;
        return nanos == 0 ? -1 : Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
    }
}
