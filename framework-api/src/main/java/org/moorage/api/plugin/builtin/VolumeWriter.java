// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.builtin;

import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.plugin.cluster.ClusterWriter;

/**
 * A writer of changes to persistent volumes and their claims, with the contract of {@link ClusterWriter}. If the given
 * object has a version, the change fails with a conflict on any other version.
 */
@Experimental
public interface VolumeWriter {
    /**
     * Binds a volume to a claim: the volume becomes {@link PersistentVolume#boundTo}. The volume controller completes
     * the binding.
     *
     * @return the volume after the change
     */
    PersistentVolume bind(PersistentVolume volume, PersistentVolumeClaim claim);

    /**
     * Selects the node of a claim, for which the storage driver then provisions a volume: the claim becomes {@link
     * PersistentVolumeClaim#withSelectedNode}.
     *
     * @return the claim after the change
     */
    PersistentVolumeClaim selectNode(PersistentVolumeClaim claim, String nodeName);
}
