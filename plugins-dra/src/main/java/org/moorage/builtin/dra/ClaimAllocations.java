// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.ResourceClaim;

/**
 * The allocations of all claims. Changed claims are looked up only when the next pod needs them, so that the cost of a
 * pod does not depend on the total number of claims. For use by one thread at a time.
 */
final class ClaimAllocations {
    private final Function<ResourceClaim, List<DeviceAllocation>> lookUp;
    private final Map<String, List<DeviceAllocation>> byClaim = new HashMap<>();
    private final Map<String, ResourceClaim> changed = new HashMap<>();
    private AllocatedState state;
    private final DeviceFeatures features;

    /**
     * Creates an instance without allocations.
     *
     * @param features the enabled features
     * @param lookUp returns the current allocations of the claim with this namespace and name
     */
    ClaimAllocations(DeviceFeatures features, Function<ResourceClaim, List<DeviceAllocation>> lookUp) {
        this.features = features;
        this.lookUp = lookUp;
        state = new AllocatedState(features);
    }

    /** Notes that the allocations of the claim with this namespace and name may have changed. */
    void changed(ResourceClaim claim) {
        changed.put(claim.key(), claim);
    }

    /** Returns all devices that are allocated now. */
    AllocatedState state() {
        List<ResourceClaim> claims = List.copyOf(changed.values());
        changed.clear();
        boolean isUsable = true;
        for (ResourceClaim claim : claims) {
            List<DeviceAllocation> after = lookUp.apply(claim);
            List<DeviceAllocation> before =
                    after.isEmpty() ? byClaim.remove(claim.key()) : byClaim.put(claim.key(), after);
            if (isUsable) {
                isUsable = replace(before == null ? List.of() : before, after);
            }
        }
        if (!isUsable) {
            state = new AllocatedState(features);
            byClaim.values().forEach(allocations -> allocations.forEach(state::add));
        }
        return state.copy();
    }

    private boolean replace(List<DeviceAllocation> before, List<DeviceAllocation> after) {
        for (DeviceAllocation allocation : before) {
            if (!state.remove(allocation)) {
                return false;
            }
        }
        after.forEach(state::add);
        return true;
    }
}
