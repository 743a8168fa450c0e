// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.Plugin;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.internal.queue.QueuedPodInfo;

/** What a scheduler and its plugins remember, compared with what the API server holds. For a scheduler at rest. */
final class Books {
    private final Scheduler scheduler;
    private final ModelApiServer server;
    private final Set<String> failedStatuses;
    private final List<String> problems = new ArrayList<>();

    Books(Scheduler scheduler, ModelApiServer server, Set<String> failedStatuses) {
        this.scheduler = scheduler;
        this.server = server;
        this.failedStatuses = failedStatuses;
    }

    /** Whether a pod is active, backs off or is being scheduled. */
    static boolean isWorking(Scheduler scheduler) {
        Object queue = PrivateField.read(scheduler, "queue");
        return !PrivateField.map(queue, "queued.active.slotByKey").isEmpty()
                || !PrivateField.map(queue, "queued.backoff.rejected.slotByKey").isEmpty()
                || !PrivateField.map(queue, "queued.backoff.failed.slotByKey").isEmpty()
                || !PrivateField.map(queue, "inFlight.markerByUid").isEmpty()
                || !PrivateField.map(scheduler, "waitingPods.byUid").isEmpty()
                || !PrivateField.map(scheduler, "podsInPreBind.byUid").isEmpty();
    }

    /** What is wrong with them. */
    List<String> problems() {
        store();
        cache();
        queue();
        kept();
        for (Object plugin : PrivateField.collection(scheduler, "plugins")) {
            switch (((Plugin) plugin).name()) {
                case "DynamicResources" -> claims(plugin);
                case "VolumeBinding" -> volumes(plugin);
                case "DefaultPreemption" -> evictions(plugin);
                default -> {}
            }
        }
        return problems;
    }

    private void expect(String what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            problems.add(what + ": " + actual + " (the API server: " + expected + ")");
        }
    }

    private void expectNone(String what, Map<?, ?> kept) {
        expectNone(what, kept.keySet());
    }

    private void expectNone(String what, Collection<?> kept) {
        if (!kept.isEmpty()) {
            problems.add(what + ": " + kept + " (expected: none)");
        }
    }

    private void store() {
        PrivateField.map(scheduler, "store.tables").forEach((kind, table) -> {
            Map<String, String> expected = new TreeMap<>();
            Map<String, String> actual = new TreeMap<>();
            server.all((ObjectKind<?>) kind).forEach(object -> expected.put(object.key(), version(object)));
            PrivateField.map(table, "byKey")
                    .forEach((key, object) -> actual.put((String) key, version((ClusterObject) object)));
            expect("store of " + kind, expected, actual);
        });
    }

    private static String version(ClusterObject object) {
        return object.metadata().uid() + " v" + object.metadata().resourceVersion();
    }

    private void cache() {
        Map<String, String> expected = new TreeMap<>();
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (pod.isBound() && !pod.status().isTerminal()) {
                expected.put(pod.uid(), pod.nodeName());
            }
        }
        Map<String, String> actual = new TreeMap<>();
        PrivateField.map(scheduler, "cache.podByUid").forEach((uid, pod) -> actual.put((String) uid, nodeName(pod)));
        expect("pods of the cache", expected, actual);
        expectNone("assumed pods", PrivateField.collection(scheduler, "cache.assumed"));
        Map<String, String> nodes = new TreeMap<>();
        Map<String, String> cached = new TreeMap<>();
        server.all(ObjectKind.NODE).forEach(node -> nodes.put(node.key(), version(node)));
        PrivateField.map(scheduler, "cache.stateByName").forEach((name, state) -> {
            Optional<Node> node = field(state, "node");
            node.ifPresent(known -> cached.put((String) name, version(known)));
        });
        expect("nodes of the cache", nodes, cached);
    }

    private static Optional<Node> field(Object of, String name) {
        try {
            return Optional.of((Node) PrivateField.read(of, name));
        } catch (NullPointerException none) {
            return Optional.empty();
        }
    }

    // What an entry of the cache is may change; it can always be read as text or as a pod.
    private static String nodeName(Object cached) {
        return ((Pod) cached).nodeName();
    }

    private void queue() {
        Set<String> pending = new TreeSet<>();
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (!pod.isBound() && !pod.status().isTerminal() && !pod.metadata().isDeleting()) {
                pending.add(pod.key());
            }
        }
        Set<String> queued = new TreeSet<>();
        Object subQueues = PrivateField.read(scheduler, "queue.queued");
        queued.addAll(keys(PrivateField.map(subQueues, "active.slotByKey")));
        queued.addAll(keys(PrivateField.map(subQueues, "backoff.rejected.slotByKey")));
        queued.addAll(keys(PrivateField.map(subQueues, "backoff.failed.slotByKey")));
        queued.addAll(keys(PrivateField.map(subQueues, "unschedulable.groupByPod")));
        expect("pods of the queue", pending, queued);
        PrivateField.map(subQueues, "unschedulable.groupByPod").forEach((key, group) -> {
            Object info = PrivateField.map(group, "podByKey").get(key);
            if (info != null) {
                unschedulable((String) key, info);
            }
        });
        Map<String, String> expected = new TreeMap<>();
        Map<String, String> actual = nominations(scheduler);
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (!pod.isBound() && !pod.status().nominatedNodeName().isEmpty()) {
                expected.put(pod.uid(), pod.status().nominatedNodeName());
            }
        }
        // What a status says that could not be patched may be out of date.
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (!pod.isBound() && failedStatuses.contains(pod.uid())) {
                expected.remove(pod.uid());
                actual.remove(pod.uid());
            }
        }
        expect("nominations", expected, actual);
    }

    /** The node by the uid of the pod that is nominated to it. */
    static Map<String, String> nominations(Scheduler scheduler) {
        Map<String, String> nominations = new TreeMap<>();
        PrivateField.map(scheduler, "nominator.nodeNameByUid")
                .forEach((uid, nodeName) -> nominations.put((String) uid, (String) nodeName));
        return nominations;
    }

    private void unschedulable(String key, Object info) {
        Pod pod = (Pod) PrivateField.read(info, "pod");
        Optional<Pod> current = server.find(ObjectKind.POD, key);
        if (current.isPresent()) {
            expect("queued pod " + key, version(current.get()), version(pod));
        }
        String gatedBy = ((QueuedPodInfo) info).gatedBy();
        boolean isGatedForGood = gatedBy.isEmpty()
                || gatedBy.equals("SchedulingGates")
                        && !pod.spec().schedulingGates().isEmpty()
                || gatedBy.equals("DynamicResources");
        if (!isGatedForGood) {
            problems.add("pod " + key + ": gated by " + gatedBy + " (expected: tried again)");
        }
    }

    private static Set<String> keys(Map<?, ?> map) {
        Set<String> keys = new TreeSet<>();
        map.keySet().forEach(key -> keys.add((String) key));
        return keys;
    }

    private void kept() {
        expectNone("pods in flight", PrivateField.map(scheduler, "queue.inFlight.markerByUid"));
        expectNone("waiting pods", PrivateField.map(scheduler, "waitingPods.byUid"));
        expectNone("pods in PreBind", PrivateField.map(scheduler, "podsInPreBind.byUid"));
        Object statusPatches = PrivateField.read(scheduler, "loop.cycle.failures.statusPatches");
        expectNone("statuses to be written", PrivateField.map(statusPatches, "waitingByUid"));
        expectNone("statuses being written", PrivateField.collection(statusPatches, "beingSent"));
    }

    private void claims(Object plugin) {
        expectNone("allocations in flight", PrivateField.map(plugin, "tracker.inFlightAllocations"));
        expectNone("allocations of unknown outcome", PrivateField.collection(plugin, "tracker.uncertain"));
        expectNone("reservations to be undone", PrivateField.map(plugin, "binder.undone.pendingByKey"));
        Set<Object> turnedAway =
                new HashSet<>(PrivateField.map(plugin, "tracker.turnedAway").keySet());
        server.all(ObjectKind.POD).stream().filter(pod -> !pod.isBound()).forEach(pod -> turnedAway.remove(pod.uid()));
        expectNone("pods that wait for devices and are bound or gone", turnedAway);
        PrivateField.map(plugin, "tracker.assumed").forEach((key, assumed) -> {
            ResourceClaim claim = (ResourceClaim) assumed;
            Optional<ResourceClaim> current = server.find(ObjectKind.RESOURCE_CLAIM, claim.key())
                    .filter(known ->
                            known.metadata().uid().equals(claim.metadata().uid()));
            if (current.isEmpty()) {
                problems.add("assumed claim " + key + ": is kept (expected: gone, as it is from the API server)");
            } else {
                expect("assumed claim " + key, current.get().allocation(), claim.allocation());
            }
        });
    }

    private void volumes(Object plugin) {
        for (String field : List.of("claims", "volumes")) {
            PrivateField.map(plugin, "binder." + field + ".assumptions").forEach((key, assumption) -> {
                ClusterObject seen = (ClusterObject) PrivateField.read(assumption, "seen");
                boolean isCurrent = server.all(ObjectKind.of(seen)).stream()
                        .anyMatch(object ->
                                object.key().equals(key) && version(object).equals(version(seen)));
                if (isCurrent) {
                    problems.add("assumed change of " + key + ": still counts (expected: given back)");
                }
            });
        }
    }

    private void evictions(Object plugin) {
        PrivateField.map(plugin, "evictions.lastVictimByPreemptor").forEach((uid, last) -> {
            if (((Optional<?>) last).isEmpty()) {
                problems.add("evictions for the pod " + uid + ": under way (expected: none)");
            }
        });
    }
}
