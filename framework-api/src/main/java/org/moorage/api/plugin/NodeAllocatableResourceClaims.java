// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import org.moorage.api.StateKey;
import org.moorage.api.model.PodStatus;

/**
 * What the claims of the pod of a cycle take of the allocatable resources of nodes.
 *
 * <p>The plugin that allocates devices puts this under {@link #KEY} for each node in Filter. Once a node is chosen, the scheduler
 * counts it there as a part of the pod, in {@link PodStatus#nodeAllocatableResourceClaimStatuses}, from before Reserve on.
 */
public final class NodeAllocatableResourceClaims {
    /** The key of the values of nodes; none for a node of which the claims take nothing. */
    public static final StateKey<List<PodStatus.NodeAllocatableResourceClaimStatus>> KEY =
            StateKey.of("NodeAllocatableResourceClaims");

    private NodeAllocatableResourceClaims() {}
}
