// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;

/** Groups, and the pods that name them. */
record KnownGroups(List<SchedulingGroup> objects, List<Pod> pods) implements PodGroupLister {
    static PodGroup podGroup(String name, int priority, Consumer<PodGroup.Builder> more) {
        PodGroup.Builder builder = PodGroup.of(meta(name)).priority(priority);
        more.accept(builder);
        return builder.build();
    }

    static CompositePodGroup composite(String name, int priority, Consumer<CompositePodGroup.Builder> more) {
        CompositePodGroup.Builder builder = CompositePodGroup.of(meta(name)).priority(priority);
        more.accept(builder);
        return builder.build();
    }

    private static ObjectMeta meta(String name) {
        return ObjectMeta.named(name).namespace("default").uid("uid of " + name).build();
    }

    /** A group that is being scheduled. */
    static PodGroupInfo waiting(SchedulingGroup group, List<Pod> pods) {
        return new PodGroupInfo() {
            @Override
            public GroupKey key() {
                return KnownGroups.key(group);
            }

            @Override
            public SchedulingGroup group() {
                return group;
            }

            @Override
            public List<Pod> unscheduledPods() {
                return pods;
            }

            @Override
            public List<PodGroupInfo> children() {
                return List.of();
            }
        };
    }

    private static GroupKey key(SchedulingGroup group) {
        return group instanceof PodGroup
                ? GroupKey.podGroup(group.namespace(), group.name())
                : GroupKey.compositePodGroup(group.namespace(), group.name());
    }

    private <T extends SchedulingGroup> Optional<T> object(Class<T> type, String name) {
        return objects.stream()
                .filter(group -> type.isInstance(group) && group.name().equals(name))
                .findFirst()
                .map(type::cast);
    }

    @Override
    public Optional<PodGroupState> podGroup(String namespace, String name) {
        List<Pod> unscheduled = new ArrayList<>();
        List<Pod> assigned = new ArrayList<>();
        for (Pod pod : pods) {
            if (pod.namespace().equals(namespace) && pod.spec().podGroupName().equals(name)) {
                (pod.isBound() ? assigned : unscheduled).add(pod);
            }
        }
        Optional<PodGroup> object = object(PodGroup.class, name);
        return object.isEmpty() && unscheduled.isEmpty() && assigned.isEmpty()
                ? Optional.empty()
                : Optional.of(new Members(object, unscheduled, List.of(), assigned));
    }

    @Override
    public Optional<CompositePodGroupState> compositePodGroup(String namespace, String name) {
        List<GroupKey> children = objects.stream()
                .filter(group -> group.parentName().equals(name))
                .map(KnownGroups::key)
                .sorted(Comparator.comparing(GroupKey::name))
                .toList();
        Optional<CompositePodGroup> object = object(CompositePodGroup.class, name);
        return object.isEmpty() && children.isEmpty() ? Optional.empty() : Optional.of(new Children(object, children));
    }

    private record Members(
            Optional<PodGroup> podGroup, List<Pod> unscheduledPods, List<Pod> assumedPods, List<Pod> assignedPods)
            implements PodGroupState {}

    private record Children(Optional<CompositePodGroup> compositePodGroup, List<GroupKey> children)
            implements CompositePodGroupState {}
}
