// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.runtime.debug.CacheComparison;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.internal.cache.PodGroups;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cluster.ObjectStore;
import org.moorage.runtime.internal.queue.SchedulingQueue;

/**
 * Compares the cache and the queue with the objects that the scheduler has received, as kube-scheduler does on a
 * signal.
 */
final class CacheComparer {
    private final ObjectStore store;
    private final ObjectLister<Node> nodes;
    private final ObjectLister<Pod> pods;
    private final SchedulerCache cache;
    private final SchedulingQueue queue;
    private final Predicate<Pod> ours;
    private final FeatureGates features;

    CacheComparer(
            ObjectStore store,
            SchedulerCache cache,
            SchedulingQueue queue,
            Predicate<Pod> ours,
            FeatureGates features) {
        this.store = store;
        nodes = store.lister(ObjectKind.NODE);
        pods = store.lister(ObjectKind.POD);
        this.cache = cache;
        this.queue = queue;
        this.ours = ours;
        this.features = features;
    }

    CacheComparison compare() {
        List<SchedulerDump.CachedNode> cached = cache.dump();
        Set<String> cachedNodes = new HashSet<>();
        Map<String, Pod> cachedPods = new HashMap<>();
        for (SchedulerDump.CachedNode node : cached) {
            if (!node.isDeleted()) {
                cachedNodes.add(node.name());
            }
            node.pods().forEach(pod -> cachedPods.put(pod.uid(), pod));
        }
        Set<String> knownNodes = new HashSet<>();
        nodes.all().forEach(node -> knownNodes.add(node.name()));
        SchedulerDump.Queue inQueue = queue.dump();
        Set<String> queued = new HashSet<>();
        inQueue.pendingPods().forEach(pending -> queued.add(pending.pod().uid()));
        inQueue.inFlightPods().forEach(pod -> queued.add(pod.uid()));
        List<String> missed = new ArrayList<>();
        List<String> lost = new ArrayList<>();
        Map<String, Pod> known = new HashMap<>();
        for (Pod pod : pods.all()) {
            known.put(pod.uid(), pod);
            if (pod.status().isTerminal()) {
                continue;
            }
            boolean isCached = cachedPods.containsKey(pod.uid());
            if (pod.isBound() && !isCached) {
                missed.add(pod.key());
            } else if (!pod.isBound() && ours.test(pod) && !isCached && !queued.contains(pod.uid())) {
                lost.add(pod.key());
            }
        }
        return new CacheComparison(
                without(knownNodes, cachedNodes),
                without(cachedNodes, knownNodes),
                missed,
                redundant(cachedPods.values(), known),
                lost,
                features.isEnabled(FeatureGates.GENERIC_WORKLOAD) ? differentGroups(cachedPods) : List.of());
    }

    // Compares the groups of the cache, which were updated by each change, with groups that are rebuilt from all
    // current objects.
    private List<String> differentGroups(Map<String, Pod> cachedPods) {
        PodGroups groups = PodGroups.none(features);
        for (PodGroup group : store.all(ObjectKind.POD_GROUP)) {
            groups = groups.with(group);
        }
        for (CompositePodGroup group : store.all(ObjectKind.COMPOSITE_POD_GROUP)) {
            groups = groups.with(group);
        }
        for (Pod pod : pods.all()) {
            if (!pod.status().isTerminal() && (pod.isBound() || ours.test(pod))) {
                Pod cached = cachedPods.get(pod.uid());
                groups = cached == null ? groups.with(pod) : groups.with(pod).assume(cached);
            }
        }
        Map<String, String> expected = described(groups);
        Map<String, String> actual = described(cache.podGroups());
        Set<String> keys = new TreeSet<>(expected.keySet());
        keys.addAll(actual.keySet());
        return keys.stream()
                .filter(key -> !Objects.equals(expected.get(key), actual.get(key)))
                .toList();
    }

    private static Map<String, String> described(PodGroups groups) {
        Map<String, String> described = new HashMap<>();
        groups.podGroups()
                .forEach((key, state) -> described.put(
                        key.toString(),
                        version(state.podGroup())
                                + uids(state.unscheduledPods())
                                + uids(state.assumedPods())
                                + uids(state.assignedPods())));
        groups.compositePodGroups()
                .forEach((key, state) ->
                        described.put(key.toString(), version(state.compositePodGroup()) + state.children()));
        return described;
    }

    private static String version(Optional<? extends SchedulingGroup> group) {
        return group.map(known -> known.metadata().uid() + known.metadata().resourceVersion())
                .orElse("");
    }

    private static List<String> uids(List<Pod> pods) {
        return pods.stream().map(Pod::uid).toList();
    }

    private static List<String> without(Set<String> names, Set<String> others) {
        return names.stream().filter(name -> !others.contains(name)).sorted().toList();
    }

    // The cluster shows an assumed pod without a node.
    private static List<String> redundant(Collection<Pod> cached, Map<String, Pod> known) {
        List<String> redundant = new ArrayList<>();
        for (Pod pod : cached) {
            Pod now = known.get(pod.uid());
            if (now == null
                    || now.status().isTerminal()
                    || now.isBound() && !now.nodeName().equals(pod.nodeName())) {
                redundant.add(pod.key());
            }
        }
        return redundant;
    }
}
