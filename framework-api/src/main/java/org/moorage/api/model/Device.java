// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A device that claims can be given.
 *
 * @param name its name, unique in its pool
 * @param attributes what is known of it, by name; a name without a domain is in that of the driver
 * @param capacity how much it has of what, by name
 * @param consumesCounters what it takes of its pool's shared counters while it is in use
 * @param reach the nodes from which it can be used, if its slice leaves that to its devices
 * @param taints what keeps claims off it
 * @param bindsToNode whether its use ties the claim to the node
 * @param bindingConditions the conditions that must come true before a pod that uses it is bound
 * @param bindingFailureConditions the conditions one of which means that they will not
 * @param isShared whether several claims can be given it at the same time
 * @param nodeResources what a claim that is given it takes of its node besides, by resource
 */
public record Device(
        String name,
        Map<String, DeviceAttribute> attributes,
        Map<String, DeviceCapacity> capacity,
        List<CounterSet> consumesCounters,
        NodeReach reach,
        List<DeviceTaint> taints,
        boolean bindsToNode,
        List<String> bindingConditions,
        List<String> bindingFailureConditions,
        boolean isShared,
        Map<String, NodeResource> nodeResources) {
    public Device {
        Objects.requireNonNull(name, "name");
        attributes = Map.copyOf(attributes);
        capacity = Map.copyOf(capacity);
        consumesCounters = List.copyOf(consumesCounters);
        Objects.requireNonNull(reach, "reach");
        taints = List.copyOf(taints);
        bindingConditions = List.copyOf(bindingConditions);
        bindingFailureConditions = List.copyOf(bindingFailureConditions);
        nodeResources = Map.copyOf(nodeResources);
    }

    /**
     * How much of a resource of its node a device stands for.
     *
     * @param capacityKey the capacity of which a claim is given some: that much, or a multiple; empty for an amount that is the
     *     same for all claims
     * @param multiplier by how much that is multiplied, or the amount itself
     */
    public record NodeResource(String capacityKey, Optional<Quantity> multiplier) {
        public NodeResource {
            Objects.requireNonNull(capacityKey, "capacityKey");
            Objects.requireNonNull(multiplier, "multiplier");
        }
    }

    /** The same device with other taints. */
    public Device withTaints(List<DeviceTaint> others) {
        return new Device(
                name,
                attributes,
                capacity,
                consumesCounters,
                reach,
                others,
                bindsToNode,
                bindingConditions,
                bindingFailureConditions,
                isShared,
                nodeResources);
    }
}
