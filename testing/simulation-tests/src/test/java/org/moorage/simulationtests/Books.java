// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.runtime.debug.SchedulerDump;

/** Compares the state of an idle scheduler with the API server. */
final class Books {
    private final SchedulerDump dump;
    private final ModelApiServer server;
    private final Set<String> schedulerNames;
    private final List<String> problems = new ArrayList<>();

    /**
     * Creates a comparison.
     *
     * @param dump the state of the scheduler
     * @param schedulerNames the scheduler names of the pods that the scheduler is responsible for
     */
    Books(SchedulerDump dump, ModelApiServer server, Set<String> schedulerNames) {
        this.dump = dump;
        this.server = server;
        this.schedulerNames = schedulerNames;
    }

    /**
     * Returns whether a pod is active, in backoff or being scheduled. Ignores group members in backoff, which stay
     * there while their group is unschedulable.
     */
    static boolean isWorking(SchedulerDump dump) {
        return dump.queue().pendingPods().stream()
                        .anyMatch(pending -> pending.in().equals("active")
                                || pending.in().equals("backoff") && !isMember(dump, pending.pod()))
                || !dump.queue().inFlightPods().isEmpty()
                || !dump.waitingPods().isEmpty()
                || !dump.podsInPreBind().isEmpty();
    }

    private static boolean isMember(SchedulerDump dump, Pod pod) {
        return dump.queue().groupsPods() && !pod.spec().podGroupName().isEmpty();
    }

    /**
     * Returns the differences.
     *
     * @param plugin provides the objects that the scheduler knows
     * @param cluster provides the watched kinds
     * @param failedStatuses the uids of the pods whose status may be out of date
     */
    List<String> problems(UnreliablePlugin plugin, ModelCluster cluster, Set<String> failedStatuses) {
        cluster.watchedKinds().forEach(kind -> objects(kind, plugin));
        cache();
        queue();
        nominations(failedStatuses);
        expectNone("pods in flight", dump.queue().inFlightPods());
        expectNone("waiting pods", dump.waitingPods());
        expectNone("pods in PreBind", dump.podsInPreBind());
        expectNone("uncertain bindings", dump.uncertainBindings());
        expectNone("statuses to be written", dump.statusPatches());
        return problems;
    }

    private void expect(String what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            problems.add(what + ": " + actual + " (the API server: " + expected + ")");
        }
    }

    private void expectNone(String what, Collection<?> kept) {
        if (!kept.isEmpty()) {
            problems.add(what + ": " + kept + " (expected: none)");
        }
    }

    private void objects(ObjectKind<?> kind, UnreliablePlugin plugin) {
        expect("objects of " + kind, versions(server.all(kind)), versions(plugin.known(kind)));
    }

    private static Map<String, String> versions(Collection<? extends ClusterObject> objects) {
        Map<String, String> versions = new TreeMap<>();
        objects.forEach(object -> versions.put(object.key(), version(object)));
        return versions;
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
        Map<String, String> nodes = new TreeMap<>();
        List<String> assumed = new ArrayList<>();
        for (SchedulerDump.CachedNode node : dump.nodes()) {
            node.pods().forEach(pod -> actual.put(pod.uid(), node.name()));
            node.node().ifPresent(known -> nodes.put(node.name(), version(known)));
            assumed.addAll(node.assumed());
        }
        expect("pods of the cache", expected, actual);
        expectNone("assumed pods", assumed);
        expect("nodes of the cache", versions(server.all(ObjectKind.NODE)), nodes);
    }

    private void queue() {
        Set<String> pending = new TreeSet<>();
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (!pod.isBound()
                    && !pod.status().isTerminal()
                    && !pod.metadata().isDeleting()
                    && schedulerNames.contains(pod.spec().schedulerName())) {
                pending.add(pod.key());
            }
        }
        Set<String> queued = new TreeSet<>();
        dump.queue().pendingPods().forEach(known -> queued.add(known.pod().key()));
        expect("pods of the queue", pending, queued);
        dump.queue().pendingPods().forEach(this::pending);
    }

    private void pending(SchedulerDump.PendingPod pending) {
        Pod pod = pending.pod();
        Optional<Pod> current = server.find(ObjectKind.POD, pod.key());
        if (current.isPresent()) {
            expect("queued pod " + pod.key(), version(current.get()), version(pod));
        }
        String gatedBy = pending.gatedBy();
        boolean isGatedForGood = gatedBy.isEmpty()
                || isMember(dump, pod)
                || gatedBy.equals("SchedulingGates")
                        && !pod.spec().schedulingGates().isEmpty()
                || gatedBy.equals("DynamicResources");
        if (!isGatedForGood) {
            problems.add("pod " + pod.key() + ": gated by " + gatedBy + " (expected: tried again)");
        }
    }

    private void nominations(Set<String> failedStatuses) {
        Map<String, String> expected = new TreeMap<>();
        Map<String, String> actual = nominations(dump);
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (!pod.isBound() && failedStatuses.contains(pod.uid())) {
                // A status whose patch failed may be out of date.
                actual.remove(pod.uid());
            } else if (!pod.isBound() && !pod.status().nominatedNodeName().isEmpty()) {
                expected.put(pod.uid(), pod.status().nominatedNodeName());
            }
        }
        expect("nominations", expected, actual);
    }

    /** Returns the nominated node by pod uid. */
    static Map<String, String> nominations(SchedulerDump dump) {
        Map<String, String> nominations = new TreeMap<>();
        dump.nominatedPods().forEach((nodeName, pods) -> pods.forEach(pod -> nominations.put(pod.uid(), nodeName)));
        return nominations;
    }
}
