// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A request for devices, or one of the alternatives of such a request.
 *
 * @param name its name in the claim, or among the alternatives
 * @param deviceClass the class of the devices; empty if there are alternatives
 * @param selectors the CEL expressions that the devices must satisfy besides
 * @param allocationMode {@link #EXACT_COUNT} or {@link #ALL}
 * @param count how many, for {@link #EXACT_COUNT}
 * @param adminAccess whether devices in use are given too, and stay free for others
 * @param tolerations the taints that the devices may have
 * @param capacity how much of shared devices, by name
 * @param alternatives what would do, best first; empty if the request says it itself
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
        List<DeviceRequest> alternatives) {
    /** A number of devices. */
    public static final String EXACT_COUNT = "ExactCount";
    /** All devices there are. */
    public static final String ALL = "All";

    public DeviceRequest {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(deviceClass, "deviceClass");
        selectors = List.copyOf(selectors);
        Objects.requireNonNull(allocationMode, "allocationMode");
        tolerations = List.copyOf(tolerations);
        capacity = Map.copyOf(capacity);
        alternatives = List.copyOf(alternatives);
    }

    /** A plain request for a number of devices of a class. */
    public static DeviceRequest of(String name, String deviceClass, long count) {
        return new DeviceRequest(
                name, deviceClass, List.of(), EXACT_COUNT, count, false, List.of(), Map.of(), List.of());
    }

    /** Whether it asks for all devices. */
    public boolean wantsAll() {
        return allocationMode.equals(ALL);
    }
}
