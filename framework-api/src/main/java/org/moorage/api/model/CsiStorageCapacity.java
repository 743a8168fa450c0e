// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Optional;

/**
 * How much storage of a class is left in a part of the cluster.
 *
 * @param metadata its name and the like
 * @param storageClassName the class
 * @param capacity how much is left, in bytes
 * @param maximumVolumeSize how large a single volume can be, in bytes
 * @param nodeTopology the nodes that can reach it, by their labels; empty for none
 */
public record CsiStorageCapacity(
        ObjectMeta metadata,
        String storageClassName,
        Optional<Quantity> capacity,
        Optional<Quantity> maximumVolumeSize,
        Optional<LabelSelector> nodeTopology)
        implements ClusterObject {
    /** How large a volume can be; empty if nothing is known. */
    public Optional<Quantity> volumeLimit() {
        return maximumVolumeSize.isPresent() ? maximumVolumeSize : capacity;
    }
}
