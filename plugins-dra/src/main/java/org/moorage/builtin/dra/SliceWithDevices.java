// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.model.Device;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelection;
import org.moorage.api.model.ResourceSlice;

/** A resource slice, and its devices with their ids. */
record SliceWithDevices(ResourceSlice slice, List<DeviceWithId> devices) {
    static SliceWithDevices of(ResourceSlice slice) {
        List<DeviceWithId> devices = new ArrayList<>(slice.devices().size());
        for (Device device : slice.devices()) {
            devices.add(new DeviceWithId(slice, device));
        }
        return new SliceWithDevices(slice, List.copyOf(devices));
    }

    /** The generation of the pool that the slice describes. */
    long generation() {
        return slice.pool().generation();
    }

    /** Whether it uses what only the feature of partitionable devices knows. */
    boolean usesPartitionableDevices() {
        return slice.perDeviceNodeSelection() || slice.hasCounters();
    }

    /**
     * Whether the allocator takes note of the slice. Of a slice with groups that it cannot compare it does not, which leaves the pool
     * incomplete.
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

    /** Whether the node can use a device of the slice. */
    boolean targets(Node node, DeviceFeatures features) {
        if (slice.hasCounters() && features.usesStableAllocator()) {
            return true;
        }
        NodeSelection nodeSelection = slice.nodeSelection();
        if (!nodeSelection.isEmpty()) {
            return nodeSelection.includes(node);
        }
        if (slice.perDeviceNodeSelection()) {
            for (DeviceWithId device : devices) {
                if (device.device().nodeSelection().includes(node)) {
                    return true;
                }
            }
        }
        return false;
    }
}
