// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.Quantity;

/** The devices that claims have, whole or in part. Does not change during a cycle. */
final class DevicesInUse {
    private final Set<DeviceId> whole = new HashSet<>();
    private final Set<DeviceId> inPart = new HashSet<>();
    private final Map<DeviceId, Map<String, Quantity>> amounts = new HashMap<>();

    private final DeviceFeatures features;

    DevicesInUse(DeviceFeatures features) {
        this.features = features;
    }

    /** Counts what a claim was given. Without sharing, a share is the whole device. */
    void add(DeviceAllocation allocation) {
        for (DeviceAllocation.Result result : allocation.results()) {
            if (result.adminAccess()) {
                continue;
            }
            DeviceId id = DeviceId.of(result);
            if (result.shareId().isEmpty() || !features.sharing()) {
                whole.add(id);
                continue;
            }
            inPart.add(id);
            if (!result.consumedCapacity().isEmpty()) {
                Map<String, Quantity> sums = amounts.computeIfAbsent(id, any -> new HashMap<>());
                result.consumedCapacity().forEach((name, amount) -> sums.merge(name, amount, Quantity::plus));
            }
        }
    }

    /** Whether a claim has the whole device. */
    boolean hasWhole(DeviceId id) {
        return whole.contains(id);
    }

    /** Whether a claim has the device or something of it. */
    boolean has(DeviceId id) {
        return whole.contains(id) || inPart.contains(id);
    }

    /** Whether it is known what claims have of the device. */
    boolean hasAmounts(DeviceId id) {
        return amounts.containsKey(id);
    }

    /** What claims have of a device, by name. */
    Map<String, Quantity> amounts(DeviceId id) {
        return amounts.getOrDefault(id, Map.of());
    }
}
