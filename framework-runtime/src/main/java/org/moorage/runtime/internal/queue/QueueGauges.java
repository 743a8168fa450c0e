// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.metrics.SchedulerGauges;
import org.moorage.runtime.metrics.SchedulerGauges.ProfilePlugin;

/** Counts the pods and groups in the parts of the queue. */
final class QueueGauges {
    private static final List<SubQueue> OF_ENTITIES =
            List.of(SubQueue.ACTIVE, SubQueue.BACKOFF, SubQueue.UNSCHEDULABLE, SubQueue.GATED);

    private final Map<SubQueue, Integer> pods = new EnumMap<>(SubQueue.class);
    private final Map<SubQueue, Integer> alone = new EnumMap<>(SubQueue.class);
    private final Map<SubQueue, Integer> groups = new EnumMap<>(SubQueue.class);
    private final Map<ProfilePlugin, Integer> rejected = new HashMap<>();

    static SchedulerGauges of(
            SubQueues queued, QueuedGroupMembers members, InFlightPods inFlight, SchedulerCache.Counts cached) {
        QueueGauges counts = new QueueGauges();
        queued.active.values().forEach(waiting -> counts.add(waiting, SubQueue.ACTIVE));
        queued.backoff.all().forEach(waiting -> counts.add(waiting, SubQueue.BACKOFF));
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
        return new SchedulerGauges(
                byName(counts.pods, List.of(SubQueue.values())),
                byName(counts.alone, OF_ENTITIES),
                members.areGrouped() ? byName(counts.groups, OF_ENTITIES) : Map.of(),
                inFlight.eventCounts(),
                counts.rejected,
                cached.nodes(),
                cached.pods(),
                cached.assumedPods());
    }

    private static Map<String, Integer> byName(Map<SubQueue, Integer> counts, List<SubQueue> parts) {
        Map<String, Integer> byName = new HashMap<>();
        parts.forEach(part -> byName.put(part.toString(), counts.getOrDefault(part, 0)));
        return byName;
    }

    private void add(QueuedEntity queued, SubQueue in) {
        pods.merge(in, queued.size(), Integer::sum);
        (queued instanceof QueuedPodInfo ? alone : groups).merge(in, 1, Integer::sum);
        queued.members().forEach(this::addRejectors);
    }

    private void addRejectors(QueuedPodInfo pod) {
        addRejectors(pod.pod().spec().schedulerName(), pod.rejectors(), 1);
    }

    private void addRejectors(String profile, RejectorPlugins rejectors, int count) {
        for (Set<String> plugins : List.of(rejectors.unschedulable(), rejectors.pending())) {
            plugins.forEach(plugin -> rejected.merge(new ProfilePlugin(profile, plugin), count, Integer::sum));
        }
    }
}
