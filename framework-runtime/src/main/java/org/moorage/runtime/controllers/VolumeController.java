// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.controllers;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.builtin.VolumeWriter;

/**
 * Binds the volumes and claims of an in-memory cluster, as far as a scheduler notices: the volume controller of
 * kube-controller-manager, and its garbage collector for ephemeral claims. It completes the writes of the scheduler.
 * Guarded by the monitor of the table.
 */
final class VolumeController implements VolumeWriter {
    private static final String YES = "yes";
    private static final String PENDING = "Pending";
    private static final String RELEASED = "Released";

    /**
     * As kube-controller-manager prefers volumes: those with the fewest access modes, then pre-bound ones, then the
     * smallest.
     */
    private static final Comparator<PersistentVolume> BEST_FIRST = Comparator.comparingInt((PersistentVolume volume) ->
                    Set.copyOf(volume.accessModes()).size())
            .thenComparing(volume -> new TreeSet<>(volume.accessModes()).toString())
            .thenComparing(volume -> volume.claim().isEmpty())
            .thenComparing(volume -> volume.claim().isEmpty() ? volume.capacity() : Quantity.ZERO)
            .thenComparing(PersistentVolume::name);

    private final ObjectTable objects;
    private final VolumeProvisioner provisioner;

    VolumeController(ObjectTable objects) {
        this.objects = objects;
        provisioner = new VolumeProvisioner(objects);
    }

    @Override
    public PersistentVolume bind(PersistentVolume volume, PersistentVolumeClaim claim) {
        synchronized (objects) {
            PersistentVolume bound = objects.update(
                    objects.unchanged(ObjectKind.PERSISTENT_VOLUME, volume).boundTo(claim));
            completeBinding(bound);
            return bound;
        }
    }

    @Override
    public PersistentVolumeClaim selectNode(PersistentVolumeClaim claim, String nodeName) {
        synchronized (objects) {
            PersistentVolumeClaim selected = objects.update(
                    objects.unchanged(ObjectKind.PERSISTENT_VOLUME_CLAIM, claim).withSelectedNode(nodeName));
            provisionForSelectedNode(selected);
            return selected;
        }
    }

    // Both become bound, the volume and the claim that it refers to.
    private void completeBinding(PersistentVolume volume) {
        volume.claim()
                .flatMap(reference -> objects.find(
                        ObjectKind.PERSISTENT_VOLUME_CLAIM, reference.namespace() + "/" + reference.name()))
                .filter(claim -> volume.claim().orElseThrow().refersTo(claim) && !claim.isBound())
                .ifPresent(claim -> {
                    objects.update(
                            volume.toBuilder().phase(PersistentVolume.BOUND).build());
                    bindClaim(claim, volume.name());
                });
    }

    private void bindClaim(PersistentVolumeClaim claim, String volumeName) {
        ObjectMeta metadata = claim.metadata().withAnnotation(PersistentVolumeClaim.BIND_COMPLETED, YES);
        if (claim.volumeName().isEmpty()) {
            metadata = metadata.withAnnotation(PersistentVolume.BOUND_BY_CONTROLLER, YES);
        }
        objects.update(claim.toBuilder()
                .metadata(metadata)
                .volumeName(volumeName)
                .phase(PersistentVolume.BOUND)
                .build());
    }

    // Provisions a volume for a claim whose node is selected, and binds the claim to it.
    private void provisionForSelectedNode(PersistentVolumeClaim claim) {
        StorageClass storageClass = provisionedClass(claim);
        String nodeName = claim.selectedNode().orElse("");
        if (storageClass == null || nodeName.isEmpty()) {
            return;
        }
        Optional<PersistentVolume> volume = provisioner.provision(claim, storageClass, nodeName);
        PersistentVolumeClaim handled = provisioner.handledBy(claim, storageClass);
        if (volume.isPresent()) {
            bindClaim(handled, volume.get().name());
        } else {
            objects.update(handled.withMetadata(withoutSelectedNode(handled.metadata())));
        }
    }

    // A provisioner rejects a node in this way.
    private static ObjectMeta withoutSelectedNode(ObjectMeta metadata) {
        Map<String, String> annotations = new HashMap<>(metadata.annotations());
        annotations.remove(PersistentVolumeClaim.SELECTED_NODE);
        return metadata.toBuilder().annotations(annotations).build();
    }

    private @Nullable StorageClass provisionedClass(PersistentVolumeClaim claim) {
        return claim.isBound()
                ? null
                : objects.find(ObjectKind.STORAGE_CLASS, claim.storageClassName())
                        .filter(StorageClass::hasProvisioner)
                        .orElse(null);
    }

    /**
     * Makes new volumes available, and binds all claims that do not wait for a pod and have a volume or a provisioner.
     */
    void bindClaims() {
        makeVolumesAvailable();
        Map<String, TopologySegments> segmentsByDriver = new HashMap<>();
        List<PersistentVolumeClaim> unbound = new ArrayList<>();
        for (PersistentVolumeClaim claim : objects.all(ObjectKind.PERSISTENT_VOLUME_CLAIM)) {
            if (isToBeBound(claim)) {
                unbound.add(claim);
            }
        }
        // kube-controller-manager works through them in any order.
        unbound.sort(Comparator.comparing(PersistentVolumeClaim::key));
        unbound.forEach(claim -> syncUnboundClaim(claim, segmentsByDriver));
    }

    /** Binds a claim, if it does not wait for a pod and there is a volume or a provisioner for it. */
    void syncClaim(PersistentVolumeClaim claim) {
        if (isToBeBound(claim)) {
            makeVolumesAvailable();
            syncUnboundClaim(claim, new HashMap<>());
        }
    }

    private static boolean isToBeBound(PersistentVolumeClaim claim) {
        return !claim.isBound() && !claim.isLost() && !claim.metadata().isDeleting();
    }

    private void makeVolumesAvailable() {
        for (PersistentVolume volume : objects.all(ObjectKind.PERSISTENT_VOLUME)) {
            boolean isUnbound =
                    volume.claim().filter(claim -> !claim.uid().isEmpty()).isEmpty();
            if (isUnbound && (volume.phase().isEmpty() || volume.phase().equals(PENDING))) {
                objects.update(
                        volume.toBuilder().phase(PersistentVolume.AVAILABLE).build());
            }
        }
    }

    private void syncUnboundClaim(PersistentVolumeClaim claim, Map<String, TopologySegments> segmentsByDriver) {
        boolean isDelayed = objects.find(ObjectKind.STORAGE_CLASS, claim.storageClassName())
                .filter(StorageClass::waitsForFirstConsumer)
                .isPresent();
        PersistentVolume volume = claim.volumeName().isEmpty() ? bestMatch(claim, isDelayed) : requestedVolume(claim);
        if (volume != null) {
            bindUnbound(volume, claim);
        } else if (claim.volumeName().isEmpty()) {
            if (isDelayed) {
                provisionForSelectedNode(claim);
            } else {
                provisionAnywhere(claim, segmentsByDriver);
            }
        }
    }

    private void bindUnbound(PersistentVolume volume, PersistentVolumeClaim claim) {
        objects.update(
                volume.boundTo(claim).toBuilder().phase(PersistentVolume.BOUND).build());
        bindClaim(claim, volume.name());
    }

    // The volume that a claim names.
    private @Nullable PersistentVolume requestedVolume(PersistentVolumeClaim claim) {
        return objects.find(ObjectKind.PERSISTENT_VOLUME, claim.volumeName())
                .filter(volume -> volume.claim()
                                .filter(reference -> reference.refersTo(claim))
                                .isPresent()
                        || volume.canSatisfy(claim)
                                && volume.storageClassName().equals(claim.storageClassName())
                                && volume.accessModes().containsAll(claim.accessModes()))
                .orElse(null);
    }

    // Claims that wait for a pod are only bound to volumes that are reserved for them.
    private @Nullable PersistentVolume bestMatch(PersistentVolumeClaim claim, boolean isDelayed) {
        PersistentVolume best = null;
        for (PersistentVolume volume : objects.all(ObjectKind.PERSISTENT_VOLUME)) {
            boolean isKept = volume.claim().isPresent() && volume.accessModes().containsAll(claim.accessModes());
            boolean isFree = !isDelayed
                    && volume.claim().isEmpty()
                    && volume.storageClassName().equals(claim.storageClassName())
                    && volume.isAvailableFor(claim);
            if ((isKept || isFree)
                    && volume.canSatisfy(claim)
                    && (best == null || BEST_FIRST.compare(volume, best) < 0)) {
                best = volume;
            }
        }
        return best;
    }

    private void provisionAnywhere(PersistentVolumeClaim claim, Map<String, TopologySegments> segmentsByDriver) {
        StorageClass storageClass = provisionedClass(claim);
        if (storageClass != null) {
            TopologySegments segments =
                    segmentsByDriver.computeIfAbsent(storageClass.provisioner(), provisioner::segments);
            provisioner
                    .provision(claim, storageClass, segments)
                    .ifPresent(volume -> bindClaim(provisioner.handledBy(claim, storageClass), volume.name()));
        }
    }

    /**
     * Deletes the ephemeral claims of deleted pods, and the volumes that were provisioned for them; other volumes that
     * they were bound to are released.
     */
    void deleteEphemeralClaims(Collection<Pod> pods) {
        boolean isAnyDeleted = false;
        for (Pod pod : pods) {
            isAnyDeleted |= deleteEphemeralClaims(pod);
        }
        if (isAnyDeleted) {
            bindClaims();
        }
    }

    private boolean deleteEphemeralClaims(Pod pod) {
        boolean isAnyDeleted = false;
        for (Volume volume : pod.spec().volumes()) {
            if (volume.source() instanceof Volume.EphemeralClaim) {
                Optional<PersistentVolumeClaim> claim = objects.find(
                                ObjectKind.PERSISTENT_VOLUME_CLAIM, pod.namespace() + "/" + volume.claimName(pod))
                        .filter(found -> found.isCreatedFor(pod));
                claim.ifPresent(this::delete);
                isAnyDeleted |= claim.isPresent();
            }
        }
        return isAnyDeleted;
    }

    private void delete(PersistentVolumeClaim claim) {
        objects.remove(ObjectKind.PERSISTENT_VOLUME_CLAIM, claim.key());
        objects.find(ObjectKind.PERSISTENT_VOLUME, claim.volumeName()).ifPresent(volume -> {
            if (!provisioner.delete(volume)) {
                objects.update(volume.toBuilder().phase(RELEASED).build());
            }
        });
    }
}
