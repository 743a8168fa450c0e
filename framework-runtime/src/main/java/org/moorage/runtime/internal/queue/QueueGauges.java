// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.HashMap;
import java.util.Map;
import org.moorage.runtime.metrics.SchedulerGauges.ProfilePlugin;

/**
 * What is in a queue at a moment.
 *
 * @param pendingPods how many pods are in each sub-queue, by its name
 * @param inFlightEvents how many events are kept, by their label
 * @param unschedulablePods how many pods a plugin has rejected
 */
public record QueueGauges(
        Map<String, Integer> pendingPods,
        Map<String, Integer> inFlightEvents,
        Map<ProfilePlugin, Integer> unschedulablePods) {
    static QueueGauges of(QueuedPods queued, InFlightPods inFlight) {
        Map<ProfilePlugin, Integer> rejected = new HashMap<>();
        int gated = 0;
        int unschedulable = 0;
        for (UnschedulablePods.GroupKey group : queued.unschedulable.groups()) {
            int size = queued.unschedulable.of(group).size();
            if (group.isGated()) {
                gated += size;
            } else {
                unschedulable += size;
            }
            count(group.profile(), group.rejectors(), size, rejected);
        }
        count(queued.active, rejected);
        count(queued.backoff.rejected, rejected);
        Map<String, Integer> pods = Map.of(
                SubQueue.ACTIVE.toString(),
                queued.active.size(),
                SubQueue.BACKOFF.toString(),
                queued.backoff.rejected.size() + queued.backoff.failed.size(),
                SubQueue.UNSCHEDULABLE.toString(),
                unschedulable,
                SubQueue.GATED.toString(),
                gated);
        return new QueueGauges(pods, inFlight.eventCounts(), rejected);
    }

    private static void count(IndexedHeap<String, QueuedPodInfo> heap, Map<ProfilePlugin, Integer> rejected) {
        for (QueuedPodInfo queued : heap.values()) {
            count(queued.pod().spec().schedulerName(), queued.rejectors(), 1, rejected);
        }
    }

    private static void count(
            String profile, RejectorPlugins rejectors, int pods, Map<ProfilePlugin, Integer> rejected) {
        rejectors.unschedulable().forEach(plugin -> add(profile, plugin, pods, rejected));
        rejectors.pending().forEach(plugin -> add(profile, plugin, pods, rejected));
    }

    private static void add(String profile, String plugin, int pods, Map<ProfilePlugin, Integer> rejected) {
        int ignored = rejected.merge(new ProfilePlugin(profile, plugin), pods, Integer::sum);
    }
}
