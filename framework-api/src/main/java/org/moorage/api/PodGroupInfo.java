// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;

/** A group of pods that is being scheduled, as plugins see it. */
public interface PodGroupInfo {
    /** The group's type, namespace and name. */
    GroupKey key();

    /** The group: a {@link org.moorage.api.model.PodGroup} or a {@link org.moorage.api.model.CompositePodGroup}. */
    SchedulingGroup group();

    /** The pods that wait for a node, in the order in which they are tried; of a composite group, those of all groups below it. */
    List<Pod> unscheduledPods();

    /** The groups right below it, the oldest first, and those of one age by their names; none for a pod group. */
    List<? extends PodGroupInfo> children();
}
