// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;

/** The groups of pods, as one scheduling cycle sees them, or as they are now. Empty unless the feature GenericWorkload is on. */
public interface PodGroupLister {
    /** One that knows no group. */
    PodGroupLister NONE = new PodGroupLister() {
        @Override
        public Optional<PodGroupState> podGroup(String namespace, String name) {
            return Optional.empty();
        }

        @Override
        public Optional<CompositePodGroupState> compositePodGroup(String namespace, String name) {
            return Optional.empty();
        }
    };

    /** The most groups from a pod to its root; what goes on beyond is taken for a group without a root. */
    int MAX_DEPTH = 16;

    /** The state of a pod group; empty if neither the group nor any of its pods is known. */
    Optional<PodGroupState> podGroup(String namespace, String name);

    /** The state of a composite pod group; empty if neither the group nor any child of it is known. */
    Optional<CompositePodGroupState> compositePodGroup(String namespace, String name);

    /** The group of a key; empty if it is not known. */
    default Optional<SchedulingGroup> group(GroupKey key) {
        return switch (key.type()) {
            case POD_GROUP ->
                podGroup(key.namespace(), key.name())
                        .flatMap(PodGroupState::podGroup)
                        .map(SchedulingGroup.class::cast);
            case COMPOSITE_POD_GROUP ->
                compositePodGroup(key.namespace(), key.name())
                        .flatMap(CompositePodGroupState::compositePodGroup)
                        .map(SchedulingGroup.class::cast);
        };
    }

    /**
     * The group without a parent that a pod is part of.
     *
     * @return empty if the pod is part of none, or one of the groups above it is not known, or is its own ancestor
     */
    default Optional<GroupKey> root(Pod member) {
        String group = member.spec().podGroupName();
        return group.isEmpty() ? Optional.empty() : root(GroupKey.podGroup(member.namespace(), group));
    }

    /**
     * The group without a parent that a group is part of, or that it is itself.
     *
     * @return empty if the group or one of those above it is not known, or is its own ancestor
     */
    default Optional<GroupKey> root(GroupKey group) {
        GroupKey key = group;
        for (int depth = 0; depth <= MAX_DEPTH; depth++) {
            Optional<SchedulingGroup> known = group(key);
            if (known.isEmpty()) {
                return Optional.empty();
            }
            if (known.get().parentName().isEmpty()) {
                return Optional.of(key);
            }
            key = GroupKey.compositePodGroup(key.namespace(), known.get().parentName());
        }
        return Optional.empty();
    }
}
