// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Optional;

/**
 * The storage capacity of a storage class in one topology segment.
 *
 * @param metadata its name and the like
 * @param storageClassName the class
 * @param capacity the available capacity, in bytes
 * @param maximumVolumeSize the maximum size of one volume, in bytes
 * @param nodeTopology the nodes that can access the storage, by their labels; empty for none
 */
public record CsiStorageCapacity(
        ObjectMeta metadata,
        String storageClassName,
        Optional<Quantity> capacity,
        Optional<Quantity> maximumVolumeSize,
        Optional<LabelSelector> nodeTopology)
        implements ClusterObject {
    /** Returns the maximum size of a volume: {@link #maximumVolumeSize}, or else {@link #capacity}. */
    public Optional<Quantity> volumeLimit() {
        return maximumVolumeSize.isPresent() ? maximumVolumeSize : capacity;
    }
}
