// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.ResourceClaim;

/**
 * The allocations of all claims. Those of claims that have changed are looked up when the next pod needs them, so that a pod costs little
 * however many claims there are. For use by one thread at a time.
 */
final class ClaimAllocations {
    private final Function<ResourceClaim, List<DeviceAllocation>> lookUp;
    private final Map<String, List<DeviceAllocation>> byClaim = new HashMap<>();
    private final Map<String, ResourceClaim> changed = new HashMap<>();
    private AllocatedState state;
    private final DeviceFeatures features;

    /**
     * None yet.
     *
     * @param features what is enabled
     * @param lookUp what is allocated now to the claim of this namespace and name
     */
    ClaimAllocations(DeviceFeatures features, Function<ResourceClaim, List<DeviceAllocation>> lookUp) {
        this.features = features;
        this.lookUp = lookUp;
        state = new AllocatedState(features);
    }

    /** What is allocated to the claim of this namespace and name may have changed. */
    void changed(ResourceClaim claim) {
        changed.put(claim.key(), claim);
    }

    /** All devices that are allocated now. */
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
