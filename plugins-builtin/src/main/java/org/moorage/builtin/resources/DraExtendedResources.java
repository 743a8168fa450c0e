// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.moorage.api.NodeInfo;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.builtin.DeviceCounts;
import org.moorage.api.plugin.cluster.ObjectLister;

/**
 * The extended resources that device classes map to devices. On nodes without an allocatable amount they are delegated
 * to DRA. None while the feature {@code DRAExtendedResource} is off.
 */
final class DraExtendedResources {
    private final boolean isEnabled;
    private final Supplier<Collection<DeviceClass>> deviceClasses;
    private final Supplier<DeviceCounts> deviceCounts;

    private DraExtendedResources(
            boolean isEnabled, Supplier<Collection<DeviceClass>> deviceClasses, Supplier<DeviceCounts> deviceCounts) {
        this.isEnabled = isEnabled;
        this.deviceClasses = deviceClasses;
        this.deviceCounts = deviceCounts;
    }

    static DraExtendedResources of(Handle handle) {
        if (!isEnabled(handle)) {
            return new DraExtendedResources(false, List::of, () -> DeviceCounts.NONE);
        }
        ObjectLister<DeviceClass> lister = handle.cluster().lister(ObjectKind.DEVICE_CLASS);
        // Looked up for each pod, as DynamicResources, which shares the counts, may be created after this plugin.
        return new DraExtendedResources(
                true, lister::all, () -> handle.shared(DeviceCounts.SHARED, () -> DeviceCounts.NONE));
    }

    static boolean isEnabled(Handle handle) {
        return handle.featureGates().isEnabled(FeatureGates.DRA_EXTENDED_RESOURCE);
    }

    /** Returns whether a device class may map a resource that is requested, now or later. */
    boolean mayBeRequested(Resources requests) {
        return isEnabled && requests.scalarCount() > 0;
    }

    /** Returns the requested resources that a device class maps. */
    Set<ResourceName> mapped(Resources requests) {
        Set<ResourceName> mapped = new HashSet<>();
        for (int i = 0; i < requests.scalarCount(); i++) {
            if (requests.scalarAmount(i) != 0
                    && deviceClass(requests.scalarName(i)).isPresent()) {
                mapped.add(ResourceName.of(requests.scalarName(i)));
            }
        }
        return mapped;
    }

    private Optional<DeviceClass> deviceClass(String resource) {
        return DeviceClass.forExtendedResource(resource, deviceClasses.get());
    }

    /**
     * Returns a request to be scored on some nodes.
     *
     * @param resources the resources that are scored
     * @param requests how much of each the pod requests
     * @param nodes the nodes
     */
    ScoringRequest scoringRequest(ResourceName[] resources, long[] requests, List<NodeInfo> nodes) {
        ScoringRequest request = new ScoringRequest(resources, requests);
        for (int i = 0; i < resources.length; i++) {
            if (requests[i] != 0) {
                Optional<DeviceClass> deviceClass = deviceClass(resources[i].name());
                if (deviceClass.isPresent()) {
                    request.delegateToDra(i, nodes, deviceCounts.get().of(deviceClass.get(), nodes));
                }
            }
        }
        return request;
    }
}
