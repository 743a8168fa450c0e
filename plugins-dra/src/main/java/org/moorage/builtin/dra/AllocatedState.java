// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashMap;
import java.util.Map;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.Quantity;

/**
 * The devices that are allocated to claims, and the consumed capacity of those that are shared. Not changed in a cycle.
 */
final class AllocatedState {
    private final DeviceFeatures features;
    // How many allocations have the whole device, and how many a share of it.
    private final Map<DeviceId, Integer> allocatedDevices;
    private final Map<DeviceId, Integer> sharedDevices;
    // The maps in it are not changed.
    private final Map<DeviceId, Map<String, Quantity>> consumedCapacity;

    AllocatedState(DeviceFeatures features) {
        this.features = features;
        allocatedDevices = new HashMap<>();
        sharedDevices = new HashMap<>();
        consumedCapacity = new HashMap<>();
    }

    private AllocatedState(AllocatedState other) {
        features = other.features;
        allocatedDevices = new HashMap<>(other.allocatedDevices);
        sharedDevices = new HashMap<>(other.sharedDevices);
        consumedCapacity = new HashMap<>(other.consumedCapacity);
    }

    /** Returns a copy that later changes of this state do not affect. */
    AllocatedState copy() {
        return new AllocatedState(this);
    }

    /** Adds the devices allocated to a claim. Without consumable capacity, a share counts as the whole device. */
    void add(DeviceAllocation allocation) {
        for (DeviceAllocation.Result result : allocation.results()) {
            if (result.adminAccess()) {
                continue;
            }
            DeviceId id = DeviceId.of(result);
            if (!isShare(result)) {
                allocatedDevices.merge(id, 1, Integer::sum);
                continue;
            }
            sharedDevices.merge(id, 1, Integer::sum);
            if (!result.consumedCapacity().isEmpty()) {
                Map<String, Quantity> sums = new HashMap<>(consumedCapacity(id));
                result.consumedCapacity().forEach((name, amount) -> sums.merge(name, amount, Quantity::plus));
                consumedCapacity.put(id, sums);
            }
        }
    }

    /**
     * Removes what {@link #add} added.
     *
     * @return false if capacity was consumed, which cannot be removed: the state is unusable then
     */
    boolean remove(DeviceAllocation allocation) {
        for (DeviceAllocation.Result result : allocation.results()) {
            if (result.adminAccess()) {
                continue;
            }
            if (!result.consumedCapacity().isEmpty()) {
                return false;
            }
            (isShare(result) ? sharedDevices : allocatedDevices)
                    .computeIfPresent(DeviceId.of(result), (id, count) -> count == 1 ? null : count - 1);
        }
        return true;
    }

    private boolean isShare(DeviceAllocation.Result result) {
        return !result.shareId().isEmpty() && features.consumableCapacity();
    }

    /** Returns whether the whole device is allocated. */
    boolean isAllocated(DeviceId id) {
        return allocatedDevices.containsKey(id);
    }

    /** Returns whether the device or a share of it is allocated. */
    boolean isAllocatedOrShared(DeviceId id) {
        return allocatedDevices.containsKey(id) || sharedDevices.containsKey(id);
    }

    /** Returns whether a share of the device is allocated. */
    boolean isShared(DeviceId id) {
        return sharedDevices.containsKey(id);
    }

    /** Returns the capacity of the device that claims consume, by capacity name. */
    Map<String, Quantity> consumedCapacity(DeviceId id) {
        return consumedCapacity.getOrDefault(id, Map.of());
    }
}
