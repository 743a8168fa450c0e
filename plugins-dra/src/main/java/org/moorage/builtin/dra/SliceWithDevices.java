// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.model.Device;
import org.moorage.api.model.Node;
import org.moorage.api.model.ResourceSlice;

/**
 * A resource slice, and its devices with their ids.
 *
 * @param slice the slice
 * @param reach the nodes that the slice selects, without those that its devices select
 * @param devices its devices
 */
record SliceWithDevices(ResourceSlice slice, NodeReach reach, List<DeviceWithId> devices) {
    static SliceWithDevices of(ResourceSlice slice) {
        NodeReach reach = NodeReach.of(slice.nodeSelection());
        List<DeviceWithId> devices = new ArrayList<>(slice.devices().size());
        for (Device device : slice.devices()) {
            devices.add(new DeviceWithId(
                    slice, device, slice.perDeviceNodeSelection() ? NodeReach.of(device.nodeSelection()) : reach));
        }
        return new SliceWithDevices(slice, reach, List.copyOf(devices));
    }

    /** Returns the generation of the pool that the slice describes. */
    long generation() {
        return slice.pool().generation();
    }

    /** Returns whether it uses fields that only the feature of partitionable devices supports. */
    boolean usesPartitionableDevices() {
        return slice.perDeviceNodeSelection() || slice.hasCounters();
    }

    /**
     * Returns whether the allocator reads the slice. It ignores a slice with groups that it cannot compare, which
     * leaves the pool incomplete.
     */
    boolean isUnderstood(DeviceFeatures features) {
        if (features.compatibilityGroups()) {
            return true;
        }
        for (DeviceWithId device : devices) {
            for (Device.CounterConsumption consumed : device.device().consumesCounters()) {
                if (!consumed.compatibilityGroups().isEmpty()) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Returns whether the node can use a device of the slice.
     *
     * @throws AllocationException if a node selector that is needed to decide it cannot be parsed
     */
    boolean targets(Node node, DeviceFeatures features) {
        if (slice.hasCounters() && features.usesStableAllocator()) {
            return true;
        }
        if (!slice.nodeSelection().isEmpty()) {
            if (reach.error().isPresent()) {
                throw selectionFailed("slice " + slice.name(), reach.error().get());
            }
            return reach.includes(node);
        }
        return slice.perDeviceNodeSelection() && hasDeviceOn(node);
    }

    // The devices after the first that the node can use are checked when they are tried.
    private boolean hasDeviceOn(Node node) {
        for (DeviceWithId device : devices) {
            if (device.reach().error().isPresent()) {
                // kube-scheduler prints the whole device here, with memory addresses.
                throw selectionFailed(
                        "device " + device.device().name() + " in slice " + slice.name(),
                        device.reach().error().get());
            }
            if (device.reach().includes(node)) {
                return true;
            }
        }
        return false;
    }

    private static AllocationException selectionFailed(String what, String error) {
        return new AllocationException(
                "gather pool information: failed to perform node selection for " + what + ": " + error);
    }
}
