// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupLister;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.internal.queue.QueuedPodGroupInfo.Group;

/**
 * The pod groups and composite pod groups of the queue, linked to their parents. A group is linked to its parent before
 * the parent is known.
 *
 * <p>It is a separate copy, so that it is consistent with the queue even if the cache is ahead or behind. Guarded by
 * the queue's lock.
 */
final class WorkloadForest {
    // Includes the pod group itself. Parent links are user input: chains may be arbitrarily long or cyclic.
    private static final int DEEPEST = PodGroupLister.MAX_DEPTH + 1;

    private static final Comparator<Group> OLDEST_FIRST = Comparator.<Group, Instant>comparing(
                    group -> group.object().metadata().creationTimestamp().orElse(Instant.MIN))
            .thenComparing(group -> group.key().name());

    private final boolean composites;
    private final Map<GroupKey, SchedulingGroup> groupByKey = new HashMap<>();
    private final Map<GroupKey, Set<GroupKey>> childrenByKey = new HashMap<>();

    /**
     * Creates an instance without groups.
     *
     * @param composites whether composite pod groups are enabled; otherwise parents of pod groups are ignored
     */
    WorkloadForest(boolean composites) {
        this.composites = composites;
    }

    static GroupKey key(SchedulingGroup group) {
        return group instanceof PodGroup
                ? GroupKey.podGroup(
                        group.metadata().namespace(), group.metadata().name())
                : GroupKey.compositePodGroup(
                        group.metadata().namespace(), group.metadata().name());
    }

    /** Returns the key of the pod group that a pod names. */
    static GroupKey key(Pod member) {
        return GroupKey.podGroup(member.namespace(), member.spec().podGroupName());
    }

    Optional<SchedulingGroup> find(GroupKey key) {
        return Optional.ofNullable(groupByKey.get(key));
    }

    /** Returns the key of a group's parent; empty if it has none. The parent may be unknown. */
    Optional<GroupKey> parent(SchedulingGroup group) {
        return composites && !group.parentName().isEmpty()
                ? Optional.of(GroupKey.compositePodGroup(group.metadata().namespace(), group.parentName()))
                : Optional.empty();
    }

    /** Adds a group, or replaces the one with the same key. */
    void put(SchedulingGroup group) {
        GroupKey key = key(group);
        remove(key);
        groupByKey.put(key, group);
        parent(group)
                .ifPresent(parent -> childrenByKey
                        .computeIfAbsent(parent, absent -> new LinkedHashSet<>())
                        .add(key));
    }

    /** Removes a group, if it is known. Its children stay linked to it. */
    void remove(GroupKey key) {
        SchedulingGroup known = groupByKey.remove(key);
        if (known == null) {
            return;
        }
        Optional<GroupKey> parent = parent(known);
        if (parent.isPresent()) {
            Set<GroupKey> children = Objects.requireNonNull(childrenByKey.get(parent.get()));
            children.remove(key);
            if (children.isEmpty()) {
                childrenByKey.remove(parent.get());
            }
        }
    }

    /**
     * Returns the key of the topmost ancestor; empty if the group or an ancestor is unknown, or there are too many
     * levels.
     */
    Optional<GroupKey> root(GroupKey key) {
        GroupKey current = key;
        for (int depth = 0; depth < DEEPEST; depth++) {
            SchedulingGroup group = groupByKey.get(current);
            if (group == null) {
                return Optional.empty();
            }
            Optional<GroupKey> parent = parent(group);
            if (parent.isEmpty()) {
                return Optional.of(current);
            }
            current = parent.get();
        }
        return Optional.empty();
    }

    /** Returns the known pod groups among a group and its descendants; without those below the maximum depth. */
    List<GroupKey> podGroups(GroupKey top) {
        List<GroupKey> found = new ArrayList<>();
        List<GroupKey> level = List.of(top);
        for (int depth = 0; depth < DEEPEST && !level.isEmpty(); depth++) {
            List<GroupKey> next = new ArrayList<>();
            for (GroupKey key : level) {
                if (groupByKey.get(key) instanceof PodGroup) {
                    found.add(key);
                }
                next.addAll(childrenByKey.getOrDefault(key, Set.of()));
            }
            level = next;
        }
        return found;
    }

    /**
     * Returns a known group and its known descendants, without those below the maximum depth.
     *
     * @param members returns the pods of a pod group
     */
    Group tree(GroupKey top, Function<GroupKey, List<QueuedPodInfo>> members) {
        return tree(top, members, 1);
    }

    private Group tree(GroupKey key, Function<GroupKey, List<QueuedPodInfo>> members, int depth) {
        List<Group> children = new ArrayList<>();
        if (depth < DEEPEST) {
            for (GroupKey child : childrenByKey.getOrDefault(key, Set.of())) {
                if (groupByKey.containsKey(child)) {
                    children.add(tree(child, members, depth + 1));
                }
            }
            children.sort(OLDEST_FIRST);
        }
        SchedulingGroup object = Objects.requireNonNull(groupByKey.get(key));
        return new Group(key, object, children, object instanceof PodGroup ? members.apply(key) : List.of());
    }
}
