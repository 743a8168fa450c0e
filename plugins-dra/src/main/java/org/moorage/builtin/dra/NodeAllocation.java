// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.StateKey;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.PodStatus.ContainerExtendedResourceRequest;
import org.moorage.api.model.ResourceClaim;

/**
 * What Filter allocates on a node. Score rates it, and Reserve and PreBind use that of the chosen node.
 *
 * @param allocations the allocation of each of {@link ClaimStore#toAllocate}, in order
 * @param extendedResourceClaim the claim for the extended resources that devices of the node are used for
 * @param mappings which container gets which of these from which request
 */
record NodeAllocation(
        List<DeviceAllocation> allocations,
        Optional<ResourceClaim> extendedResourceClaim,
        List<ContainerExtendedResourceRequest> mappings) {
    /** The key of a node's value in the state of a cycle. */
    static final StateKey<NodeAllocation> KEY = StateKey.of(DynamicResources.NAME + "/nodeAllocation");

    private static final int MAX_SUBREQUESTS = 8;

    NodeAllocation {
        allocations = List.copyOf(allocations);
        mappings = List.copyOf(mappings);
    }

    /** Returns how early in their requests the allocated subrequests are, over all claims. */
    long score(ClaimStore claims) {
        long score = 0;
        int next = 0;
        for (ResourceClaim claim : claims.all()) {
            DeviceAllocation allocation =
                    claim.allocation().isPresent() ? claim.allocation().get() : allocations.get(next++);
            score += score(claim, allocation);
        }
        return score;
    }

    private static long score(ResourceClaim claim, DeviceAllocation allocation) {
        Set<String> allocated = new HashSet<>();
        for (DeviceAllocation.Result result : allocation.results()) {
            allocated.add(result.request());
        }
        long score = 0;
        for (DeviceRequest request : claim.requests()) {
            for (int i = 0; i < request.alternatives().size(); i++) {
                String subrequest = request.alternatives().get(i).name();
                if (allocated.contains(request.name() + "/" + subrequest)) {
                    score += MAX_SUBREQUESTS - i;
                }
            }
        }
        return score;
    }
}
