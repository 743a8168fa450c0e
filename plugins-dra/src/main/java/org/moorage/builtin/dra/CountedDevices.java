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
import org.moorage.api.plugin.DeviceCounts;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.builtin.dra.cel.SelectorException;

/**
 * Counts devices for scores, as kube-scheduler does there: in the slices of all generations, and also in pools that are not
 * complete. The class's expressions do not learn whether a device can be shared.
 */
final class CountedDevices implements DeviceCounts {
    private final ObjectLister<ResourceSlice> slices;
    private final ClaimTracker claims;
    private final DeviceSelectors selectors;
    private final DeviceFeatures features;
    private final AtomicReference<Catalog> catalog = new AtomicReference<>(Catalog.EMPTY);

    CountedDevices(
            ObjectLister<ResourceSlice> slices,
            ClaimTracker claims,
            DeviceSelectors selectors,
            DeviceFeatures features) {
        this.slices = slices;
        this.claims = claims;
        this.selectors = selectors;
        this.features = features;
    }

    @Override
    public List<Count> of(DeviceClass deviceClass, List<NodeInfo> nodes) {
        // A tainted device counts as well, so what taints it does not matter.
        Catalog current = catalog.updateAndGet(known -> known.with(slices.all(), List.of()));
        DevicesInUse inUse = claims.devicesInUse(features);
        List<Count> counts = new ArrayList<>(nodes.size());
        for (NodeInfo node : nodes) {
            counts.add(count(deviceClass, node.node(), current, inUse));
        }
        return Collections.unmodifiableList(counts);
    }

    private Count count(DeviceClass deviceClass, Node node, Catalog current, DevicesInUse inUse) {
        Sum sum = new Sum(deviceClass, inUse);
        try {
            sum.add(current.onlyFrom(node.name()), node);
            sum.add(current.shared(), node);
        } catch (SelectorException unclear) {
            return Count.NONE;
        }
        return sum.devices == 0 ? Count.NONE : new Count(sum.devices, sum.taken);
    }

    private final class Sum {
        final DeviceClass deviceClass;
        final DevicesInUse inUse;
        long devices;
        long taken;

        Sum(DeviceClass deviceClass, DevicesInUse inUse) {
            this.deviceClass = deviceClass;
            this.inUse = inUse;
        }

        void add(List<OfferedSlice> offered, Node node) throws SelectorException {
            for (OfferedSlice one : offered) {
                ResourceSlice slice = one.slice();
                if (!slice.perDeviceNodeSelection()
                        && !slice.reach().isEmpty()
                        && !slice.reach().includes(node)) {
                    continue;
                }
                for (OfferedDevice device : one.devices()) {
                    if (!slice.perDeviceNodeSelection()
                            || device.device().reach().includes(node)) {
                        add(device);
                    }
                }
            }
        }

        private void add(OfferedDevice device) throws SelectorException {
            for (String expression : deviceClass.selectors()) {
                if (!device.satisfiesUnshared(expression, selectors)) {
                    return;
                }
            }
            devices++;
            if (inUse.has(device.id())) {
                taken++;
            }
        }
    }
}
