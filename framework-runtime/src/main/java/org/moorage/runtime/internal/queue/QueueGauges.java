// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.moorage.runtime.metrics.SchedulerGauges.ProfilePlugin;

/**
 * The numbers of pods, groups and events in a queue at one moment.
 *
 * @param pendingPods the numbers of pods by part of the queue
 * @param queuedPods the numbers of individually queued pods, by sub-queue
 * @param queuedPodGroups the numbers of queued groups, by sub-queue; empty if pods are not grouped
 * @param inFlightEvents the numbers of recorded events, by label
 * @param unschedulablePods the numbers of pods that each plugin has rejected
 */
public record QueueGauges(
        Map<String, Integer> pendingPods,
        Map<String, Integer> queuedPods,
        Map<String, Integer> queuedPodGroups,
        Map<String, Integer> inFlightEvents,
        Map<ProfilePlugin, Integer> unschedulablePods) {
    private static final List<SubQueue> OF_ENTITIES =
            List.of(SubQueue.ACTIVE, SubQueue.BACKOFF, SubQueue.UNSCHEDULABLE, SubQueue.GATED);

    static QueueGauges of(SubQueues queued, QueuedGroupMembers members, InFlightPods inFlight) {
        Counts counts = new Counts();
        queued.active.values().forEach(waiting -> counts.add(waiting, SubQueue.ACTIVE));
        queued.backoff.rejected.values().forEach(waiting -> counts.add(waiting, SubQueue.BACKOFF));
        queued.backoff.failed.values().forEach(waiting -> counts.add(waiting, SubQueue.BACKOFF));
        for (UnschedulablePods.BucketKey bucket : queued.unschedulable.buckets()) {
            int pods = queued.unschedulable.of(bucket).size();
            SubQueue in = bucket.isGated() ? SubQueue.GATED : SubQueue.UNSCHEDULABLE;
            counts.pods.merge(in, pods, Integer::sum);
            counts.alone.merge(in, pods, Integer::sum);
            counts.addRejectors(bucket.profile(), bucket.rejectors(), pods);
        }
        for (QueuedPodGroupInfo group : queued.unschedulable.podGroups()) {
            counts.add(group, group.isGated() ? SubQueue.GATED : SubQueue.UNSCHEDULABLE);
        }
        members.forEachOutsideSubQueues((in, waiting) -> {
            counts.pods.merge(in, waiting.size(), Integer::sum);
            waiting.forEach(counts::addRejectors);
        });
        return new QueueGauges(
                byName(counts.pods, List.of(SubQueue.values())),
                byName(counts.alone, OF_ENTITIES),
                members.areGrouped() ? byName(counts.groups, OF_ENTITIES) : Map.of(),
                inFlight.eventCounts(),
                counts.rejected);
    }

    private static Map<String, Integer> byName(Map<SubQueue, Integer> counts, List<SubQueue> parts) {
        Map<String, Integer> byName = new HashMap<>();
        parts.forEach(part -> byName.put(part.toString(), counts.getOrDefault(part, 0)));
        return byName;
    }

    private static final class Counts {
        private final Map<SubQueue, Integer> pods = new EnumMap<>(SubQueue.class);
        private final Map<SubQueue, Integer> alone = new EnumMap<>(SubQueue.class);
        private final Map<SubQueue, Integer> groups = new EnumMap<>(SubQueue.class);
        private final Map<ProfilePlugin, Integer> rejected = new HashMap<>();

        void add(QueuedEntity queued, SubQueue in) {
            pods.merge(in, queued.size(), Integer::sum);
            if (queued instanceof QueuedPodInfo pod) {
                alone.merge(in, 1, Integer::sum);
                addRejectors(pod);
            } else if (queued instanceof QueuedPodGroupInfo group) {
                groups.merge(in, 1, Integer::sum);
                group.members().forEach(this::addRejectors);
            }
        }

        void addRejectors(QueuedPodInfo pod) {
            addRejectors(pod.pod().spec().schedulerName(), pod.rejectors(), 1);
        }

        void addRejectors(String profile, RejectorPlugins rejectors, int count) {
            rejectors.unschedulable().forEach(plugin -> addRejector(profile, plugin, count));
            rejectors.pending().forEach(plugin -> addRejector(profile, plugin, count));
        }

        private void addRejector(String profile, String plugin, int count) {
            rejected.merge(new ProfilePlugin(profile, plugin), count, Integer::sum);
        }
    }
}
