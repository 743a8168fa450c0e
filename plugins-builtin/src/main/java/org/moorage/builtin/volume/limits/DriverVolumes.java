// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.CloudDisk;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;
import org.moorage.api.model.VolumeAttachment;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.builtin.volume.ClaimOwnership;
import org.moorage.builtin.volume.CsiMigration;

/** Finds out which volumes of storage drivers pods use. */
final class DriverVolumes {
    // What stands for the handle of a volume that is not made yet; no driver calls one like this.
    private static final String NOT_MADE = "\0";

    private final ObjectLister<PersistentVolume> volumes;
    private final ObjectLister<PersistentVolumeClaim> claims;
    private final ObjectLister<StorageClass> classes;
    private final ObjectLister<VolumeAttachment> attachments;

    DriverVolumes(Handle handle) {
        volumes = handle.lister(ObjectKind.PERSISTENT_VOLUME);
        claims = handle.lister(ObjectKind.PERSISTENT_VOLUME_CLAIM);
        classes = handle.lister(ObjectKind.STORAGE_CLASS);
        attachments = handle.lister(ObjectKind.VOLUME_ATTACHMENT);
    }

    /**
     * What pods on a node with storage drivers use. Claims that are gone do not count.
     *
     * @throws IllegalStateException if it cannot be said what one of the volumes is
     */
    VolumeSet usedBy(List<Pod> pods) {
        VolumeSet used = new VolumeSet();
        for (int i = 0; i < pods.size(); i++) {
            Pod pod = pods.get(i);
            List<Volume> all = pod.spec().volumes();
            for (int j = 0; j < all.size(); j++) {
                DriverVolume found = used(pod, all.get(j));
                if (found != null) {
                    used.add(found);
                }
            }
        }
        return used;
    }

    private @Nullable DriverVolume used(Pod pod, Volume volume) {
        if (!volume.isClaim()) {
            return ofDisk(volume);
        }
        PersistentVolumeClaim claim = claim(pod, volume).orElse(null);
        return claim == null ? null : ofClaim(claim, true);
    }

    /**
     * The claim that a pod's volume is, if it is there.
     *
     * @throws IllegalStateException if it has no name, or is not the pod's to use
     */
    Optional<PersistentVolumeClaim> claim(Pod pod, Volume volume) {
        String name = volume.claimName(pod);
        if (name.isEmpty()) {
            throw new IllegalStateException("PersistentVolumeClaim had no name");
        }
        Optional<PersistentVolumeClaim> claim = claims.get(pod.namespace(), name);
        if (claim.isPresent()) {
            ClaimOwnership.objection(claim.get(), pod, volume).ifPresent(objection -> {
                throw new IllegalStateException(objection);
            });
        }
        return claim;
    }

    /**
     * The volume that a disk of a former volume plugin is for the driver that took the plugin's place; null if there is no
     * such driver, or the pod's volume is not such a disk.
     *
     * @throws IllegalStateException if the driver has no such disks
     */
    static @Nullable DriverVolume ofDisk(Volume volume) {
        if (!(volume.source() instanceof CloudDisk disk) || !CsiMigration.isOn(disk.type())) {
            return null;
        }
        try {
            return new DriverVolume(CsiMigration.driver(disk.type()), CsiMigration.handle(disk));
        } catch (IllegalArgumentException notOfTheDriver) {
            throw new IllegalStateException(
                    "converting volume(" + volume.name() + ") from inline to csi: " + notOfTheDriver.getMessage(),
                    notOfTheDriver);
        }
    }

    /**
     * The volume that a claim is bound to or will have; null if it is not a driver's.
     *
     * @param hasDrivers whether it is about a node that has storage drivers; on others former volume plugins do their work
     *     themselves
     */
    @Nullable
    DriverVolume ofClaim(PersistentVolumeClaim claim, boolean hasDrivers) {
        PersistentVolume volume = claim.volumeName().isEmpty()
                ? null
                : volumes.get("", claim.volumeName()).orElse(null);
        if (volume == null) {
            return volumeToBe(claim, hasDrivers);
        }
        DriverVolume found = null;
        if (volume.csi().isPresent()) {
            found = new DriverVolume(
                    volume.csi().get().driver(), volume.csi().get().handle());
        } else if (hasDrivers && volume.cloudDisk().isPresent()) {
            found = migrated(volume, volume.cloudDisk().get());
        }
        return found == null || found.driver().isEmpty() || found.handle().isEmpty() ? null : found;
    }

    private static @Nullable DriverVolume migrated(PersistentVolume volume, CloudDisk disk) {
        if (!CsiMigration.isOn(disk.type())) {
            return null;
        }
        try {
            return new DriverVolume(CsiMigration.driver(disk.type()), CsiMigration.handle(volume, disk));
        } catch (IllegalArgumentException notOfTheDriver) {
            // Not one of the driver's, so not under its limit.
            return null;
        }
    }

    private @Nullable DriverVolume volumeToBe(PersistentVolumeClaim claim, boolean hasDrivers) {
        if (claim.storageClassName().isEmpty()) {
            return null;
        }
        StorageClass storageClass = classes.get("", claim.storageClassName()).orElse(null);
        if (storageClass == null) {
            return null;
        }
        String provisioner = storageClass.provisioner();
        Optional<CloudDisk.Type> former = CsiMigration.typeOf(provisioner);
        if (former.isPresent()) {
            if (!hasDrivers || !CsiMigration.isOn(former.get())) {
                return null;
            }
            provisioner = CsiMigration.driver(former.get());
        }
        return provisioner.isEmpty() ? null : new DriverVolume(provisioner, NOT_MADE + claim.key());
    }

    /** The volumes of some drivers that are attached to nodes, whether a pod uses them or not, by the node's name. */
    Map<String, VolumeSet> attachedByNode(Set<String> drivers) {
        Map<String, VolumeSet> byNode = new HashMap<>();
        if (drivers.isEmpty()) {
            return byNode;
        }
        for (VolumeAttachment attachment : attachments.all()) {
            if (drivers.contains(attachment.attacher())
                    && !attachment.volumeName().isEmpty()) {
                volumes.get("", attachment.volumeName())
                        .flatMap(PersistentVolume::csi)
                        .ifPresent(csi -> byNode.computeIfAbsent(attachment.nodeName(), any -> new VolumeSet())
                                .add(new DriverVolume(attachment.attacher(), csi.handle())));
            }
        }
        return byNode;
    }
}
