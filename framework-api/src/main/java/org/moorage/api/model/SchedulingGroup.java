// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Optional;
import org.moorage.api.annotation.Experimental;

/**
 * A group that is scheduled as a unit: a {@link PodGroup} of pods, or a {@link CompositePodGroup} of such groups. This
 * is their common interface; Kubernetes' API has no name for it.
 */
@Experimental
public sealed interface SchedulingGroup extends ClusterObject permits PodGroup, CompositePodGroup {
    /** Returns the name of its parent {@link CompositePodGroup} in the same namespace; empty if it has no parent. */
    String parentName();

    /** Returns whether its scheduling policy is {@code gang}; otherwise it is {@code basic}. */
    boolean isGang();

    /**
     * Returns the number of its pods or child groups that must be scheduled together, from its gang policy; 1 without
     * one.
     */
    int minimum();

    /**
     * Returns the label keys of its topology constraints: the whole group is scheduled to nodes with the same value. A
     * valid object has at most one.
     */
    List<String> topologyKeys();

    /** Returns the unit of the group that is disrupted together. */
    DisruptionMode disruptionMode();

    /** Returns the priority; 0 if it has none. */
    int priority();

    /** Returns {@code Never} or {@code PreemptLowerPriority}, or empty if not set. */
    Optional<String> preemptionPolicy();

    /** Returns the same group with other metadata. */
    SchedulingGroup withMetadata(ObjectMeta changed);
}
