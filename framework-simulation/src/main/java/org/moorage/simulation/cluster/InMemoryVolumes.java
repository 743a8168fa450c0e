// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.cluster;

import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.plugin.VolumeWriter;

/**
 * Changes the persistent volumes and claims of a cluster in memory, and has the volume controller and the provisioner do at once
 * what they do about it.
 */
final class InMemoryVolumes implements VolumeWriter {
    private final ObjectTables objects;
    private final VolumeController controller;

    InMemoryVolumes(ObjectTables objects, VolumeController controller) {
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
