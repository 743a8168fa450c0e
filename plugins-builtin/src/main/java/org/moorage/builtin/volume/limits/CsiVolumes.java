// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.InTreeVolume;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;
import org.moorage.api.model.VolumeAttachment;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.builtin.volume.ClaimOwnership;
import org.moorage.builtin.volume.CsiMigration;

/** Looks up the CSI volumes of pods. */
final class CsiVolumes {
    // Prefix of the handle of a volume that is not provisioned yet; no volume handle of a driver starts with it.
    private static final String UNPROVISIONED = "\0";

    private final ObjectLister<PersistentVolume> volumes;
    private final ObjectLister<PersistentVolumeClaim> claims;
    private final ObjectLister<StorageClass> classes;
    private final ObjectLister<VolumeAttachment> attachments;

    CsiVolumes(Handle handle) {
        volumes = handle.cluster().lister(ObjectKind.PERSISTENT_VOLUME);
        claims = handle.cluster().lister(ObjectKind.PERSISTENT_VOLUME_CLAIM);
        classes = handle.cluster().lister(ObjectKind.STORAGE_CLASS);
        attachments = handle.cluster().lister(ObjectKind.VOLUME_ATTACHMENT);
    }

    /** Returns why objects of a kind that volumes need are unavailable; empty if all kinds are available. */
    Optional<String> unavailable() {
        return ObjectLister.anyUnavailable(claims, volumes, classes, attachments);
    }

    /**
     * Returns the volumes of the pods on a node with a CSINode. Skips claims that do not exist.
     *
     * @throws PluginException if the volume of one of the pods cannot be determined
     */
    VolumeSet usedBy(List<Pod> pods) {
        VolumeSet used = new VolumeSet();
        for (int i = 0; i < pods.size(); i++) {
            Pod pod = pods.get(i);
            List<Volume> all = pod.spec().volumes();
            for (int j = 0; j < all.size(); j++) {
                CsiVolume csiVolume = used(pod, all.get(j));
                if (csiVolume != null) {
                    used.add(csiVolume);
                }
            }
        }
        return used;
    }

    private @Nullable CsiVolume used(Pod pod, Volume volume) {
        if (!volume.isClaim()) {
            return ofInTreeVolume(volume);
        }
        PersistentVolumeClaim claim = claim(pod, volume).orElse(null);
        return claim == null ? null : ofClaim(claim, true);
    }

    /**
     * Returns the claim of a pod's volume; empty if it does not exist.
     *
     * @throws PluginException if it has no name, or was not created for the pod
     */
    Optional<PersistentVolumeClaim> claim(Pod pod, Volume volume) {
        String name = volume.claimName(pod);
        if (name.isEmpty()) {
            throw new PluginException("PersistentVolumeClaim had no name");
        }
        Optional<PersistentVolumeClaim> claim = claims.get(pod.namespace(), name);
        if (claim.isPresent()) {
            ClaimOwnership.problem(claim.get(), pod, volume).ifPresent(problem -> {
                throw new PluginException(problem);
            });
        }
        return claim;
    }

    /**
     * Returns the CSI volume of an in-tree volume in a pod's specification; null if the volume is none, or is not
     * migrated.
     *
     * @throws PluginException if the volume cannot be translated
     */
    static @Nullable CsiVolume ofInTreeVolume(Volume volume) {
        if (!(volume.source() instanceof InTreeVolume disk) || !CsiMigration.isMigrated(disk.type())) {
            return null;
        }
        try {
            return new CsiVolume(CsiMigration.driver(disk.type()), CsiMigration.volumeHandle(disk));
        } catch (IllegalArgumentException untranslatable) {
            throw new PluginException(
                    "converting volume(" + volume.name() + ") from inline to csi: " + untranslatable.getMessage(),
                    untranslatable);
        }
    }

    /**
     * Returns the CSI volume that a claim is bound to, or will be; null if it is none.
     *
     * @param claim the claim
     * @param hasCsiNode whether the node has a CSINode; on other nodes in-tree volumes are not migrated
     */
    @Nullable
    CsiVolume ofClaim(PersistentVolumeClaim claim, boolean hasCsiNode) {
        PersistentVolume volume = claim.volumeName().isEmpty()
                ? null
                : volumes.get("", claim.volumeName()).orElse(null);
        if (volume == null) {
            return unprovisioned(claim, hasCsiNode);
        }
        CsiVolume csiVolume = null;
        if (volume.csi().isPresent()) {
            csiVolume = new CsiVolume(
                    volume.csi().get().driver(), volume.csi().get().handle());
        } else if (hasCsiNode && volume.inTreeVolume().isPresent()) {
            csiVolume = migrated(volume, volume.inTreeVolume().get());
        }
        return csiVolume == null
                        || csiVolume.driver().isEmpty()
                        || csiVolume.handle().isEmpty()
                ? null
                : csiVolume;
    }

    private static @Nullable CsiVolume migrated(PersistentVolume volume, InTreeVolume disk) {
        if (!CsiMigration.isMigrated(disk.type())) {
            return null;
        }
        try {
            return new CsiVolume(CsiMigration.driver(disk.type()), CsiMigration.volumeHandle(volume, disk));
        } catch (IllegalArgumentException untranslatable) {
            // As in kube-scheduler, a volume that cannot be translated is not counted.
            return null;
        }
    }

    private @Nullable CsiVolume unprovisioned(PersistentVolumeClaim claim, boolean hasCsiNode) {
        if (claim.storageClassName().isEmpty()) {
            return null;
        }
        StorageClass storageClass = classes.get("", claim.storageClassName()).orElse(null);
        if (storageClass == null) {
            return null;
        }
        String provisioner = storageClass.provisioner();
        Optional<InTreeVolume.Type> inTree = CsiMigration.typeOf(provisioner);
        if (inTree.isPresent()) {
            if (!hasCsiNode || !CsiMigration.isMigrated(inTree.get())) {
                return null;
            }
            provisioner = CsiMigration.driver(inTree.get());
        }
        return provisioner.isEmpty() ? null : new CsiVolume(provisioner, UNPROVISIONED + claim.key());
    }

    /** Returns the volumes of some drivers that have a VolumeAttachment, by the name of the node. */
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
                        .ifPresent(csi -> byNode.computeIfAbsent(attachment.nodeName(), node -> new VolumeSet())
                                .add(new CsiVolume(attachment.attacher(), csi.handle())));
            }
        }
        return byNode;
    }
}
