// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.Node;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.plugin.builtin.DeviceCounts;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.builtin.dra.cel.SelectorException;

/**
 * Counts the devices of classes for the scores of extended resources, as kube-scheduler does: in slices of all
 * generations, in incomplete pools, too, and with selectors that see no device as one that allows multiple allocations.
 */
final class DeviceCounter implements DeviceCounts {
    private final ObjectLister<ResourceSlice> slices;
    private final ClaimTracker tracker;
    private final DeviceSelectors selectors;
    private final AtomicReference<ResourceSliceIndex> index = new AtomicReference<>(ResourceSliceIndex.EMPTY);

    DeviceCounter(ObjectLister<ResourceSlice> slices, ClaimTracker tracker, DeviceSelectors selectors) {
        this.slices = slices;
        this.tracker = tracker;
        this.selectors = selectors;
    }

    @Override
    public List<Count> of(DeviceClass deviceClass, List<NodeInfo> nodes) {
        // Tainted devices count as well, so device taint rules do not matter.
        ResourceSliceIndex current = index.updateAndGet(known -> known.with(slices.all(), List.of()));
        AllocatedState allocatedState = tracker.gatherAllocatedState();
        List<Count> counts = new ArrayList<>(nodes.size());
        for (NodeInfo node : nodes) {
            counts.add(count(deviceClass, node.node(), current, allocatedState));
        }
        return Collections.unmodifiableList(counts);
    }

    private Count count(DeviceClass deviceClass, Node node, ResourceSliceIndex current, AllocatedState allocatedState) {
        Sum sum = new Sum(deviceClass, allocatedState);
        try {
            sum.add(current.ofNode(node.name()), node);
            sum.add(current.notOfOneNode(), node);
        } catch (SelectorException | AllocationException failed) {
            // kube-scheduler counts no devices then.
            return Count.NONE;
        }
        return sum.devices == 0 ? Count.NONE : new Count(sum.devices, sum.allocated);
    }

    private final class Sum {
        private final DeviceClass deviceClass;
        private final AllocatedState allocatedState;
        private long devices;
        private long allocated;

        Sum(DeviceClass deviceClass, AllocatedState allocatedState) {
            this.deviceClass = deviceClass;
            this.allocatedState = allocatedState;
        }

        void add(List<SliceWithDevices> withDevices, Node node) throws SelectorException {
            for (SliceWithDevices each : withDevices) {
                ResourceSlice slice = each.slice();
                if (!slice.perDeviceNodeSelection()
                        && !slice.nodeSelection().isEmpty()
                        && !each.reach().checkedIncludes(node)) {
                    continue;
                }
                for (DeviceWithId device : each.devices()) {
                    if (!slice.perDeviceNodeSelection() || device.reach().checkedIncludes(node)) {
                        add(device);
                    }
                }
            }
        }

        private void add(DeviceWithId device) throws SelectorException {
            for (String selector : deviceClass.selectors()) {
                if (!device.satisfiesWithoutSharing(selector, selectors)) {
                    return;
                }
            }
            devices++;
            if (allocatedState.isAllocatedOrShared(device.id())) {
                allocated++;
            }
        }
    }
}
