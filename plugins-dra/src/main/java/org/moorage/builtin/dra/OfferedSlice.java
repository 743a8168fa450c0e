// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.model.Device;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeReach;
import org.moorage.api.model.ResourceSlice;

/** A slice with its devices. */
record OfferedSlice(ResourceSlice slice, List<OfferedDevice> devices) {
    static OfferedSlice of(ResourceSlice slice) {
        List<OfferedDevice> devices = new ArrayList<>(slice.devices().size());
        for (Device device : slice.devices()) {
            devices.add(new OfferedDevice(slice, device));
        }
        return new OfferedSlice(slice, List.copyOf(devices));
    }

    /** Whether it can only be told with devices that are parts of others. */
    boolean isForParts() {
        return slice.perDeviceNodeSelection() || slice.hasCounters();
    }

    /** Whether a node has to do with it. What devices share counts for all of them. */
    boolean concerns(Node node) {
        if (slice.hasCounters()) {
            return true;
        }
        NodeReach reach = slice.reach();
        if (!reach.isEmpty()) {
            return reach.includes(node);
        }
        if (slice.perDeviceNodeSelection()) {
            for (OfferedDevice device : devices) {
                if (device.device().reach().includes(node)) {
                    return true;
                }
            }
        }
        return false;
    }
}
