// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The devices that are allocated to a claim.
 *
 * @param results the devices
 * @param config the configuration for their drivers
 * @param nodeSelector the nodes on which all of them are available; empty for all
 * @param time when they were allocated
 */
public record DeviceAllocation(
        List<Result> results, List<Config> config, Optional<NodeSelector> nodeSelector, Optional<Instant> time) {
    public DeviceAllocation {
        results = List.copyOf(results);
        config = List.copyOf(config);
        Objects.requireNonNull(nodeSelector, "nodeSelector");
        Objects.requireNonNull(time, "time");
    }

    /**
     * A device that is allocated to a request.
     *
     * @param request the request, or the request, a slash and the subrequest
     * @param driver the driver of the device
     * @param pool the pool of the device
     * @param device the name of the device
     * @param adminAccess whether the allocation is for admin access, which leaves the device available
     * @param tolerations the taints that the request tolerates
     * @param bindingConditions the conditions that must be true before the pod is bound
     * @param bindingFailureConditions the conditions any of which means that binding fails
     * @param shareId the identity of the share of a device that allows multiple allocations; otherwise empty
     * @param consumedCapacity the capacity that the share consumes, by name
     * @param skipNodeOperations the operations that the kubelet skips for the device
     */
    public record Result(
            String request,
            String driver,
            String pool,
            String device,
            boolean adminAccess,
            List<DeviceToleration> tolerations,
            List<String> bindingConditions,
            List<String> bindingFailureConditions,
            String shareId,
            Map<String, Quantity> consumedCapacity,
            List<String> skipNodeOperations) {
        public Result {
            Objects.requireNonNull(request, "request");
            tolerations = List.copyOf(tolerations);
            bindingConditions = List.copyOf(bindingConditions);
            bindingFailureConditions = List.copyOf(bindingFailureConditions);
            consumedCapacity = Map.copyOf(consumedCapacity);
            skipNodeOperations = List.copyOf(skipNodeOperations);
        }
    }

    /**
     * Configuration of some of the devices.
     *
     * @param isFromClass whether it comes from the class rather than the claim
     * @param config the configuration
     */
    public record Config(boolean isFromClass, DeviceConfig config) {}

    /** Returns whether the kubelet skips an operation for one of the devices. */
    public boolean skipsNodeOperations() {
        for (Result result : results) {
            if (!result.skipNodeOperations().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the same allocation with a time. */
    public DeviceAllocation at(Instant allocated) {
        return new DeviceAllocation(results, config, nodeSelector, Optional.of(allocated));
    }
}
