// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A CSI driver.
 *
 * @param metadata the driver's name
 * @param storageCapacity whether the driver publishes storage capacities, which are checked before provisioning
 * @param preventPodSchedulingIfMissing whether nodes without the driver are rejected for pods with its volumes
 */
public record CsiDriver(ObjectMeta metadata, boolean storageCapacity, boolean preventPodSchedulingIfMissing)
        implements ClusterObject {}
