// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.runtime.internal.cache.CompositePodGroupChildren.Child;

/**
 * The pod groups and their members at a moment. They do not change: a change makes others, which share with these all that did not
 * change. A snapshot, a trial and a plugin that look at them so have them without a copy.
 *
 * <p>A pod group is known while its object or a member is, a composite one while its object or a child is.
 */
public final class PodGroups implements PodGroupLister {
    private static final Comparator<GroupKey> BY_NAME =
            Comparator.comparing(GroupKey::namespace).thenComparing(GroupKey::name);

    /** None, and none are taken in: the feature is off. */
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

    /** None yet, with these features on and off. */
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
        if (!isMember(member)) {
            return Optional.empty();
        }
        GroupKey key = keyOf(member);
        // The pod group, and so many above it.
        for (int level = 0; level <= MAX_DEPTH; level++) {
            SchedulingGroup group = object(key);
            if (group == null) {
                return Optional.empty();
            }
            if (!hasParent(group)) {
                return Optional.of(key);
            }
            key = parentOf(group);
        }
        return Optional.empty();
    }

    private @Nullable SchedulingGroup object(GroupKey key) {
        return switch (key.type()) {
            case POD_GROUP ->
                podGroup(key.namespace(), key.name())
                        .flatMap(PodGroupState::podGroup)
                        .orElse(null);
            case COMPOSITE_POD_GROUP ->
                compositePodGroup(key.namespace(), key.name())
                        .flatMap(CompositePodGroupState::compositePodGroup)
                        .orElse(null);
        };
    }

    // The field means nothing while the feature is off.
    private boolean hasParent(SchedulingGroup group) {
        return hasComposites && !group.parentName().isEmpty();
    }

    private static GroupKey parentOf(SchedulingGroup group) {
        return GroupKey.compositePodGroup(group.namespace(), group.parentName());
    }

    private static GroupKey keyOf(Pod member) {
        return GroupKey.podGroup(member.namespace(), member.spec().podGroupName());
    }

    private boolean isMember(Pod pod) {
        return isOn && !pod.spec().podGroupName().isEmpty();
    }

    /** With a pod that the cluster tells of: one that waits, or one with a node. */
    public PodGroups with(Pod pod) {
        return isMember(pod) ? put(keyOf(pod), members(keyOf(pod)).with(pod)) : this;
    }

    /** Without a pod that is gone. */
    PodGroups without(Pod pod) {
        return isMember(pod) ? put(keyOf(pod), members(keyOf(pod)).without(pod.uid())) : this;
    }

    /** With a pod that a node is chosen for. One that its group does not know is ignored, unless the group itself is not known. */
    public PodGroups assume(Pod pod) {
        return isMember(pod) ? put(keyOf(pod), members(keyOf(pod)).assume(pod)) : this;
    }

    /** With a pod that the chosen node is taken back of. */
    PodGroups forget(Pod pod) {
        return isMember(pod) ? put(keyOf(pod), members(keyOf(pod)).forget(pod.uid())) : this;
    }

    /** As {@link #assume}, for a pod that is thought of as being on a node: one that is not known is ignored. */
    PodGroups tryOn(Pod pod, String nodeName) {
        return isMember(pod) && podGroups.get(keyOf(pod)) != null
                ? assume(pod.nodeName().equals(nodeName) ? pod : pod.withNode(nodeName))
                : this;
    }

    /** With a pod that is thought of as being gone, until it is thought of as being on a node. */
    PodGroups tryWithout(Pod pod) {
        return isMember(pod) ? put(keyOf(pod), members(keyOf(pod)).gone(pod.uid())) : this;
    }

    /** With the object of a pod group, which is new or has changed. */
    public PodGroups with(PodGroup object) {
        if (!isOn) {
            return this;
        }
        GroupKey key = GroupKey.podGroup(object.namespace(), object.name());
        PodGroupMembers before = members(key);
        return put(key, before.withObject(object))
                .relinked(key, before.podGroup().orElse(null), object);
    }

    /** Without the object of a pod group. */
    PodGroups without(PodGroup object) {
        if (!isOn) {
            return this;
        }
        GroupKey key = GroupKey.podGroup(object.namespace(), object.name());
        PodGroupMembers before = members(key);
        return put(key, before.withObject(null)).relinked(key, before.podGroup().orElse(null), null);
    }

    /** With the object of a composite pod group, which is new or has changed. */
    public PodGroups with(CompositePodGroup object) {
        if (!hasComposites) {
            return this;
        }
        GroupKey key = GroupKey.compositePodGroup(object.namespace(), object.name());
        CompositePodGroupChildren before = children(key);
        return put(key, before.withObject(object))
                .relinked(key, before.compositePodGroup().orElse(null), object);
    }

    /** Without the object of a composite pod group. */
    PodGroups without(CompositePodGroup object) {
        if (!hasComposites) {
            return this;
        }
        GroupKey key = GroupKey.compositePodGroup(object.namespace(), object.name());
        CompositePodGroupChildren before = children(key);
        return put(key, before.withObject(null))
                .relinked(key, before.compositePodGroup().orElse(null), null);
    }

    // A parent knows its children before it is known itself.
    private PodGroups relinked(GroupKey key, @Nullable SchedulingGroup before, @Nullable SchedulingGroup after) {
        PodGroups linked = this;
        if (before != null && hasParent(before)) {
            GroupKey parent = parentOf(before);
            linked = linked.put(parent, linked.children(parent).without(child(key, before)));
        }
        if (after != null && hasParent(after)) {
            GroupKey parent = parentOf(after);
            linked = linked.put(parent, linked.children(parent).with(child(key, after)));
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

    private CompositePodGroupChildren children(GroupKey key) {
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

    /** The pod groups by their keys. */
    public Map<GroupKey, PodGroupState> podGroups() {
        Map<GroupKey, PodGroupState> all = new HashMap<>();
        podGroups.forEach((key, members) -> {
            if (!members.isEmpty()) {
                all.put(key, members);
            }
        });
        return all;
    }

    /** The composite pod groups by their keys. */
    public Map<GroupKey, CompositePodGroupState> compositePodGroups() {
        Map<GroupKey, CompositePodGroupState> all = new HashMap<>();
        composites.forEach(all::put);
        return all;
    }
}
