// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.api.plugin.DeviceCounts;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.ObjectLister;

/** The resources that devices stand in for on nodes that have none of their own. None while the feature is off. */
final class DeviceResources {
    private final Supplier<Collection<DeviceClass>> classes;
    private final Supplier<DeviceCounts> counts;

    private DeviceResources(Supplier<Collection<DeviceClass>> classes, Supplier<DeviceCounts> counts) {
        this.classes = classes;
        this.counts = counts;
    }

    static DeviceResources of(Handle handle) {
        if (!isEnabled(handle)) {
            return new DeviceResources(List::of, () -> DeviceCounts.NONE);
        }
        ObjectLister<DeviceClass> lister = handle.lister(ObjectKind.DEVICE_CLASS);
        // Not asked for before it is needed: whoever knows may not have been made yet.
        return new DeviceResources(lister::all, () -> handle.shared(DeviceCounts.SHARED, () -> DeviceCounts.NONE));
    }

    static boolean isEnabled(Handle handle) {
        return handle.featureGates().isEnabled(FeatureGates.DRA_EXTENDED_RESOURCE);
    }

    /** Those of what is requested. */
    Set<ResourceName> among(Resources amounts) {
        Set<ResourceName> found = new HashSet<>();
        for (int i = 0; i < amounts.scalarCount(); i++) {
            if (amounts.scalarAmount(i) != 0 && classOf(amounts.scalarName(i)).isPresent()) {
                found.add(ResourceName.of(amounts.scalarName(i)));
            }
        }
        return found;
    }

    private Optional<DeviceClass> classOf(String resource) {
        return DeviceClass.ofResource(resource, classes.get());
    }

    /**
     * A request that is to be scored on these nodes.
     *
     * @param resources the resources that are scored
     * @param amounts what is requested of each
     */
    ScoredRequest request(ResourceName[] resources, long[] amounts, List<NodeInfo> nodes) {
        ScoredRequest request = new ScoredRequest(resources, amounts);
        for (int i = 0; i < resources.length; i++) {
            if (amounts[i] != 0) {
                Optional<DeviceClass> deviceClass = classOf(resources[i].name());
                if (deviceClass.isPresent()) {
                    request.byDevices(i, nodes, counts.get().of(deviceClass.get(), nodes));
                }
            }
        }
        return request;
    }
}
