// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.metrics;

import java.util.Map;

/**
 * The numbers of pods, nodes and events in a scheduler at one moment.
 *
 * @param pendingPods the numbers of {@code active}, {@code backoff}, {@code unschedulable} and {@code gated} pods; for
 *     members of pod groups also of {@code incomplete} and {@code pending} ones
 * @param queuedPods the numbers of individually queued pods, by the first four of these
 * @param queuedPodGroups the numbers of queued groups of pods, by the first four of these; empty unless the feature
 *     GenericWorkload is on
 * @param inFlightEvents the numbers of events recorded for pods that are being scheduled, by label
 * @param unschedulablePods the numbers of queued pods that a plugin has rejected, by profile and plugin
 * @param nodes known nodes
 * @param pods known pods on nodes, including assumed ones
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
