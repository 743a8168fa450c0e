// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.runtime.debug.CacheComparison;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cluster.ObjectStore;
import org.moorage.runtime.internal.queue.SchedulingQueue;

/** Compares the cache and the queue with the objects that the scheduler was told of, as kube-scheduler does on a signal. */
final class CacheComparer {
    private final ObjectLister<Node> nodes;
    private final ObjectLister<Pod> pods;
    private final SchedulerCache cache;
    private final SchedulingQueue queue;
    private final Predicate<Pod> ours;

    CacheComparer(ObjectStore store, SchedulerCache cache, SchedulingQueue queue, Predicate<Pod> ours) {
        nodes = store.lister(ObjectKind.NODE);
        pods = store.lister(ObjectKind.POD);
        this.cache = cache;
        this.queue = queue;
        this.ours = ours;
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
                lost);
    }

    private static List<String> without(Set<String> names, Set<String> others) {
        return names.stream().filter(name -> !others.contains(name)).sorted().toList();
    }

    // An assumed pod is one that the cluster shows without a node.
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
