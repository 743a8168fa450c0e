// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.controllers;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.builtin.VolumeWriter;

/**
 * The controllers of an in-memory cluster that act on a scheduler's decisions: the volume controller and the resource
 * claim controller of kube-controller-manager, and the external provisioner of each storage driver. Simulations and
 * what-if questions finish placements with them, so that both see the same volumes, claims and capacities after each
 * pod.
 *
 * <p>They act during the call that gives them a reason to. A claim that does not wait for a pod is bound to the volume
 * that suits it best, or to a provisioned one; a claim whose node is selected gets a provisioned volume. Provisioning
 * lowers the storage capacity that a driver publishes; without capacity, the claim loses its selected node.
 *
 * <p>The methods are called with the monitor of the table held; the two writers take it themselves.
 */
public final class ClusterControllers {
    /** The kinds whose changes may let other claims be bound. */
    private static final Set<ObjectKind<?>> KINDS_OF_BINDING = Set.of(
            ObjectKind.PERSISTENT_VOLUME,
            ObjectKind.STORAGE_CLASS,
            ObjectKind.CSI_STORAGE_CAPACITY,
            ObjectKind.CSI_NODE);

    private final VolumeController volumeController;
    private final ControlledResourceClaims resourceClaims;

    /** Creates the controllers of a cluster. */
    public ClusterControllers(ObjectTable objects) {
        Objects.requireNonNull(objects, "objects");
        volumeController = new VolumeController(objects);
        resourceClaims = new ControlledResourceClaims(objects);
    }

    /**
     * Returns the writer of volumes and their claims. Each write is completed by the volume controller and the
     * provisioner.
     */
    public VolumeWriter volumes() {
        return volumeController;
    }

    /** Returns the writer of resource claims. */
    public ResourceClaimWriter resourceClaims() {
        return resourceClaims;
    }

    /**
     * Makes new volumes available, and binds all claims that do not wait for a pod and have a volume or a provisioner.
     */
    public void bindClaims() {
        volumeController.bindClaims();
    }

    /** Reacts to an object that was added or changed. */
    public void applied(ClusterObject object) {
        if (object instanceof PersistentVolumeClaim claim) {
            volumeController.syncClaim(claim);
        } else if (KINDS_OF_BINDING.contains(ObjectKind.of(object))) {
            volumeController.bindClaims();
        }
    }

    /** Reacts to objects that were added or changed together: binds their claims in one pass. */
    public void applied(Collection<? extends ClusterObject> objects) {
        if (objects.size() == 1) {
            applied(objects.iterator().next());
        } else if (objects.stream().anyMatch(ClusterControllers::affectsClaims)) {
            volumeController.bindClaims();
        }
    }

    private static boolean affectsClaims(ClusterObject object) {
        return object instanceof PersistentVolumeClaim || KINDS_OF_BINDING.contains(ObjectKind.of(object));
    }

    /** Reacts to an object that was deleted: releases the claims of a pod or a group of pods. */
    public void deleted(ClusterObject object) {
        if (object instanceof Pod pod) {
            podsDeleted(List.of(pod));
        } else if (object instanceof PodGroup group) {
            resourceClaims.release(Set.of(ResourceClaim.Consumer.of(group)), group.namespace());
        }
    }

    /**
     * Reacts to pods that were deleted. Their ephemeral claims are deleted, and with these the volumes that were
     * provisioned for them; so are the resource claims that were created for them. Other resource claims are no longer
     * reserved for them, and lose their allocation if nothing else uses them.
     */
    public void podsDeleted(Collection<Pod> pods) {
        volumeController.deleteEphemeralClaims(pods);
        resourceClaims.release(pods);
    }
}
