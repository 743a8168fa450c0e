// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.util.List;
import java.util.Optional;
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
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.ClusterWriter;
import org.moorage.api.plugin.MergePatch;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.PodEvent;
import org.moorage.api.plugin.ResourceClaimWriter;
import org.moorage.api.plugin.VolumeWriter;

/** The cluster is only asked about: plugins may be made with this writer, but each change is refused. */
public final class FrozenWriter implements ClusterWriter, VolumeWriter, ResourceClaimWriter {
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

    @Override
    public void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus status) {
        throw refused("patch pod " + pod.key());
    }

    @Override
    public void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses) {
        throw refused("patch pod " + pod.key());
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

    @Override
    public void delete(ObjectKind<?> kind, String namespace, String name) {
        throw refused("delete " + kind.kind() + " " + name);
    }

    @Override
    public void report(PodEvent event) {
        // There is nobody to tell.
    }

    @Override
    public PersistentVolume bind(PersistentVolume volume, PersistentVolumeClaim claim) {
        throw refused("bind volume " + volume.key());
    }

    @Override
    public PersistentVolumeClaim selectNode(PersistentVolumeClaim claim, String nodeName) {
        throw refused("patch claim " + claim.key());
    }

    @Override
    public ResourceClaim createForExtendedResources(Pod pod, List<DeviceRequest> requests) {
        throw refused("create a resource claim for pod " + pod.key());
    }

    @Override
    public ResourceClaim addFinalizer(ResourceClaim claim) {
        throw refusedClaim(claim);
    }

    @Override
    public ResourceClaim removeFinalizer(ResourceClaim claim) {
        throw refusedClaim(claim);
    }

    @Override
    public ResourceClaim allocate(ResourceClaim claim, DeviceAllocation allocation, ResourceClaim.Consumer consumer) {
        throw refusedClaim(claim);
    }

    @Override
    public ResourceClaim reserve(ResourceClaim claim, ResourceClaim.Consumer consumer) {
        throw refusedClaim(claim);
    }

    @Override
    public ResourceClaim unreserve(ResourceClaim claim, ResourceClaim.Consumer consumer) {
        throw refusedClaim(claim);
    }

    @Override
    public ResourceClaim deallocate(ResourceClaim claim) {
        throw refusedClaim(claim);
    }

    private static ClusterException refusedClaim(ResourceClaim claim) {
        return refused("change resource claim " + claim.key());
    }
}
