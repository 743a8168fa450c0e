// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;

/**
 * A group that is scheduled, and the groups below it.
 *
 * @param key its type, namespace and name
 * @param group the group object of the cycle's snapshot
 * @param members its pending pods, in the order in which they are tried; empty for a composite group
 * @param children the groups directly below it, in the order in which they are tried; empty for a pod group
 */
public record GroupTree(GroupKey key, SchedulingGroup group, List<Pod> members, List<GroupTree> children)
        implements PodGroupInfo {
    /** Creates an immutable tree. */
    public GroupTree {
        members = List.copyOf(members);
        children = List.copyOf(children);
    }

    /** Returns whether its members are groups rather than pods. */
    public boolean isComposite() {
        return key.type() == GroupKey.Type.COMPOSITE_POD_GROUP;
    }

    /** Passes each pod group of the tree to a consumer, in order. */
    public void forEachPodGroup(Consumer<GroupTree> consumer) {
        if (isComposite()) {
            children.forEach(child -> child.forEachPodGroup(consumer));
        } else {
            consumer.accept(this);
        }
    }

    @Override
    public List<Pod> unscheduledPods() {
        if (!isComposite()) {
            return members;
        }
        List<Pod> all = new ArrayList<>();
        forEachPodGroup(leaf -> all.addAll(leaf.members));
        return all;
    }
}
