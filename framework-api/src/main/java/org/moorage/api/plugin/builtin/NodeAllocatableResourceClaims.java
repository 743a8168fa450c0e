// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.builtin;

import java.util.List;
import org.moorage.api.StateKey;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.PodStatus;

/**
 * The node allocatable resources that the claims of a cycle's pod consume.
 *
 * <p>In Filter, the plugin that allocates devices puts them under {@link #KEY} for each node. After a node is chosen,
 * and before Reserve, the scheduler counts them as part of the pod, in
 * {@link PodStatus#nodeAllocatableResourceClaimStatuses}.
 */
@Experimental
public final class NodeAllocatableResourceClaims {
    /** The key of the values per node; a node whose resources are not consumed has no value. */
    public static final StateKey<List<PodStatus.NodeAllocatableResourceClaimStatus>> KEY =
            StateKey.of("NodeAllocatableResourceClaims");

    private NodeAllocatableResourceClaims() {}
}
