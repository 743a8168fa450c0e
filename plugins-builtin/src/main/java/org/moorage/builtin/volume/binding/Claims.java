// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.builtin.volume.ClaimOwnership;

/** Determines the needs of a pod's claims, including the assumptions about claims and volumes. */
final class Claims {
    private final AssumeCache<PersistentVolumeClaim> claims;
    private final AssumeCache<PersistentVolume> volumes;
    private final ObjectLister<StorageClass> classes;
    private final ObjectLister<CsiNode> csiNodes;
    private final ObjectLister<CsiDriver> drivers;
    private final ObjectLister<CsiStorageCapacity> capacities;

    Claims(Handle handle) {
        claims = new AssumeCache<>(handle.cluster().lister(ObjectKind.PERSISTENT_VOLUME_CLAIM));
        volumes = new AssumeCache<>(handle.cluster().lister(ObjectKind.PERSISTENT_VOLUME));
        classes = handle.cluster().lister(ObjectKind.STORAGE_CLASS);
        csiNodes = handle.cluster().lister(ObjectKind.CSI_NODE);
        drivers = handle.cluster().lister(ObjectKind.CSI_DRIVER);
        capacities = handle.cluster().lister(ObjectKind.CSI_STORAGE_CAPACITY);
    }

    AssumeCache<PersistentVolumeClaim> claims() {
        return claims;
    }

    AssumeCache<PersistentVolume> volumes() {
        return volumes;
    }

    ObjectLister<CsiNode> csiNodes() {
        return csiNodes;
    }

    /** Returns why the claim of a volume cannot be used; empty if it can. */
    Optional<String> objectionTo(Pod pod, Volume volume) {
        Optional<String> unavailable =
                ObjectLister.anyUnavailable(claims.lister(), volumes.lister(), classes, csiNodes, drivers, capacities);
        if (unavailable.isPresent()) {
            return unavailable;
        }
        String name = volume.claimName(pod);
        boolean ephemeral = volume.source() instanceof Volume.EphemeralClaim;
        PersistentVolumeClaim claim = claims.seen(pod.namespace(), name).orElse(null);
        if (claim == null) {
            return Optional.of(
                    ephemeral
                            ? "waiting for ephemeral volume controller to create the persistentvolumeclaim \"" + name
                                    + "\""
                            : "persistentvolumeclaim \"" + name + "\" not found");
        }
        if (claim.isLost()) {
            return Optional.of("persistentvolumeclaim \"" + name + "\" bound to non-existent persistentvolume \""
                    + claim.volumeName() + "\"");
        }
        if (claim.metadata().isDeleting()) {
            return Optional.of("persistentvolumeclaim \"" + name + "\" is being deleted");
        }
        return ClaimOwnership.problem(claim, pod, volume);
    }

    /** Returns the pod's claims and their needs; empty if another component must first bind one of them. */
    Optional<PodVolumeClaims> of(Pod pod) {
        List<BoundVolume> bound = new ArrayList<>();
        boolean isVolumeGone = false;
        Map<PersistentVolumeClaim, StorageClass> classOf = new HashMap<>();
        List<PersistentVolumeClaim> delayed = new ArrayList<>();
        for (Volume volume : pod.spec().volumes()) {
            if (!volume.isClaim()) {
                continue;
            }
            PersistentVolumeClaim claim = claim(pod, volume);
            if (!claim.isBound()) {
                StorageClass storageClass = delayedClass(claim);
                if (storageClass == null) {
                    return Optional.empty();
                }
                delayed.add(claim);
                classOf.put(claim, storageClass);
            } else if (!isVolumeGone) {
                PersistentVolume found = volumes.find("", claim.volumeName()).orElse(null);
                isVolumeGone = found == null;
                if (found != null) {
                    bound.add(new BoundVolume(found));
                }
            }
        }
        return Optional.of(new PodVolumeClaims(bound, isVolumeGone, prepared(delayed, classOf), csiNodes));
    }

    /** Returns whether all claims of the pod are bound by now. */
    boolean areBound(Pod pod) {
        for (Volume volume : pod.spec().volumes()) {
            if (volume.isClaim() && !claim(pod, volume).isBound()) {
                return false;
            }
        }
        return true;
    }

    private PersistentVolumeClaim claim(Pod pod, Volume volume) {
        String name = volume.claimName(pod);
        return claims.find(pod.namespace(), name)
                .orElseThrow(() -> new PluginException("error getting PVC \"" + pod.namespace() + "/" + name
                        + "\": persistentvolumeclaims \"" + pod.namespace() + "/" + name + "\" not found"));
    }

    // The volume controller binds a claim that already names its volume, regardless of its class.
    private @Nullable StorageClass delayedClass(PersistentVolumeClaim claim) {
        String name = claim.storageClassName();
        StorageClass storageClass =
                name.isEmpty() ? null : classes.get("", name).orElse(null);
        if (storageClass != null && storageClass.volumeBindingMode().isEmpty()) {
            throw new PluginException("VolumeBindingMode not set for StorageClass \"" + name + "\"");
        }
        return storageClass != null
                        && storageClass.waitsForFirstConsumer()
                        && claim.volumeName().isEmpty()
                ? storageClass
                : null;
    }

    private List<DelayedClaim> prepared(
            List<PersistentVolumeClaim> delayed, Map<PersistentVolumeClaim, StorageClass> classOf) {
        if (delayed.isEmpty()) {
            return List.of();
        }
        Map<String, List<PersistentVolume>> volumesByClass = new HashMap<>();
        for (StorageClass storageClass : classOf.values()) {
            volumesByClass.put(storageClass.name(), new ArrayList<>());
        }
        for (PersistentVolume seen : volumes.all()) {
            List<PersistentVolume> ofClass = volumesByClass.get(seen.storageClassName());
            if (ofClass != null) {
                ofClass.add(volumes.latest(seen));
            }
        }
        List<DelayedClaim> prepared = new ArrayList<>();
        for (PersistentVolumeClaim claim : delayed) {
            StorageClass storageClass = classOf.get(claim);
            if (storageClass != null) {
                prepared.add(new DelayedClaim(
                        claim,
                        storageClass,
                        volumesByClass.getOrDefault(storageClass.name(), List.of()),
                        roomy(claim, storageClass)));
            }
        }
        return prepared;
    }

    private @Nullable List<CsiStorageCapacity> roomy(PersistentVolumeClaim claim, StorageClass storageClass) {
        boolean isTracked = claim.request().isPresent()
                && drivers.get("", storageClass.provisioner())
                        .filter(CsiDriver::storageCapacity)
                        .isPresent();
        if (!isTracked) {
            return null;
        }
        long size = claim.request().orElseThrow().value();
        List<CsiStorageCapacity> roomy = new ArrayList<>();
        for (CsiStorageCapacity capacity : capacities.all()) {
            if (capacity.nodeTopology().isPresent()
                    && capacity.storageClassName().equals(storageClass.name())
                    && capacity.volumeLimit()
                            .filter(limit -> limit.value() >= size)
                            .isPresent()) {
                roomy.add(capacity);
            }
        }
        roomy.sort(Comparator.comparing(CsiStorageCapacity::key));
        return List.copyOf(roomy);
    }
}
