// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A request for devices, or a subrequest of one.
 *
 * @param name its name in the claim, or in its request
 * @param deviceClass the class of the devices; empty if there are subrequests
 * @param selectors further CEL expressions that the devices must match
 * @param allocationMode {@link #EXACT_COUNT} or {@link #ALL}
 * @param count the number of devices, for {@link #EXACT_COUNT}
 * @param adminAccess whether it is for admin access, which also allocates devices in use
 * @param tolerations the tolerations for device taints
 * @param capacity the capacity to consume of devices that allow multiple allocations, by name
 * @param derivedAttributes CEL expressions that replace device attributes in constraints, by attribute name
 * @param alternatives the subrequests of {@code firstAvailable}, preferred first; empty for an exact request
 */
public record DeviceRequest(
        String name,
        String deviceClass,
        List<String> selectors,
        String allocationMode,
        long count,
        boolean adminAccess,
        List<DeviceToleration> tolerations,
        Map<String, Quantity> capacity,
        Map<String, String> derivedAttributes,
        List<DeviceRequest> alternatives) {
    /** Allocates a number of devices. */
    public static final String EXACT_COUNT = "ExactCount";
    /** Allocates all matching devices. */
    public static final String ALL = "All";

    public DeviceRequest {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(deviceClass, "deviceClass");
        selectors = List.copyOf(selectors);
        Objects.requireNonNull(allocationMode, "allocationMode");
        tolerations = List.copyOf(tolerations);
        capacity = Map.copyOf(capacity);
        derivedAttributes = Map.copyOf(derivedAttributes);
        alternatives = List.copyOf(alternatives);
    }

    /** Returns a plain request for a number of devices of a class. */
    public static DeviceRequest of(String name, String deviceClass, long count) {
        return new DeviceRequest(
                name, deviceClass, List.of(), EXACT_COUNT, count, false, List.of(), Map.of(), Map.of(), List.of());
    }

    /** Returns whether it requests all matching devices. */
    public boolean requestsAll() {
        return allocationMode.equals(ALL);
    }
}
