// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;

/**
 * The enabled features of dynamic resource allocation.
 *
 * @param extendedResources whether devices may be used for extended resources
 * @param prioritizedList whether requests may have subrequests
 * @param consumableCapacity whether devices may allow multiple allocations
 * @param fractionalCapacityRange whether the ranges of capacity requests are counted in thousandths
 * @param listTypeAttributes whether constraints compare attributes that are lists of values
 * @param derivedAttributes whether requests may derive attributes by expressions
 * @param partitionableDevices whether devices may consume shared counters
 * @param compatibilityGroups whether devices that consume of a counter set must have a group in common
 * @param deviceTaints whether requests must tolerate the taints of devices
 * @param deviceTaintRules whether device taint rules taint devices, too
 * @param bindingConditions whether devices may have binding conditions
 * @param optionalNodeOperations whether devices may ask the kubelet to skip node operations
 * @param filterTimeout whether the search for devices on a node has a timeout
 * @param nodeAllocatableResources whether devices may consume allocatable resources of their node
 * @param workloadResourceClaims whether the pods of a group may share claims of the group
 */
record DeviceFeatures(
        boolean extendedResources,
        boolean prioritizedList,
        boolean consumableCapacity,
        boolean fractionalCapacityRange,
        boolean listTypeAttributes,
        boolean derivedAttributes,
        boolean partitionableDevices,
        boolean compatibilityGroups,
        boolean deviceTaints,
        boolean deviceTaintRules,
        boolean bindingConditions,
        boolean optionalNodeOperations,
        boolean filterTimeout,
        boolean nodeAllocatableResources,
        boolean workloadResourceClaims) {
    static DeviceFeatures of(FeatureGates gates) {
        return new DeviceFeatures(
                gates.isEnabled(FeatureGates.DRA_EXTENDED_RESOURCE),
                gates.isEnabled(FeatureGates.DRA_PRIORITIZED_LIST),
                gates.isEnabled(FeatureGates.DRA_CONSUMABLE_CAPACITY),
                gates.isEnabled(FeatureGates.DRA_FRACTIONAL_CAPACITY_RANGE),
                gates.isEnabled(FeatureGates.DRA_LIST_TYPE_ATTRIBUTES),
                gates.isEnabled(FeatureGates.DRA_DERIVED_ATTRIBUTES),
                gates.isEnabled(FeatureGates.DRA_PARTITIONABLE_DEVICES),
                gates.isEnabled(FeatureGates.DRA_DEVICE_COMPATIBILITY_GROUPS),
                gates.isEnabled(FeatureGates.DRA_DEVICE_TAINTS),
                gates.isEnabled(FeatureGates.DRA_DEVICE_TAINT_RULES),
                gates.isEnabled(FeatureGates.DRA_DEVICE_BINDING_CONDITIONS)
                        && gates.isEnabled(FeatureGates.DRA_RESOURCE_CLAIM_DEVICE_STATUS),
                gates.isEnabled(FeatureGates.DRA_OPTIONAL_NODE_OPERATIONS),
                gates.isEnabled(FeatureGates.DRA_SCHEDULER_FILTER_TIMEOUT),
                gates.isEnabled(FeatureGates.DRA_NODE_ALLOCATABLE_RESOURCES),
                gates.isEnabled(FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS));
    }

    /** Returns whether a claim is reserved for a pod, or for its group if pods may use it then. */
    boolean isReserved(ResourceClaim claim, Pod pod) {
        return claim.isReservedFor(pod) || workloadResourceClaims && claim.isReservedForGroupOf(pod);
    }

    /**
     * Returns whether kube-scheduler would use its stable allocator, which knows neither devices that allow multiple
     * allocations nor binding conditions. It refuses distinct attribute constraints, and ignores the capacity that a
     * request names.
     */
    boolean usesStableAllocator() {
        return !consumableCapacity && !bindingConditions && !usesExperimentalAllocator();
    }

    /**
     * Returns whether kube-scheduler would use its experimental allocator. Only that one
     * reads the node operations that devices ask the kubelet to skip.
     */
    boolean usesExperimentalAllocator() {
        return listTypeAttributes || derivedAttributes || compatibilityGroups || optionalNodeOperations;
    }
}
