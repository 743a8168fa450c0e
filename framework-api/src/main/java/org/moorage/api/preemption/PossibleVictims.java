// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.GroupKey;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;

/**
 * The pods and groups that may have to leave for a preemptor. An instance serves one evaluation and one thread: it
 * looks up each group once.
 */
final class PossibleVictims {
    // kube-scheduler has the same limit, upward and downward.
    private static final int MAX_LEVELS = 4;

    private final boolean hasGroups;
    private final boolean hasComposites;
    private final PodGroupLister groups;
    private final Map<GroupKey, Above> aboveByPodGroup = new HashMap<>();
    private final Map<GroupKey, List<Pod>> podsByGroup = new HashMap<>();

    /**
     * Creates an instance; it looks for victims later.
     *
     * @param groups the groups before the removal of any victim is simulated
     */
    PossibleVictims(FeatureGates features, PodGroupLister groups) {
        hasGroups = features.isEnabled(FeatureGates.GENERIC_WORKLOAD);
        hasComposites = features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP);
        this.groups = groups;
    }

    /**
     * The groups above the pods of a pod group.
     *
     * @param highest the highest group that is known; null if the pod group itself is not
     * @param leavingAsOne the highest group that is only disrupted as a whole; null if there is none
     */
    private record Above(
            @Nullable SchedulingGroup highest, @Nullable GroupKey leavingAsOne) {}

    /** Returns the victims on these nodes with a priority below this one, in the order of the nodes and their pods. */
    List<Victim> below(long priority, List<NodeInfo> nodes) {
        List<Victim> victims = new ArrayList<>();
        Set<String> members = hasGroups ? new HashSet<>() : Set.of();
        for (NodeInfo node : nodes) {
            // The priority of a group may be lower than that of its pods.
            if (!hasGroups && node.lowestPriority() >= priority) {
                continue;
            }
            for (Pod pod : node.pods()) {
                if (priority(pod) >= priority) {
                    continue;
                }
                if (isMember(pod)) {
                    addMember(pod, members, victims);
                } else {
                    victims.add(new Victim(Victim.Kind.POD, priority(pod), List.of(pod), victims.size()));
                }
            }
        }
        return victims;
    }

    // Adds a pod with all pods that leave with it; groups that are above each other may have the same pods.
    private void addMember(Pod pod, Set<String> members, List<Victim> victims) {
        if (members.contains(pod.uid())) {
            return;
        }
        GroupKey asOne = above(pod).leavingAsOne;
        List<Pod> together = asOne == null ? List.of() : podsByGroup.computeIfAbsent(asOne, this::scheduledPods);
        boolean isAlone = asOne == null || together.isEmpty();
        List<Pod> pods = new ArrayList<>();
        for (Pod other : isAlone ? List.of(pod) : together) {
            if (members.add(other.uid())) {
                pods.add(other);
            }
        }
        if (!pods.isEmpty()) {
            Victim.Kind kind = asOne != null && !isAlone && asOne.type() == GroupKey.Type.COMPOSITE_POD_GROUP
                    ? Victim.Kind.COMPOSITE_POD_GROUP
                    : Victim.Kind.POD_GROUP;
            victims.add(new Victim(kind, priority(pod), pods, victims.size()));
        }
    }

    /** Returns the priority of a pod, or of the highest known group above it. */
    int priority(Pod pod) {
        SchedulingGroup highest = isMember(pod) ? above(pod).highest : null;
        return highest == null ? pod.spec().priority() : highest.priority();
    }

    /** Returns whether a pod of a priority below this one is leaving a node, since it was preempted. */
    boolean isAnyLeaving(int priority, NodeInfo node) {
        for (Pod pod : node.pods()) {
            if (priority(pod) < priority && Preemption.isPreempted(pod)) {
                return true;
            }
        }
        return false;
    }

    private boolean isMember(Pod pod) {
        return hasGroups && !pod.spec().podGroupName().isEmpty();
    }

    private Above above(Pod member) {
        return aboveByPodGroup.computeIfAbsent(
                GroupKey.podGroup(member.namespace(), member.spec().podGroupName()), this::lookUp);
    }

    private Above lookUp(GroupKey podGroup) {
        SchedulingGroup highest = null;
        GroupKey leavingAsOne = null;
        Set<GroupKey> seen = new HashSet<>();
        GroupKey key = podGroup;
        while (seen.size() < MAX_LEVELS && seen.add(key)) {
            SchedulingGroup group = groups.group(key).orElse(null);
            if (group == null) {
                break;
            }
            highest = group;
            leavingAsOne = group.disruptionMode() == DisruptionMode.ALL ? key : leavingAsOne;
            if (!hasComposites || group.parentName().isEmpty()) {
                break;
            }
            key = GroupKey.compositePodGroup(key.namespace(), group.parentName());
        }
        return new Above(highest, leavingAsOne);
    }

    private List<Pod> scheduledPods(GroupKey group) {
        List<Pod> pods = new ArrayList<>();
        addScheduledPods(group, 1, pods);
        return pods;
    }

    private void addScheduledPods(GroupKey group, int level, List<Pod> pods) {
        switch (group.type()) {
            case POD_GROUP ->
                groups.podGroup(group.namespace(), group.name())
                        .map(PodGroupState::scheduledPods)
                        .ifPresent(pods::addAll);
            case COMPOSITE_POD_GROUP -> {
                if (level < MAX_LEVELS) {
                    groups.compositePodGroup(group.namespace(), group.name())
                            .ifPresent(state ->
                                    state.children().forEach(child -> addScheduledPods(child, level + 1, pods)));
                }
            }
        }
    }
}
