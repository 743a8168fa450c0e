// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupState;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.debug.SchedulerDump;

/**
 * Compares an idle scheduler's state of groups with the API server: the groups, their pods, and where these are
 * pending.
 */
final class GroupBooks {
    private final SchedulerDump dump;
    private final ModelApiServer server;
    private final Set<String> schedulerNames;
    private final GroupHierarchies trees;
    private final List<String> problems = new ArrayList<>();
    private boolean isGateOutdated;

    /** A group with its pods, or the groups below it, as text. */
    private record Known(String version, Set<String> waiting, Set<String> placed) {
        private static Known of(Optional<? extends SchedulingGroup> group) {
            return new Known(
                    group.map(known -> known.metadata().uid() + " v"
                                    + known.metadata().resourceVersion())
                            .orElse("unknown"),
                    new TreeSet<>(),
                    new TreeSet<>());
        }
    }

    /**
     * Creates a comparison.
     *
     * @param dump the state of the scheduler
     * @param schedulerNames the scheduler names of the pods that the scheduler is responsible for
     */
    GroupBooks(SchedulerDump dump, ModelApiServer server, Set<String> schedulerNames) {
        this.dump = dump;
        this.server = server;
        this.schedulerNames = schedulerNames;
        trees = new GroupHierarchies(server.all(ObjectKind.POD_GROUP), server.all(ObjectKind.COMPOSITE_POD_GROUP));
    }

    /** Returns the differences. */
    List<String> problems() {
        Map<GroupKey, Known> groups = podGroups();
        expect("pod groups of the cache", groups, knownPodGroups());
        expect("composite pod groups of the cache", composites(), knownComposites());
        for (SchedulerDump.PendingPod pending : dump.queue().pendingPods()) {
            if (!pending.pod().spec().podGroupName().isEmpty()) {
                place(pending, groups);
            }
        }
        return problems;
    }

    /**
     * Returns whether a group may be gated without a reason. As in kube-scheduler, a gated group stays gated after the
     * pod that gates it is deleted, until an event occurs that the plugin registered for, or the group has been pending
     * for too long.
     */
    boolean isGateOutdated() {
        return isGateOutdated;
    }

    private void expect(String what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            problems.add(what + ": " + actual + " (the API server: " + expected + ")");
        }
    }

    private Map<GroupKey, Known> podGroups() {
        Map<GroupKey, Known> groups = sorted();
        for (PodGroup group : server.all(ObjectKind.POD_GROUP)) {
            groups.put(GroupKey.podGroup(group.namespace(), group.name()), Known.of(Optional.of(group)));
        }
        for (Pod pod : server.all(ObjectKind.POD)) {
            boolean counts = !pod.status().isTerminal()
                    && (pod.isBound() || schedulerNames.contains(pod.spec().schedulerName()));
            if (counts && !pod.spec().podGroupName().isEmpty()) {
                Known group = groups.computeIfAbsent(GroupHierarchies.key(pod), absent -> Known.of(Optional.empty()));
                (pod.isBound() ? group.placed : group.waiting).add(pod.uid());
            }
        }
        return groups;
    }

    private Map<GroupKey, Known> knownPodGroups() {
        Map<GroupKey, Known> groups = sorted();
        for (Map.Entry<GroupKey, PodGroupState> entry : dump.podGroups().entrySet()) {
            PodGroupState state = entry.getValue();
            Known known = Known.of(state.podGroup());
            state.unscheduledPods().forEach(pod -> known.waiting.add(pod.uid()));
            state.assignedPods().forEach(pod -> known.placed.add(pod.uid()));
            state.assumedPods().forEach(pod -> known.placed.add("assumed " + pod.uid()));
            groups.put(entry.getKey(), known);
        }
        return groups;
    }

    private Map<GroupKey, Known> composites() {
        Map<GroupKey, Known> groups = sorted();
        for (CompositePodGroup group : server.all(ObjectKind.COMPOSITE_POD_GROUP)) {
            groups.put(GroupKey.compositePodGroup(group.namespace(), group.name()), Known.of(Optional.of(group)));
        }
        server.all(ObjectKind.POD_GROUP)
                .forEach(group -> addChild(groups, group, GroupKey.podGroup(group.namespace(), group.name())));
        server.all(ObjectKind.COMPOSITE_POD_GROUP)
                .forEach(group -> addChild(groups, group, GroupKey.compositePodGroup(group.namespace(), group.name())));
        return groups;
    }

    private static void addChild(Map<GroupKey, Known> groups, SchedulingGroup child, GroupKey key) {
        if (!child.parentName().isEmpty()) {
            groups.computeIfAbsent(
                            GroupKey.compositePodGroup(child.namespace(), child.parentName()),
                            absent -> Known.of(Optional.empty()))
                    .placed
                    .add(key.toString());
        }
    }

    private Map<GroupKey, Known> knownComposites() {
        Map<GroupKey, Known> groups = sorted();
        for (Map.Entry<GroupKey, CompositePodGroupState> entry :
                dump.compositePodGroups().entrySet()) {
            Known known = Known.of(entry.getValue().compositePodGroup());
            entry.getValue().children().forEach(child -> known.placed.add(child.toString()));
            groups.put(entry.getKey(), known);
        }
        return groups;
    }

    private static Map<GroupKey, Known> sorted() {
        return new TreeMap<>(Comparator.comparing(GroupKey::toString));
    }

    // A pod whose groups all exist is retried repeatedly, unless its group has too few pods.
    private void place(SchedulerDump.PendingPod pending, Map<GroupKey, Known> groups) {
        Pod pod = pending.pod();
        Optional<GroupKey> root = trees.root(GroupHierarchies.key(pod));
        boolean isRight;
        if (root.isEmpty()) {
            isRight = pending.in().equals("incomplete");
        } else if (pending.in().equals("gated")) {
            isRight = switch (pending.gatedBy()) {
                case "GangScheduling" -> !trees.isReady(root.get(), group -> size(groups.get(group)));
                case "DynamicResources" -> true;
                default -> false;
            };
            // A fresh scheduler decides whether claims are still missing.
            isGateOutdated |= !isRight || pending.gatedBy().equals("DynamicResources");
        } else {
            isRight = pending.in().equals("backoff");
        }
        if (!isRight) {
            problems.add(
                    "pod " + pod.key() + " of " + root.map(GroupKey::toString).orElse("a group that is not known")
                            + ": " + pending.in() + ", gated by \"" + pending.gatedBy() + "\""
                            + root.map(this::describe).orElse(""));
        }
    }

    private String describe(GroupKey root) {
        StringBuilder text =
                new StringBuilder(" (").append(root).append(": needs ").append(minimum(root));
        trees.podGroups(root)
                .forEach(group ->
                        text.append(", ").append(group).append(": needs ").append(minimum(group)));
        return text.append(")").toString();
    }

    private int minimum(GroupKey group) {
        return trees.find(group).orElseThrow().minimum();
    }

    private static int size(@Nullable Known group) {
        return group == null ? 0 : group.waiting.size() + group.placed.size();
    }
}
