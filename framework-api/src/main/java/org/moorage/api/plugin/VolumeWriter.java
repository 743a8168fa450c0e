// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;

/**
 * Changes persistent volumes and their claims, as {@link ClusterWriter} does. Each change is for the version of the object that
 * is passed, if it has one: on any other version it fails with a conflict.
 */
public interface VolumeWriter {
    /**
     * Binds a volume to a claim: it becomes {@link PersistentVolume#boundTo}. The volume controller completes the binding.
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
