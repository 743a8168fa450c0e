// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupLister;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;

/** Groups as their specifications say: which group is below which, and how many each needs. */
final class GroupHierarchies {
    private final Map<GroupKey, SchedulingGroup> groups = new HashMap<>();

    /** These groups, and no others. */
    GroupHierarchies(Collection<PodGroup> podGroups, Collection<CompositePodGroup> composites) {
        podGroups.forEach(group -> groups.put(GroupKey.podGroup(group.namespace(), group.name()), group));
        composites.forEach(group -> groups.put(GroupKey.compositePodGroup(group.namespace(), group.name()), group));
    }

    /** The key of the group of a pod. */
    static GroupKey key(Pod member) {
        return GroupKey.podGroup(member.namespace(), member.spec().podGroupName());
    }

    Optional<SchedulingGroup> find(GroupKey key) {
        return Optional.ofNullable(groups.get(key));
    }

    /**
     * The group without a parent that is above a group, or is that group; empty if it, or one between them, is not
     * there.
     */
    Optional<GroupKey> root(GroupKey of) {
        GroupKey key = of;
        for (int level = 0; level <= PodGroupLister.MAX_DEPTH; level++) {
            SchedulingGroup group = groups.get(key);
            if (group == null) {
                return Optional.empty();
            }
            if (group.parentName().isEmpty()) {
                return Optional.of(key);
            }
            key = GroupKey.compositePodGroup(key.namespace(), group.parentName());
        }
        return Optional.empty();
    }

    /** Whether so many pods as these are enough for a group and those below it. */
    boolean isReady(GroupKey key, ToIntFunction<GroupKey> pods) {
        SchedulingGroup group = groups.get(key);
        if (group == null) {
            return false;
        }
        if (group instanceof PodGroup) {
            return pods.applyAsInt(key) >= group.minimum();
        }
        long ready =
                children(key).stream().filter(child -> isReady(child, pods)).count();
        return ready >= group.minimum();
    }

    /** The pod groups below a group, or that group itself. */
    List<GroupKey> podGroups(GroupKey root) {
        List<GroupKey> found = new ArrayList<>();
        addPodGroups(root, found);
        return found;
    }

    private void addPodGroups(GroupKey key, List<GroupKey> found) {
        if (groups.get(key) instanceof PodGroup) {
            found.add(key);
        }
        children(key).forEach(child -> addPodGroups(child, found));
    }

    private List<GroupKey> children(GroupKey parent) {
        List<GroupKey> children = new ArrayList<>();
        if (parent.type() == GroupKey.Type.COMPOSITE_POD_GROUP) {
            groups.forEach((key, group) -> {
                if (key.namespace().equals(parent.namespace())
                        && group.parentName().equals(parent.name())) {
                    children.add(key);
                }
            });
        }
        return children;
    }
}
