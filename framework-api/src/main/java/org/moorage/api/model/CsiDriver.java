// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A storage driver of the cluster.
 *
 * @param metadata the driver's name
 * @param storageCapacity whether the driver says where how much storage is left, and volumes are only made where it suffices
 * @param preventPodSchedulingIfMissing whether pods with volumes of the driver are kept off nodes that it does not run on
 */
public record CsiDriver(ObjectMeta metadata, boolean storageCapacity, boolean preventPodSchedulingIfMissing)
        implements ClusterObject {}
