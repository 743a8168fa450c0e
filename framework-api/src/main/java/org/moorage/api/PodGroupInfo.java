// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;

/** A group of pods that is being scheduled, as plugins see it. */
@Experimental
public interface PodGroupInfo {
    /** Returns the group's type, namespace and name. */
    GroupKey key();

    /**
     * Returns the group: a {@link org.moorage.api.model.PodGroup} or a {@link org.moorage.api.model.CompositePodGroup}.
     */
    SchedulingGroup group();

    /**
     * Returns the pending pods, in the order in which they are tried; for a composite group, those of all groups below
     * it.
     */
    List<Pod> unscheduledPods();

    /**
     * Returns the child groups, the oldest first; groups of the same age are ordered by name. Empty for a pod group.
     */
    List<? extends PodGroupInfo> children();
}
