// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A device that can be allocated to claims.
 *
 * @param name its name, unique in its pool
 * @param attributes its attributes; a name without a domain is in that of the driver
 * @param capacity its capacities, by name
 * @param consumesCounters how much of the pool's shared counters it consumes while it is allocated
 * @param nodeSelection the nodes on which it is available, for slices with node selection per device
 * @param taints its taints
 * @param bindsToNode whether an allocation limits the claim to the node
 * @param bindingConditions the conditions that must be true before a pod that uses it is bound
 * @param bindingFailureConditions the conditions any of which means that binding fails
 * @param allowsMultipleAllocations whether it can be allocated to several claims at the same time
 * @param nodeAllocatableResourceMappings how an allocation counts in the node allocatable resources, by resource
 */
public record Device(
        String name,
        Map<String, DeviceAttribute> attributes,
        Map<String, DeviceCapacity> capacity,
        List<CounterSet> consumesCounters,
        NodeSelection nodeSelection,
        List<DeviceTaint> taints,
        boolean bindsToNode,
        List<String> bindingConditions,
        List<String> bindingFailureConditions,
        boolean allowsMultipleAllocations,
        Map<String, NodeAllocatableResourceMapping> nodeAllocatableResourceMappings) {
    public Device {
        Objects.requireNonNull(name, "name");
        attributes = Map.copyOf(attributes);
        capacity = Map.copyOf(capacity);
        consumesCounters = List.copyOf(consumesCounters);
        Objects.requireNonNull(nodeSelection, "nodeSelection");
        taints = List.copyOf(taints);
        bindingConditions = List.copyOf(bindingConditions);
        bindingFailureConditions = List.copyOf(bindingFailureConditions);
        nodeAllocatableResourceMappings = Map.copyOf(nodeAllocatableResourceMappings);
    }

    /**
     * How much of a node allocatable resource an allocation of the device takes.
     *
     * @param capacityKey the capacity whose consumed amount is taken; empty for an amount that is the same for all claims
     * @param multiplier what the consumed amount is multiplied with, or the amount itself
     */
    public record NodeAllocatableResourceMapping(String capacityKey, Optional<Quantity> multiplier) {
        public NodeAllocatableResourceMapping {
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
                nodeSelection,
                others,
                bindsToNode,
                bindingConditions,
                bindingFailureConditions,
                allowsMultipleAllocations,
                nodeAllocatableResourceMappings);
    }
}
