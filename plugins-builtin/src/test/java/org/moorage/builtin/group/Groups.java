// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.group;

import java.util.List;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.testkit.Pods;

/** Groups of pods in the namespace {@code default}. */
final class Groups {
    /** With groups of pods, which have no parents. */
    static final FeatureGates GROUPS = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true);
    /** With groups of groups too. */
    static final FeatureGates COMPOSITES = GROUPS.with(FeatureGates.COMPOSITE_POD_GROUP, true);

    private Groups() {}

    static PodGroup.Builder podGroup(String name) {
        return PodGroup.of(metadata(name));
    }

    static CompositePodGroup.Builder composite(String name) {
        return CompositePodGroup.of(metadata(name));
    }

    private static ObjectMeta metadata(String name) {
        return ObjectMeta.named(name).namespace("default").uid(name).build();
    }

    static Pod waiting(String name, String podGroup) {
        return Pods.named(name).podGroup(podGroup).build();
    }

    static Pod running(String name, String podGroup, String node) {
        return Pods.named(name).podGroup(podGroup).on(node).build();
    }

    /** Returns the view of a group that plugins get while it is scheduled. */
    static PodGroupInfo info(SchedulingGroup group) {
        GroupKey key = group instanceof PodGroup
                ? GroupKey.podGroup(group.namespace(), group.name())
                : GroupKey.compositePodGroup(group.namespace(), group.name());
        return new Info(key, group, List.of(), List.of());
    }

    private record Info(
            GroupKey key, SchedulingGroup group, List<Pod> unscheduledPods, List<? extends PodGroupInfo> children)
            implements PodGroupInfo {}
}
