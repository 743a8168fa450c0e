// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import org.moorage.api.plugin.FeatureGates;
import org.moorage.builtin.dra.cel.SelectorLanguage;

/**
 * What of the plugin is on.
 *
 * @param extendedResources whether devices stand in for extended resources
 * @param alternatives whether requests may name several
 * @param sharing whether claims may share a device
 * @param listAttributes whether what is known of a device may be several values; selectors see them, constraints do not
 * @param parts whether devices may be parts of others
 * @param taints whether taints keep claims off devices
 * @param taintRules whether objects of their own taint devices, too
 * @param readiness whether devices may have to be made ready first
 * @param filterTimeout whether the search for devices has a limit in time
 * @param nodeResources whether what devices take of their node counts
 */
record DeviceFeatures(
        boolean extendedResources,
        boolean alternatives,
        boolean sharing,
        boolean listAttributes,
        boolean parts,
        boolean taints,
        boolean taintRules,
        boolean readiness,
        boolean filterTimeout,
        boolean nodeResources) {
    static DeviceFeatures of(FeatureGates gates) {
        return new DeviceFeatures(
                gates.isEnabled(FeatureGates.DRA_EXTENDED_RESOURCE),
                gates.isEnabled(FeatureGates.DRA_PRIORITIZED_LIST),
                gates.isEnabled(FeatureGates.DRA_CONSUMABLE_CAPACITY),
                gates.isEnabled(FeatureGates.DRA_LIST_TYPE_ATTRIBUTES),
                gates.isEnabled(FeatureGates.DRA_PARTITIONABLE_DEVICES),
                gates.isEnabled(FeatureGates.DRA_DEVICE_TAINTS),
                gates.isEnabled(FeatureGates.DRA_DEVICE_TAINT_RULES),
                gates.isEnabled(FeatureGates.DRA_DEVICE_BINDING_CONDITIONS)
                        && gates.isEnabled(FeatureGates.DRA_RESOURCE_CLAIM_DEVICE_STATUS),
                gates.isEnabled(FeatureGates.DRA_SCHEDULER_FILTER_TIMEOUT),
                gates.isEnabled(FeatureGates.DRA_NODE_ALLOCATABLE_RESOURCES));
    }

    /** What selectors may take an attribute for. */
    SelectorLanguage.AttributeValues attributeValues() {
        return listAttributes ? SelectorLanguage.AttributeValues.SEVERAL : SelectorLanguage.AttributeValues.ONE;
    }

    /**
     * Whether kube-scheduler would search with its older allocator, which knows neither shared devices nor such as have to be
     * made ready. It refuses constraints for attributes that differ, but overlooks amounts that a request names.
     */
    boolean usesStableAllocator() {
        return !sharing && !readiness;
    }
}
