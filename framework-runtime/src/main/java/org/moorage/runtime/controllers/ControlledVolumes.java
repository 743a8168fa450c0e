// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.controllers;

import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.plugin.builtin.VolumeWriter;

/**
 * Writes the persistent volumes and claims of an in-memory cluster; the volume controller and the provisioner then
 * complete each write.
 */
final class ControlledVolumes implements VolumeWriter {
    private final ObjectTable objects;
    private final VolumeController controller;

    ControlledVolumes(ObjectTable objects, VolumeController controller) {
        this.objects = objects;
        this.controller = controller;
    }

    @Override
    public PersistentVolume bind(PersistentVolume volume, PersistentVolumeClaim claim) {
        synchronized (objects) {
            PersistentVolume bound = objects.update(
                    objects.unchanged(ObjectKind.PERSISTENT_VOLUME, volume).boundTo(claim));
            controller.completeBinding(bound);
            return bound;
        }
    }

    @Override
    public PersistentVolumeClaim selectNode(PersistentVolumeClaim claim, String nodeName) {
        synchronized (objects) {
            PersistentVolumeClaim selected = objects.update(
                    objects.unchanged(ObjectKind.PERSISTENT_VOLUME_CLAIM, claim).withSelectedNode(nodeName));
            controller.provisionForSelectedNode(selected);
            return selected;
        }
    }
}
