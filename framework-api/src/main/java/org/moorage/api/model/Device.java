// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

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
 * @param nodeAllocatableResources how an allocation counts in the node allocatable resources, by resource
 */
public record Device(
        String name,
        Map<String, DeviceAttribute> attributes,
        Map<String, DeviceCapacity> capacity,
        List<CounterConsumption> consumesCounters,
        NodeSelection nodeSelection,
        List<DeviceTaint> taints,
        boolean bindsToNode,
        List<String> bindingConditions,
        List<String> bindingFailureConditions,
        boolean allowsMultipleAllocations,
        Map<String, NodeAllocatableResource> nodeAllocatableResources) {
    public Device {
        Objects.requireNonNull(name, "name");
        attributes = Map.copyOf(attributes);
        capacity = Map.copyOf(capacity);
        consumesCounters = List.copyOf(consumesCounters);
        Objects.requireNonNull(nodeSelection, "nodeSelection");
        taints = List.copyOf(taints);
        bindingConditions = List.copyOf(bindingConditions);
        bindingFailureConditions = List.copyOf(bindingFailureConditions);
        nodeAllocatableResources = Map.copyOf(nodeAllocatableResources);
    }

    /**
     * The device's consumption of a counter set of its pool while it is allocated.
     *
     * @param counterSet the name of the counter set
     * @param counters the consumed amounts, by counter
     * @param compatibilityGroups the device's compatibility groups: all devices that consume from the counter set must
     *     have one group in common; empty if the device is only compatible with devices without groups
     */
    public record CounterConsumption(
            String counterSet, Map<String, Quantity> counters, Set<String> compatibilityGroups) {
        public CounterConsumption {
            Objects.requireNonNull(counterSet, "counterSet");
            counters = Map.copyOf(counters);
            compatibilityGroups = Set.copyOf(compatibilityGroups);
        }
    }

    /**
     * The amount of a node allocatable resource that an allocation of the device consumes.
     *
     * @param mapping the amount that the device itself represents; empty if none
     * @param overhead the additional amount, per pod and per container; empty if none
     */
    public record NodeAllocatableResource(
            Optional<NodeAllocatableMapping> mapping, Optional<NodeAllocatableOverhead> overhead) {
        public NodeAllocatableResource {
            Objects.requireNonNull(mapping, "mapping");
            Objects.requireNonNull(overhead, "overhead");
        }
    }

    /**
     * The amount of a node allocatable resource that a device represents.
     *
     * @param capacityKey the capacity whose consumed amount is used; empty for an amount that is the same for all
     *     claims
     * @param capacityMultiplier the factor for the consumed amount
     * @param deviceMultiplier the amount of a whole device, without a {@code capacityKey}
     */
    public record NodeAllocatableMapping(
            String capacityKey, Optional<Quantity> capacityMultiplier, Optional<Quantity> deviceMultiplier) {
        public NodeAllocatableMapping {
            Objects.requireNonNull(capacityKey, "capacityKey");
            Objects.requireNonNull(capacityMultiplier, "capacityMultiplier");
            Objects.requireNonNull(deviceMultiplier, "deviceMultiplier");
        }
    }

    /**
     * The additional amount of a node allocatable resource that a device consumes.
     *
     * @param perPod the amount for a pod that uses the device
     * @param perContainer the amount for each container that uses the device
     */
    public record NodeAllocatableOverhead(Optional<Quantity> perPod, Optional<Quantity> perContainer) {
        public NodeAllocatableOverhead {
            Objects.requireNonNull(perPod, "perPod");
            Objects.requireNonNull(perContainer, "perContainer");
        }
    }

    /** Returns the same device with other taints. */
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
                nodeAllocatableResources);
    }
}
