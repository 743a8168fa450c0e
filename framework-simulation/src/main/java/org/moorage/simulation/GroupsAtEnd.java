// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupLister;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.cluster.InMemoryCluster;

/** The final state of the groups whose pods a simulation has scheduled, or tried to schedule. */
final class GroupsAtEnd {
    // The state of the member that blocks its group comes first.
    private static final List<State> WORST_FIRST = List.of(
            State.ERROR,
            State.UNSCHEDULABLE,
            State.WAITING_FOR_PERMIT,
            State.GATED,
            State.PREEMPTED,
            State.OTHER_SCHEDULER,
            State.DELETING,
            State.DELETED,
            State.SCHEDULED);

    private final Map<GroupKey, SchedulingGroup> groupByKey = new HashMap<>();
    private final Map<GroupKey, List<GroupKey>> childrenByKey = new HashMap<>();
    private final Map<GroupKey, List<SimulatedPod>> podsByGroup = new LinkedHashMap<>();
    private final Map<GroupKey, Integer> membersByGroup = new HashMap<>();
    private final Map<GroupKey, List<String>> nodesByGroup = new HashMap<>();
    private final Map<String, Node> nodeByName = new HashMap<>();
    private final boolean hasComposites;

    private GroupsAtEnd(boolean hasComposites) {
        this.hasComposites = hasComposites;
    }

    /**
     * Returns the groups, each root before its descendants; the roots in the order of their first pods.
     *
     * @param pods the results of the pods
     * @param waiting the pods that wait for a permit, with their nodes
     */
    static List<SimulatedGroup> of(
            InMemoryCluster cluster, FeatureGates features, List<SimulatedPod> pods, List<Pod> waiting) {
        if (!features.isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
            return List.of();
        }
        GroupsAtEnd groups = new GroupsAtEnd(features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP));
        groups.addGroups(cluster);
        groups.addMembers(cluster, waiting);
        for (SimulatedPod pod : pods) {
            key(pod.pod())
                    .ifPresent(key -> groups.podsByGroup
                            .computeIfAbsent(key, any -> new ArrayList<>())
                            .add(pod));
        }
        return groups.all(cluster, features);
    }

    /** Returns the missing group that a pod waits for, its own or one above; empty if no group is missing. */
    static Optional<GroupKey> missing(InMemoryCluster cluster, FeatureGates features, Pod pod) {
        if (!features.isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
            return Optional.empty();
        }
        GroupsAtEnd groups = new GroupsAtEnd(features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP));
        Optional<GroupKey> key = key(pod);
        for (int depth = 0; depth <= PodGroupLister.MAX_DEPTH && key.isPresent(); depth++) {
            Optional<SchedulingGroup> known = find(cluster, key.get());
            if (known.isEmpty()) {
                return key;
            }
            key = groups.parent(known.get());
        }
        return key;
    }

    /** Returns the highest existing group above a group, or the group itself. */
    static GroupKey root(InMemoryCluster cluster, FeatureGates features, GroupKey group) {
        GroupsAtEnd groups = new GroupsAtEnd(features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP));
        GroupKey current = group;
        for (int depth = 0; depth <= PodGroupLister.MAX_DEPTH; depth++) {
            Optional<GroupKey> parent = find(cluster, current)
                    .flatMap(groups::parent)
                    .filter(above -> find(cluster, above).isPresent());
            if (parent.isEmpty()) {
                return current;
            }
            current = parent.get();
        }
        return group;
    }

    private static Optional<SchedulingGroup> find(InMemoryCluster cluster, GroupKey key) {
        ObjectKind<? extends SchedulingGroup> kind =
                key.type() == GroupKey.Type.POD_GROUP ? ObjectKind.POD_GROUP : ObjectKind.COMPOSITE_POD_GROUP;
        return cluster.find(kind, key.namespace(), key.name()).map(SchedulingGroup.class::cast);
    }

    /** The pod group that a pod names. */
    static Optional<GroupKey> key(Pod pod) {
        String group = pod.spec().podGroupName();
        return group.isEmpty() ? Optional.empty() : Optional.of(GroupKey.podGroup(pod.namespace(), group));
    }

    private void addGroups(InMemoryCluster cluster) {
        List<SchedulingGroup> known = new ArrayList<>(cluster.all(ObjectKind.POD_GROUP));
        if (hasComposites) {
            known.addAll(cluster.all(ObjectKind.COMPOSITE_POD_GROUP));
        }
        known.sort(Comparator.<SchedulingGroup, Instant>comparing(
                        group -> group.metadata().creationTimestamp().orElse(Instant.MIN))
                .thenComparing(group -> group.metadata().name()));
        for (SchedulingGroup group : known) {
            GroupKey key = key(group);
            groupByKey.put(key, group);
            parent(group)
                    .ifPresent(parent -> childrenByKey
                            .computeIfAbsent(parent, any -> new ArrayList<>())
                            .add(key));
        }
    }

    private static GroupKey key(SchedulingGroup group) {
        String namespace = group.metadata().namespace();
        String name = group.metadata().name();
        return group instanceof PodGroup
                ? GroupKey.podGroup(namespace, name)
                : GroupKey.compositePodGroup(namespace, name);
    }

    private Optional<GroupKey> parent(SchedulingGroup group) {
        return hasComposites && !group.parentName().isEmpty()
                ? Optional.of(GroupKey.compositePodGroup(group.metadata().namespace(), group.parentName()))
                : Optional.empty();
    }

    private void addMembers(InMemoryCluster cluster, List<Pod> waiting) {
        Map<String, Pod> waitingByUid = new HashMap<>();
        waiting.forEach(pod -> waitingByUid.put(pod.uid(), pod));
        for (Pod known : cluster.all(ObjectKind.POD)) {
            Optional<GroupKey> key = key(known);
            if (key.isEmpty() || known.status().isTerminal()) {
                continue;
            }
            membersByGroup.merge(key.get(), 1, Integer::sum);
            Pod pod = waitingByUid.getOrDefault(known.uid(), known);
            if (pod.isBound()) {
                nodesByGroup
                        .computeIfAbsent(key.get(), any -> new ArrayList<>())
                        .add(pod.nodeName());
            }
        }
        nodesByGroup.values().forEach(nodes -> nodes.sort(Comparator.naturalOrder()));
        cluster.all(ObjectKind.NODE).forEach(node -> nodeByName.put(node.name(), node));
    }

    private List<SimulatedGroup> all(InMemoryCluster cluster, FeatureGates features) {
        List<SimulatedGroup> all = new ArrayList<>();
        Set<GroupKey> roots = new HashSet<>();
        for (GroupKey key : podsByGroup.keySet()) {
            GroupKey root = root(cluster, features, key);
            if (roots.add(root)) {
                SimulatedGroup ignored = add(root, 0, all);
            }
        }
        return all;
    }

    private SimulatedGroup add(GroupKey key, int depth, List<SimulatedGroup> all) {
        int place = all.size();
        List<SimulatedGroup> children = new ArrayList<>();
        if (depth <= PodGroupLister.MAX_DEPTH) {
            for (GroupKey child : childrenByKey.getOrDefault(key, List.of())) {
                children.add(add(child, depth + 1, all));
            }
        }
        SimulatedGroup group = key.type() == GroupKey.Type.POD_GROUP
                ? podGroup(key)
                : composite(key, Objects.requireNonNull(groupByKey.get(key)), children);
        all.add(place, group);
        return group;
    }

    private SimulatedGroup podGroup(GroupKey key) {
        SchedulingGroup known = groupByKey.get(key);
        List<SimulatedPod> pods = podsByGroup.getOrDefault(key, List.of());
        List<String> nodes = nodesByGroup.getOrDefault(key, List.of());
        int needed = known == null ? 0 : known.minimum();
        State state = State.SCHEDULED;
        String plugin = "";
        String message = "";
        Optional<SimulatedPod> worst = worst(pods);
        if (known == null || nodes.size() < needed || isWaiting(worst)) {
            state = worst.map(SimulatedPod::state)
                    .filter(found -> found != State.SCHEDULED)
                    .orElse(State.GATED);
            plugin = worst.map(SimulatedPod::plugin).orElse("");
            message = state == State.PREEMPTED
                    ? "had to leave for more important pods"
                    : condition(known, state)
                            .orElse(worst.map(SimulatedPod::message).orElse("has no pods"));
        }
        return new SimulatedGroup(
                key,
                known == null ? Optional.empty() : parent(known),
                state,
                nodes.size(),
                membersByGroup.getOrDefault(key, 0)
                        + (int) pods.stream()
                                .filter(pod -> pod.state() == State.PREEMPTED
                                        && pod.createdAgainAs().isEmpty())
                                .count(),
                needed,
                domain(known, nodes),
                nodes,
                plugin,
                message,
                pods);
    }

    private static Optional<SimulatedPod> worst(List<SimulatedPod> pods) {
        return pods.stream().min(Comparator.comparingInt(pod -> WORST_FIRST.indexOf(pod.state())));
    }

    // Its nodes are reserved, but pods that wait for a permit may still lose them.
    private static boolean isWaiting(Optional<SimulatedPod> worst) {
        return worst.filter(pod -> pod.state() == State.WAITING_FOR_PERMIT).isPresent();
    }

    // The condition stays true once the group has been scheduled.
    private static Optional<String> condition(@Nullable SchedulingGroup known, State state) {
        if (!(known instanceof PodGroup group) || state != State.UNSCHEDULABLE && state != State.ERROR) {
            return Optional.empty();
        }
        return group.initiallyScheduled()
                .filter(condition -> condition.status().equals("False"))
                .map(condition -> condition.message());
    }

    private SimulatedGroup composite(GroupKey key, SchedulingGroup known, List<SimulatedGroup> children) {
        List<String> nodes = new ArrayList<>();
        int placed = 0;
        for (SimulatedGroup child : children) {
            nodes.addAll(child.nodes());
            placed += child.state() == State.SCHEDULED ? 1 : 0;
        }
        nodes.sort(Comparator.naturalOrder());
        State state = State.SCHEDULED;
        String plugin = "";
        String message = "";
        if (placed < known.minimum()) {
            Optional<SimulatedGroup> worst =
                    children.stream().min(Comparator.comparingInt(child -> WORST_FIRST.indexOf(child.state())));
            state = worst.map(SimulatedGroup::state)
                    .filter(found -> found != State.SCHEDULED)
                    .orElse(State.GATED);
            plugin = worst.map(SimulatedGroup::plugin).orElse("");
            message = worst.map(SimulatedGroup::message).orElse("");
        }
        return new SimulatedGroup(
                key,
                parent(known),
                state,
                placed,
                children.size(),
                known.minimum(),
                domain(known, nodes),
                nodes,
                plugin,
                message,
                List.of());
    }

    private String domain(@Nullable SchedulingGroup known, List<String> nodes) {
        Set<String> values = new TreeSet<>();
        if (known != null) {
            for (String label : known.topologyKeys()) {
                for (String name : nodes) {
                    Node node = nodeByName.get(name);
                    String value = node == null ? null : node.labels().get(label);
                    if (value != null) {
                        values.add(value);
                    }
                }
            }
        }
        return String.join(",", values);
    }
}
