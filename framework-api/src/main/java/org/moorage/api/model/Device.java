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
     * What the device consumes of a counter set of its pool while it is allocated.
     *
     * @param counterSet the name of the set
     * @param counters the amounts, by counter
     * @param compatibilityGroups the groups one of which all devices that consume of the set must have in common; empty if it only
     *     goes with devices without groups
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
     * How much of a node allocatable resource an allocation of the device takes.
     *
     * @param mapping what the device stands for; empty if it stands for nothing of the resource
     * @param overhead what the device takes besides, by pod and by container; empty if nothing
     */
    public record NodeAllocatableResource(
            Optional<NodeAllocatableMapping> mapping, Optional<NodeAllocatableOverhead> overhead) {
        public NodeAllocatableResource {
            Objects.requireNonNull(mapping, "mapping");
            Objects.requireNonNull(overhead, "overhead");
        }
    }

    /**
     * How much of a node allocatable resource a device stands for.
     *
     * @param capacityKey the capacity whose consumed amount is taken; empty for an amount that is the same for all claims
     * @param capacityMultiplier what the consumed amount is multiplied with
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
     * What a device takes of a node allocatable resource besides.
     *
     * @param perPod the amount of a pod that uses it
     * @param perContainer the amount of each container that uses it
     */
    public record NodeAllocatableOverhead(Optional<Quantity> perPod, Optional<Quantity> perContainer) {
        public NodeAllocatableOverhead {
            Objects.requireNonNull(perPod, "perPod");
            Objects.requireNonNull(perContainer, "perContainer");
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
                nodeAllocatableResources);
    }
}
