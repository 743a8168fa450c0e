// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.Quantity;

/** The devices that are allocated to claims, and the consumed capacity of those that are shared. Not changed in a cycle. */
final class AllocatedState {
    private final DeviceFeatures features;
    private final Set<DeviceId> allocatedDevices = new HashSet<>();
    private final Set<DeviceId> sharedDevices = new HashSet<>();
    private final Map<DeviceId, Map<String, Quantity>> consumedCapacity = new HashMap<>();

    AllocatedState(DeviceFeatures features) {
        this.features = features;
    }

    /** Adds what is allocated to a claim. Without consumable capacity, a share counts as the whole device. */
    void add(DeviceAllocation allocation) {
        for (DeviceAllocation.Result result : allocation.results()) {
            if (result.adminAccess()) {
                continue;
            }
            DeviceId id = DeviceId.of(result);
            if (result.shareId().isEmpty() || !features.consumableCapacity()) {
                allocatedDevices.add(id);
                continue;
            }
            sharedDevices.add(id);
            if (!result.consumedCapacity().isEmpty()) {
                Map<String, Quantity> sums = consumedCapacity.computeIfAbsent(id, any -> new HashMap<>());
                result.consumedCapacity().forEach((name, amount) -> sums.merge(name, amount, Quantity::plus));
            }
        }
    }

    /** Whether the whole device is allocated. */
    boolean isAllocated(DeviceId id) {
        return allocatedDevices.contains(id);
    }

    /** Whether the device or a share of it is allocated. */
    boolean isAllocatedOrShared(DeviceId id) {
        return allocatedDevices.contains(id) || sharedDevices.contains(id);
    }

    /** Whether claims consume capacity of the device. */
    boolean hasConsumedCapacity(DeviceId id) {
        return consumedCapacity.containsKey(id);
    }

    /** What claims consume of the device, by the name of the capacity. */
    Map<String, Quantity> consumedCapacity(DeviceId id) {
        return consumedCapacity.getOrDefault(id, Map.of());
    }
}
