// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import java.util.List;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;

/**
 * The pod, or the group of pods without a parent, that victims are evicted for.
 *
 * @param type the type in the messages about the victims
 * @param object the pod or the group
 * @param pods the pods that are tried again; at least one
 */
record Preemptor(String type, ClusterObject object, int priority, List<Pod> pods) {
    static Preemptor of(Pod pod) {
        return new Preemptor("pod", pod, pod.spec().priority(), List.of(pod));
    }

    static Preemptor of(PodGroupInfo group) {
        return new Preemptor(
                group.key().type().toString(), group.group(), group.group().priority(), group.unscheduledPods());
    }

    String uid() {
        return object.metadata().uid();
    }

    String schedulerName() {
        return pods.get(0).spec().schedulerName();
    }

    /** For messages. */
    @Override
    public String toString() {
        return type + " " + object.key();
    }
}
