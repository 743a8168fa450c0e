// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;

/**
 * The pods of a pod group at one moment, by scheduling progress, without pods that have terminated. The state exists as
 * long as the group or one of its pods does. Immutable.
 */
@Experimental
public interface PodGroupState {
    /** Returns the group; empty while only pods that name it are known. */
    Optional<PodGroup> podGroup();

    /** Returns the group's pending pods that name one of this scheduler's profiles. */
    List<Pod> unscheduledPods();

    /** Returns the assumed pods: they have a node, and the cluster has not confirmed it yet. */
    List<Pod> assumedPods();

    /** Returns the pods that have a node, regardless of which scheduler chose it. */
    List<Pod> assignedPods();

    /** Returns the assumed and the assigned pods. */
    default List<Pod> scheduledPods() {
        List<Pod> scheduled = new ArrayList<>(scheduledPodsCount());
        scheduled.addAll(assumedPods());
        scheduled.addAll(assignedPods());
        return scheduled;
    }

    /** Returns the number of assumed and assigned pods. */
    default int scheduledPodsCount() {
        return assumedPods().size() + assignedPods().size();
    }

    /** Returns the number of all pods of the group. */
    default int allPodsCount() {
        return unscheduledPods().size() + scheduledPodsCount();
    }
}
