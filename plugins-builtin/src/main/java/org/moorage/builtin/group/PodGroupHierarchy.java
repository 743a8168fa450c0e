// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.group;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.plugin.PluginException;

/** The hierarchy of pod groups and composite groups in a lister. */
final class PodGroupHierarchy {
    /** The maximum number of levels of groups. */
    private static final int MAX_DEPTH = 4;

    private final PodGroupLister groups;
    private final boolean hasComposites;

    /**
     * Creates the hierarchies of a lister.
     *
     * @param hasComposites whether groups may have parents; otherwise the parents that they name are ignored
     */
    PodGroupHierarchy(PodGroupLister groups, boolean hasComposites) {
        this.groups = groups;
        this.hasComposites = hasComposites;
    }

    /**
     * The group without a parent that a pod is part of.
     *
     * @param key its key; meaningless if it is unknown
     * @param problem why it is unknown; empty if it is known
     */
    record Root(GroupKey key, String problem) {
        boolean isKnown() {
            return problem.isEmpty();
        }

        boolean isComposite() {
            return key.type() == GroupKey.Type.COMPOSITE_POD_GROUP;
        }
    }

    /** Returns the root of a pod that is a member of a group. */
    Root root(Pod pod) {
        GroupKey key = GroupKey.podGroup(pod.namespace(), pod.spec().podGroupName());
        Optional<PodGroupState> state = groups.podGroup(key.namespace(), key.name());
        if (state.isEmpty()) {
            return new Root(key, "pod group state not found for " + key);
        }
        Optional<PodGroup> group = state.get().podGroup();
        if (group.isEmpty()) {
            return new Root(key, "pod group object not found in state for " + key);
        }
        String parent = hasComposites ? group.get().parentName() : "";
        return parent.isEmpty() ? new Root(key, "") : root(GroupKey.compositePodGroup(key.namespace(), parent));
    }

    private Root root(GroupKey lowest) {
        GroupKey key = lowest;
        Set<GroupKey> seen = new HashSet<>();
        for (int depth = 0; depth < MAX_DEPTH; depth++) {
            Optional<CompositePodGroupState> state = groups.compositePodGroup(key.namespace(), key.name());
            if (state.isEmpty()) {
                return new Root(key, "parent composite pod group state not found for " + key);
            }
            Optional<CompositePodGroup> group = state.get().compositePodGroup();
            if (group.isEmpty()) {
                return new Root(key, "composite pod group object not found in state for " + key);
            }
            if (!seen.add(key)) {
                return new Root(key, "cycle detected in composite pod group hierarchy: " + key);
            }
            if (group.get().parentName().isEmpty()) {
                return new Root(key, "");
            }
            key = GroupKey.compositePodGroup(key.namespace(), group.get().parentName());
        }
        // kube-scheduler has the same limit on the levels above.
        return new Root(lowest, "composite pod group object not found in state for " + lowest);
    }

    /**
     * Returns whether a group has what it needs at least: a pod group so many pods, a composite group so many children
     * that are ready.
     *
     * @param pods returns the number of pods of a group that count
     */
    boolean isReady(GroupKey key, ToIntFunction<PodGroupState> pods) {
        return isReady(key, pods, 0);
    }

    private boolean isReady(GroupKey key, ToIntFunction<PodGroupState> pods, int depth) {
        if (key.type() == GroupKey.Type.POD_GROUP) {
            Optional<PodGroupState> state = groups.podGroup(key.namespace(), key.name());
            Optional<PodGroup> group = state.flatMap(PodGroupState::podGroup);
            return group.isPresent()
                    && pods.applyAsInt(state.get()) >= group.get().minCount();
        }
        Optional<CompositePodGroupState> state = groups.compositePodGroup(key.namespace(), key.name());
        Optional<CompositePodGroup> group = state.flatMap(CompositePodGroupState::compositePodGroup);
        if (group.isEmpty() || depth == PodGroupLister.MAX_DEPTH) {
            return false;
        }
        int missing = group.get().minGroupCount();
        for (GroupKey child : state.get().children()) {
            if (missing > 0 && isReady(child, pods, depth + 1)) {
                missing--;
            }
        }
        return missing <= 0;
    }

    /**
     * Returns the pod group of that key, or all those below the composite group.
     *
     * @throws PluginException if one of the groups is not known, or there are too many levels
     */
    static List<PodGroupState> podGroups(PodGroupLister groups, GroupKey key) {
        List<PodGroupState> found = new ArrayList<>();
        collect(groups, key, 0, found);
        return found;
    }

    private static void collect(PodGroupLister groups, GroupKey key, int depth, List<PodGroupState> found) {
        if (depth == MAX_DEPTH) {
            throw new PluginException("exceeded maximum hierarchy depth at " + key);
        }
        if (key.type() == GroupKey.Type.POD_GROUP) {
            found.add(groups.podGroup(key.namespace(), key.name())
                    .orElseThrow(() -> new PluginException(
                            "pod group state not found for pod group " + key.namespace() + "/" + key.name())));
            return;
        }
        CompositePodGroupState state = groups.compositePodGroup(key.namespace(), key.name())
                .orElseThrow(() -> new PluginException(
                        "composite pod group state not found for pod group " + key.namespace() + "/" + key.name()));
        for (GroupKey child : state.children()) {
            collect(groups, child, depth + 1, found);
        }
    }
}
