// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Optional;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;

/**
 * The pod groups, as seen by one scheduling cycle or as they are now. Empty unless the feature GenericWorkload is on.
 */
@Experimental
public interface PodGroupLister {
    /** A lister without groups. */
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

    /** The maximum number of ancestors of a group that a lookup of its root follows; a deeper group has no root. */
    int MAX_DEPTH = 16;

    /** Returns the state of a pod group; empty if neither the group nor any of its pods is known. */
    Optional<PodGroupState> podGroup(String namespace, String name);

    /** Returns the state of a composite pod group; empty if neither the group nor any child of it is known. */
    Optional<CompositePodGroupState> compositePodGroup(String namespace, String name);

    /** Returns the group with a key; empty if it is not known. */
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
     * Returns the root group of a pod: the ancestor group that has no parent.
     *
     * @return empty if the pod is not in a group, if a group above it is not known or is its own ancestor, or if more
     *     than {@link #MAX_DEPTH} composite groups are above its group
     */
    default Optional<GroupKey> root(Pod member) {
        String group = member.spec().podGroupName();
        return group.isEmpty() ? Optional.empty() : root(GroupKey.podGroup(member.namespace(), group));
    }

    /**
     * Returns the root of a group: the ancestor without a parent, or the group itself.
     *
     * @return empty if the group or one of its ancestors is not known or is its own ancestor, or if it has more than
     *     {@link #MAX_DEPTH} ancestors
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
