// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;

/**
 * The pods of a pod group at a moment, by how far they are. Pods that have run to their end are no longer among them. It is there as
 * long as the group or one of its pods is, and does not change.
 */
public interface PodGroupState {
    /** The group; empty while only pods that name it are known. */
    Optional<PodGroup> podGroup();

    /** The pods that wait for a node, of this scheduler's profiles. */
    List<Pod> unscheduledPods();

    /** The pods that have a node which the cluster has not confirmed yet. */
    List<Pod> assumedPods();

    /** The pods that have a node, whoever has chosen it. */
    List<Pod> assignedPods();

    /** The assumed and the assigned pods. */
    default List<Pod> scheduledPods() {
        List<Pod> scheduled = new ArrayList<>(scheduledPodsCount());
        scheduled.addAll(assumedPods());
        scheduled.addAll(assignedPods());
        return scheduled;
    }

    /** How many pods are assumed or assigned. */
    default int scheduledPodsCount() {
        return assumedPods().size() + assignedPods().size();
    }

    /** How many pods there are. */
    default int allPodsCount() {
        return unscheduledPods().size() + scheduledPodsCount();
    }
}
