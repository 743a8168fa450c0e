// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.metrics;

import java.util.Map;

/**
 * What is in a scheduler at a moment.
 *
 * @param pendingPods how many pods are {@code active}, {@code backoff}, {@code unschedulable} and {@code gated}; of members of pod
 *     groups also how many are {@code incomplete} and {@code pending}
 * @param queuedPods how many pods are queued on their own, by the first four of these
 * @param queuedPodGroups how many groups of pods are queued, by the first four of these; empty unless the feature GenericWorkload is on
 * @param inFlightEvents how many events are kept for pods that are being scheduled, by their label
 * @param unschedulablePods how many queued pods a plugin has rejected, by profile and plugin
 * @param nodes known nodes
 * @param pods known pods on nodes, assumed ones included
 * @param assumedPods pods that the cluster has not confirmed
 */
public record SchedulerGauges(
        Map<String, Integer> pendingPods,
        Map<String, Integer> queuedPods,
        Map<String, Integer> queuedPodGroups,
        Map<String, Integer> inFlightEvents,
        Map<ProfilePlugin, Integer> unschedulablePods,
        int nodes,
        int pods,
        int assumedPods) {
    public SchedulerGauges {
        pendingPods = Map.copyOf(pendingPods);
        queuedPods = Map.copyOf(queuedPods);
        queuedPodGroups = Map.copyOf(queuedPodGroups);
        inFlightEvents = Map.copyOf(inFlightEvents);
        unschedulablePods = Map.copyOf(unschedulablePods);
    }

    /** A plugin of a profile. */
    public record ProfilePlugin(String profile, String plugin) {}
}
