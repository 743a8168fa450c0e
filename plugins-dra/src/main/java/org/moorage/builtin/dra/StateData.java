// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.Optional;

/**
 * The data that PreFilter computes for the rest of the cycle.
 *
 * @param claims the claims of the pod
 * @param extendedResources the extended resources of the pod
 * @param allocator allocates devices to those claims that have none; empty if all have, or will have
 * @param nodeResources the node-allocatable resources that the claims take; empty while that feature is off
 * @param member the pod as a member of the group with which it is simulated; empty for a pod that is scheduled alone
 */
record StateData(
        ClaimStore claims,
        ExtendedResources extendedResources,
        Optional<Allocator> allocator,
        Optional<NodeAllocatableResources> nodeResources,
        Optional<GroupClaims.Member> member) {
    /** For a pod without claims. */
    static final StateData EMPTY = new StateData(
            ClaimStore.EMPTY, ExtendedResources.NONE, Optional.empty(), Optional.empty(), Optional.empty());
}
