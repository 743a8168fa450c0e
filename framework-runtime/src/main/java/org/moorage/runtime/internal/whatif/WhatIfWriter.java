// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.builtin.VolumeWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.MergePatch;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.runtime.controllers.ClusterControllers;
import org.moorage.runtime.controllers.ObjectTable;

/**
 * The writer of plugins that answer what-if questions. While a pod is placed in a transaction, the placing thread may
 * change those objects of the transaction that a binding changes. Everything else is rejected: the real cluster never
 * changes.
 */
public final class WhatIfWriter implements ClusterWriter, VolumeWriter, ResourceClaimWriter {
    private volatile @Nullable Placing placing;

    private record Placing(Thread thread, ObjectTable objects, ClusterControllers controllers) {}

    /** Runs a part of a placement, which may change the objects of a transaction on this thread. */
    <T> T placing(ObjectTable objects, ClusterControllers controllers, Supplier<T> part) {
        placing = new Placing(Thread.currentThread(), objects, controllers);
        try {
            return part.get();
        } finally {
            placing = null;
        }
    }

    private Placing allowed(String what) {
        Placing current = placing;
        if (current == null || current.thread != Thread.currentThread()) {
            throw refused(what);
        }
        return current;
    }

    private static ClusterException refused(String what) {
        return ClusterException.notSent(what + ": the cluster is only asked about (expected: no change)", null);
    }

    @Override
    public void bind(Pod pod, String nodeName) {
        throw refused("bind pod " + pod.key());
    }

    @Override
    public void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        throw refused("patch pod " + pod.key());
    }

    @Override
    public void patchStatus(PodGroup group, PodCondition condition) {
        throw refused("patch pod group " + group.key());
    }

    /** {@inheritDoc} The status is not kept, since a {@link PodStatus} does not have it. */
    @Override
    public void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus status) {
        ObjectTable objects = allowed("patch pod " + pod.key()).objects;
        objects.update(objects.current(ObjectKind.POD, pod));
    }

    @Override
    public void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses) {
        ObjectTable objects = allowed("patch pod " + pod.key()).objects;
        Pod current = objects.current(ObjectKind.POD, pod);
        objects.update(current.withStatus(current.status().toBuilder()
                .nodeAllocatableResourceClaimStatuses(statuses)
                .build()));
    }

    @Override
    public void delete(Pod pod) {
        throw refused("delete pod " + pod.key());
    }

    @Override
    public VolumeWriter volumes() {
        return this;
    }

    @Override
    public ResourceClaimWriter resourceClaims() {
        return this;
    }

    @Override
    public OtherObject patch(ObjectKind<OtherObject> kind, String namespace, String name, MergePatch patch) {
        throw refused("patch " + kind.kind() + " " + name);
    }

    /** {@inheritDoc} Only claims are deleted: those that were created for the extended resources of a pod. */
    @Override
    public void delete(ObjectKind<?> kind, String namespace, String name) {
        String what = "delete " + kind.kind() + " " + name;
        if (!kind.equals(ObjectKind.RESOURCE_CLAIM)) {
            throw refused(what);
        }
        allowed(what).objects.remove(kind, namespace + "/" + name);
    }

    @Override
    public void report(PodEvent event) {
        // A question has no events.
    }

    @Override
    public PersistentVolume bind(PersistentVolume volume, PersistentVolumeClaim claim) {
        return allowed("bind volume " + volume.key()).controllers.volumes().bind(volume, claim);
    }

    @Override
    public PersistentVolumeClaim selectNode(PersistentVolumeClaim claim, String nodeName) {
        return allowed("patch claim " + claim.key()).controllers.volumes().selectNode(claim, nodeName);
    }

    @Override
    public ResourceClaim createForExtendedResources(Pod pod, List<DeviceRequest> requests) {
        return claims("create a resource claim for pod " + pod.key()).createForExtendedResources(pod, requests);
    }

    @Override
    public ResourceClaim addFinalizer(ResourceClaim claim) {
        return claimsFor(claim).addFinalizer(claim);
    }

    @Override
    public ResourceClaim removeFinalizer(ResourceClaim claim) {
        return claimsFor(claim).removeFinalizer(claim);
    }

    @Override
    public ResourceClaim allocate(ResourceClaim claim, DeviceAllocation allocation, ResourceClaim.Consumer consumer) {
        return claimsFor(claim).allocate(claim, allocation, consumer);
    }

    @Override
    public ResourceClaim reserve(ResourceClaim claim, ResourceClaim.Consumer consumer) {
        return claimsFor(claim).reserve(claim, consumer);
    }

    @Override
    public ResourceClaim unreserve(ResourceClaim claim, ResourceClaim.Consumer consumer) {
        return claimsFor(claim).unreserve(claim, consumer);
    }

    @Override
    public ResourceClaim deallocate(ResourceClaim claim) {
        return claimsFor(claim).deallocate(claim);
    }

    private ResourceClaimWriter claimsFor(ResourceClaim claim) {
        return claims("change resource claim " + claim.key());
    }

    private ResourceClaimWriter claims(String what) {
        return allowed(what).controllers.resourceClaims();
    }
}
