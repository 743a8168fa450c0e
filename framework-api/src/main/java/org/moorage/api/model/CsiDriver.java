// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A storage driver of the cluster.
 *
 * @param metadata the driver's name
 * @param storageCapacity whether the driver says where how much storage is left, and volumes are only made where it suffices
 */
public record CsiDriver(ObjectMeta metadata, boolean storageCapacity) implements ClusterObject {}
