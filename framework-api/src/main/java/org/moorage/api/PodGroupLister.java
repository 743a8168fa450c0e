// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;

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

    /**
     * The group without a parent that a pod is part of.
     *
     * @return empty if the pod is part of none, or one of the groups above it is not known, or is its own ancestor
     */
    default Optional<GroupKey> root(Pod member) {
        String namespace = member.namespace();
        if (member.spec().podGroupName().isEmpty()) {
            return Optional.empty();
        }
        Optional<PodGroup> group =
                podGroup(namespace, member.spec().podGroupName()).flatMap(PodGroupState::podGroup);
        if (group.isEmpty()) {
            return Optional.empty();
        }
        GroupKey key = GroupKey.podGroup(namespace, group.get().name());
        String parent = group.get().parentName();
        Set<String> seen = new HashSet<>();
        while (!parent.isEmpty()) {
            Optional<CompositePodGroup> composite =
                    compositePodGroup(namespace, parent).flatMap(CompositePodGroupState::compositePodGroup);
            if (composite.isEmpty() || !seen.add(parent) || seen.size() > MAX_DEPTH) {
                return Optional.empty();
            }
            key = GroupKey.compositePodGroup(namespace, parent);
            parent = composite.get().parentName();
        }
        return Optional.of(key);
    }
}
