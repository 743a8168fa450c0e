// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.internal.cache.CompositePodGroupChildren.Child;

/**
 * The immutable pod groups and their members. Each change returns a new instance, which shares all unchanged parts, so
 * that snapshots, trials and plugins need no copy.
 *
 * <p>A pod group is known while its object or a member is known, a composite pod group while its object or a child is
 * known.
 */
public final class PodGroups implements PodGroupLister {
    private static final Comparator<GroupKey> BY_NAME =
            Comparator.comparing(GroupKey::namespace).thenComparing(GroupKey::name);

    /** No groups; changes have no effect, since the feature is off. */
    public static final PodGroups OFF =
            new PodGroups(false, false, SharedTree.empty(BY_NAME), SharedTree.empty(BY_NAME));

    private final boolean isOn;
    private final boolean hasComposites;
    private final SharedTree<GroupKey, PodGroupMembers> podGroups;
    private final SharedTree<GroupKey, CompositePodGroupChildren> composites;

    private PodGroups(
            boolean isOn,
            boolean hasComposites,
            SharedTree<GroupKey, PodGroupMembers> podGroups,
            SharedTree<GroupKey, CompositePodGroupChildren> composites) {
        this.isOn = isOn;
        this.hasComposites = hasComposites;
        this.podGroups = podGroups;
        this.composites = composites;
    }

    /** Returns an instance without groups for the given features. */
    public static PodGroups none(FeatureGates features) {
        return features.isEnabled(FeatureGates.GENERIC_WORKLOAD)
                ? new PodGroups(
                        true, features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP), OFF.podGroups, OFF.composites)
                : OFF;
    }

    @Override
    public Optional<PodGroupState> podGroup(String namespace, String name) {
        PodGroupMembers members = podGroups.get(GroupKey.podGroup(namespace, name));
        return members == null || members.isEmpty() ? Optional.empty() : Optional.of(members);
    }

    @Override
    public Optional<CompositePodGroupState> compositePodGroup(String namespace, String name) {
        return Optional.ofNullable(composites.get(GroupKey.compositePodGroup(namespace, name)));
    }

    @Override
    public Optional<GroupKey> root(Pod member) {
        return isMember(member) ? root(keyOf(member)) : Optional.empty();
    }

    // Parent links are user input: chains may be arbitrarily long or cyclic.
    @Override
    public Optional<GroupKey> root(GroupKey group) {
        GroupKey key = group;
        // The group and at most MAX_DEPTH ancestors.
        for (int level = 0; level <= MAX_DEPTH; level++) {
            Optional<SchedulingGroup> object = group(key);
            if (object.isEmpty()) {
                return Optional.empty();
            }
            if (!hasParent(object.get())) {
                return Optional.of(key);
            }
            key = parentOf(object.get());
        }
        return Optional.empty();
    }

    /** Returns the keys of the known groups directly below a group, in order. */
    public List<GroupKey> children(GroupKey key) {
        CompositePodGroupChildren known = composites.get(key);
        return known == null ? List.of() : known.children();
    }

    /** Returns the known pod groups among a group and its descendants; without those below the maximum depth. */
    public List<GroupKey> podGroups(GroupKey top) {
        List<GroupKey> found = new ArrayList<>();
        List<GroupKey> level = List.of(top);
        for (int depth = 0; depth <= MAX_DEPTH && !level.isEmpty(); depth++) {
            List<GroupKey> next = new ArrayList<>();
            for (GroupKey key : level) {
                if (key.type() == GroupKey.Type.POD_GROUP && group(key).isPresent()) {
                    found.add(key);
                }
                next.addAll(children(key));
            }
            level = next;
        }
        return found;
    }

    /**
     * Returns a group and the groups below it, without those below the maximum depth.
     *
     * @param members returns the pending pods of a pod group, in the order of an attempt
     */
    public GroupTree tree(GroupKey top, Function<GroupKey, List<Pod>> members) {
        return tree(top, members, 0);
    }

    private GroupTree tree(GroupKey key, Function<GroupKey, List<Pod>> members, int depth) {
        List<GroupTree> below = new ArrayList<>();
        for (GroupKey child : depth < MAX_DEPTH ? children(key) : List.<GroupKey>of()) {
            below.add(tree(child, members, depth + 1));
        }
        SchedulingGroup object = group(key).orElseThrow();
        return new GroupTree(key, object, object instanceof PodGroup ? members.apply(key) : List.of(), below);
    }

    // The parent field is ignored while the feature is off.
    private boolean hasParent(SchedulingGroup group) {
        return hasComposites && !group.parentName().isEmpty();
    }

    private static GroupKey parentOf(SchedulingGroup group) {
        return GroupKey.compositePodGroup(group.namespace(), group.parentName());
    }

    public static GroupKey keyOf(SchedulingGroup group) {
        return group instanceof PodGroup
                ? GroupKey.podGroup(group.namespace(), group.name())
                : GroupKey.compositePodGroup(group.namespace(), group.name());
    }

    public static GroupKey keyOf(Pod member) {
        return GroupKey.podGroup(member.namespace(), member.spec().podGroupName());
    }

    private boolean isMember(Pod pod) {
        return isOn && !pod.spec().podGroupName().isEmpty();
    }

    /** Returns the groups with a pod that the cluster reported, pending or bound. */
    public PodGroups with(Pod pod) {
        return isMember(pod) ? put(keyOf(pod), members(keyOf(pod)).with(pod)) : this;
    }

    PodGroups without(Pod pod) {
        return isMember(pod) ? put(keyOf(pod), members(keyOf(pod)).without(pod.uid())) : this;
    }

    /**
     * Returns the groups with a pod that was assumed on a node. A pod that its group does not know is ignored, unless
     * the group itself is unknown.
     */
    public PodGroups assume(Pod pod) {
        return isMember(pod) ? put(keyOf(pod), members(keyOf(pod)).assume(pod)) : this;
    }

    /** Returns the groups with a pod that is no longer assumed. */
    PodGroups forget(Pod pod) {
        return isMember(pod) ? put(keyOf(pod), members(keyOf(pod)).forget(pod.uid())) : this;
    }

    /** As {@link #assume}, for a trial: an unknown pod is always ignored. */
    PodGroups assumeInTrial(Pod pod, String nodeName) {
        return isMember(pod) && podGroups.get(keyOf(pod)) != null
                ? assume(pod.nodeName().equals(nodeName) ? pod : pod.withNode(nodeName))
                : this;
    }

    /** Returns the groups with a pod that is removed in a trial, until it is assumed again. */
    PodGroups removeInTrial(Pod pod) {
        return isMember(pod) ? put(keyOf(pod), members(keyOf(pod)).gone(pod.uid())) : this;
    }

    public PodGroups with(SchedulingGroup object) {
        return with(keyOf(object), object);
    }

    public PodGroups without(SchedulingGroup object) {
        return with(keyOf(object), null);
    }

    private PodGroups with(GroupKey key, @Nullable SchedulingGroup object) {
        boolean isPodGroup = key.type() == GroupKey.Type.POD_GROUP;
        if (isPodGroup ? !isOn : !hasComposites) {
            return this;
        }
        SchedulingGroup before = group(key).orElse(null);
        PodGroups changed = isPodGroup
                ? put(key, members(key).withObject((PodGroup) object))
                : put(key, composite(key).withObject((CompositePodGroup) object));
        return changed.relinked(key, before, object);
    }

    // Children are linked to their parent before its object is known.
    private PodGroups relinked(GroupKey key, @Nullable SchedulingGroup before, @Nullable SchedulingGroup after) {
        PodGroups linked = this;
        if (before != null && hasParent(before)) {
            GroupKey parent = parentOf(before);
            linked = linked.put(parent, linked.composite(parent).without(child(key, before)));
        }
        if (after != null && hasParent(after)) {
            GroupKey parent = parentOf(after);
            linked = linked.put(parent, linked.composite(parent).with(child(key, after)));
        }
        return linked;
    }

    private static Child child(GroupKey key, SchedulingGroup group) {
        return new Child(group.metadata().creationTimestamp().orElse(Instant.EPOCH), key);
    }

    private PodGroupMembers members(GroupKey key) {
        PodGroupMembers known = podGroups.get(key);
        return known == null ? PodGroupMembers.NONE : known;
    }

    private CompositePodGroupChildren composite(GroupKey key) {
        CompositePodGroupChildren known = composites.get(key);
        return known == null ? CompositePodGroupChildren.NONE : known;
    }

    private PodGroups put(GroupKey key, PodGroupMembers members) {
        return new PodGroups(
                isOn,
                hasComposites,
                members.isForgotten() ? podGroups.without(key) : podGroups.with(key, members),
                composites);
    }

    private PodGroups put(GroupKey key, CompositePodGroupChildren children) {
        return new PodGroups(
                isOn,
                hasComposites,
                podGroups,
                children.isEmpty() ? composites.without(key) : composites.with(key, children));
    }

    public Map<GroupKey, PodGroupState> podGroups() {
        Map<GroupKey, PodGroupState> all = new HashMap<>();
        podGroups.forEach((key, members) -> {
            if (!members.isEmpty()) {
                all.put(key, members);
            }
        });
        return all;
    }

    public Map<GroupKey, CompositePodGroupState> compositePodGroups() {
        Map<GroupKey, CompositePodGroupState> all = new HashMap<>();
        composites.forEach(all::put);
        return all;
    }
}
