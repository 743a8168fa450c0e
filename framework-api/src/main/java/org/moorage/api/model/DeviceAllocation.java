// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The devices that a claim was given.
 *
 * @param results the devices
 * @param config what their drivers get
 * @param nodeSelector the nodes from which all of them can be used; empty for all
 * @param time when they were given
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
     * A device that a request was given.
     *
     * @param request the request, or it, a slash and the alternative
     * @param driver the driver of the device
     * @param pool the pool of the device
     * @param device the name of the device
     * @param adminAccess whether it stays free for others
     * @param tolerations the taints that the request tolerates
     * @param bindingConditions the conditions that must come true before the pod is bound
     * @param bindingFailureConditions the conditions one of which means that they will not
     * @param shareId tells the shares of a shared device apart; empty if it is not shared
     * @param consumedCapacity how much was given of a shared device, by name
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
            Map<String, Quantity> consumedCapacity) {
        public Result {
            Objects.requireNonNull(request, "request");
            tolerations = List.copyOf(tolerations);
            bindingConditions = List.copyOf(bindingConditions);
            bindingFailureConditions = List.copyOf(bindingFailureConditions);
            consumedCapacity = Map.copyOf(consumedCapacity);
        }
    }

    /**
     * Configuration of some of the devices.
     *
     * @param isFromClass whether it comes from the class rather than the claim
     * @param config the configuration
     */
    public record Config(boolean isFromClass, DeviceConfig config) {}

    /** The same devices, given at a time. */
    public DeviceAllocation at(Instant given) {
        return new DeviceAllocation(results, config, nodeSelector, Optional.of(given));
    }
}
