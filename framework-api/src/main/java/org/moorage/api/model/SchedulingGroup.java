// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Optional;

/**
 * A group that is scheduled as one: of pods, a {@link PodGroup}, or of such groups, a {@link CompositePodGroup}. What both kinds
 * have in common; a word for it is missing in Kubernetes' API.
 */
public sealed interface SchedulingGroup extends ClusterObject permits PodGroup, CompositePodGroup {
    /** The name of the {@link CompositePodGroup} of the same namespace that it is a child of; empty if it has no parent. */
    String parentName();

    /** Whether its scheduling policy is {@code gang}; otherwise it is {@code basic}. */
    boolean isGang();

    /** How many of its pods, or of its child groups, have to be placed together, as its gang policy says; 1 without one. */
    int minimum();

    /** The label keys of its topology constraints: all of it goes to nodes with one value. At most one in a valid object. */
    List<String> topologyKeys();

    /** What of it may be disrupted at once. */
    DisruptionMode disruptionMode();

    /** The priority; 0 if it has none. */
    int priority();

    /** {@code Never} or {@code PreemptLowerPriority}, or empty if it does not say. */
    Optional<String> preemptionPolicy();

    /** The same group with other metadata. */
    SchedulingGroup withMetadata(ObjectMeta changed);
}
