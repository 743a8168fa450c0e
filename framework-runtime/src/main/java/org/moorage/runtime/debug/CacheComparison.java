// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.debug;

import java.util.List;

/**
 * The differences between a scheduler's cache and queue and the objects that it has received. While objects change, it
 * may contain objects whose change is still being processed.
 *
 * @param missedNodes known nodes that the cache lacks
 * @param redundantNodes nodes of the cache that are gone
 * @param missedPods pods with a node that the cache lacks
 * @param redundantPods pods of the cache that are gone, have run to their end or are on another node
 * @param lostPods pods without a node that are neither queued nor being scheduled
 * @param differentPodGroups groups of pods of which the cache has another version, other members or children, or has
 *     members in another state
 */
public record CacheComparison(
        List<String> missedNodes,
        List<String> redundantNodes,
        List<String> missedPods,
        List<String> redundantPods,
        List<String> lostPods,
        List<String> differentPodGroups) {
    public CacheComparison {
        missedNodes = List.copyOf(missedNodes);
        redundantNodes = List.copyOf(redundantNodes);
        missedPods = List.copyOf(missedPods);
        redundantPods = List.copyOf(redundantPods);
        lostPods = List.copyOf(lostPods);
        differentPodGroups = List.copyOf(differentPodGroups);
    }

    /** Returns whether there is no difference. */
    public boolean isEqual() {
        return missedNodes.isEmpty()
                && redundantNodes.isEmpty()
                && missedPods.isEmpty()
                && redundantPods.isEmpty()
                && lostPods.isEmpty()
                && differentPodGroups.isEmpty();
    }

    @Override
    public String toString() {
        return "missedNodes: " + missedNodes + "\nredundantNodes: " + redundantNodes + "\nmissedPods: " + missedPods
                + "\nredundantPods: " + redundantPods + "\nlostPods: " + lostPods + "\ndifferentPodGroups: "
                + differentPodGroups + "\n";
    }
}
