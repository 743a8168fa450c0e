// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PodEvent;
import org.moorage.api.plugin.ResourceClaimWriter;

/** Writes the allocations and reservations of claims to the cluster, and removes them. */
final class ClaimBinder {
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

    private final Handle handle;
    private final ResourceClaimWriter writer;
    private final ClaimTracker tracker;
    private final InstantSource clock;
    private final Duration bindingTimeout;
    private final DeviceFeatures features;

    ClaimBinder(Handle handle, ClaimTracker tracker, Duration bindingTimeout, DeviceFeatures features) {
        this.handle = handle;
        writer = handle.writer().resourceClaims();
        this.tracker = tracker;
        clock = handle.clock();
        this.bindingTimeout = bindingTimeout;
        this.features = features;
    }

    /**
     * Reserves a claim for a pod, and allocates it if it is not allocated. The allocation is not in flight afterwards, whatever
     * came of it.
     *
     * @param claim the claim
     * @param allocation the allocation; empty if the claim is allocated
     * @param pod the pod
     * @return the claim as it was written
     * @throws IllegalStateException if the claim is not as it was in PreFilter, or a write fails
     */
    ResourceClaim bind(ResourceClaim claim, Optional<DeviceAllocation> allocation, Pod pod) {
        try {
            ResourceClaim current = tracker.get(claim.namespace(), claim.name()).orElse(claim);
            if (current.metadata().isDeleting()) {
                throw new IllegalStateException("claim " + claim.key() + " got deleted in the meantime");
            }
            if (allocation.isPresent() && current.allocation().isPresent()) {
                throw new IllegalStateException("claim " + claim.key() + " got allocated elsewhere in the meantime");
            }
            if (allocation.isEmpty() && current.allocation().isEmpty()) {
                throw new IllegalStateException("claim " + claim.key() + " got deallocated elsewhere in the meantime");
            }
            ResourceClaim bound =
                    allocation.isPresent() ? allocate(current, allocation.get(), pod) : reserve(current, pod);
            tracker.assume(bound);
            return bound;
        } finally {
            tracker.removeInFlightAllocation(claim.metadata().uid());
        }
    }

    private ResourceClaim allocate(ResourceClaim claim, DeviceAllocation allocation, Pod pod) {
        ResourceClaim withFinalizer = claim.finalizers().contains(ResourceClaim.FINALIZER)
                ? claim
                : write("add finalizer to claim " + claim.key(), () -> writer.addFinalizer(claim));
        // The binding timeout starts at this time.
        DeviceAllocation timed = features.bindingConditions() ? allocation.at(clock.instant()) : allocation;
        return write(
                "add allocation and reservation to claim " + claim.key(),
                () -> writer.allocate(withFinalizer, timed, pod));
    }

    private ResourceClaim reserve(ResourceClaim claim, Pod pod) {
        return write("add reservation to claim " + claim.key(), () -> writer.reserve(claim, pod));
    }

    private static ResourceClaim write(String what, Supplier<ResourceClaim> request) {
        try {
            return request.get();
        } catch (ClusterException failed) {
            throw new IllegalStateException(what + ": " + failed.getMessage(), failed);
        }
    }

    /**
     * Creates the claim for the extended resources of a pod.
     *
     * @param inMemory the claim with its requests
     * @throws IllegalStateException if the write fails
     */
    ResourceClaim create(ResourceClaim inMemory, Pod pod) {
        return write(
                "create claim for extended resources " + inMemory.key(),
                () -> writer.createForExtendedResources(pod, inMemory.requests()));
    }

    /**
     * Says in the status of a pod which claim is for its extended resources.
     *
     * @throws IllegalStateException if the write fails
     */
    void patchExtendedResourceClaimStatus(
            Pod pod, ResourceClaim claim, List<PodStatus.ContainerExtendedResourceRequest> mappings) {
        try {
            handle.writer()
                    .patchExtendedResourceClaimStatus(
                            pod, new PodStatus.ExtendedResourceClaimStatus(claim.name(), mappings));
        } catch (ClusterException failed) {
            throw new IllegalStateException(
                    "update pod " + pod.key() + " ExtendedResourceClaimStatus: " + failed.getMessage(), failed);
        }
    }

    /**
     * Says in the status of a pod what its claims take of the allocatable resources of its node.
     *
     * @throws IllegalStateException if the write fails
     */
    void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses) {
        try {
            handle.writer().patchNodeAllocatableResourceClaimStatuses(pod, statuses);
        } catch (ClusterException failed) {
            throw new IllegalStateException(
                    "updating pod " + pod.key() + " NodeAllocatableResourceClaimStatuses: " + failed.getMessage(),
                    failed);
        }
    }

    /**
     * Waits for the binding conditions of the devices of claims.
     *
     * @throws IllegalStateException if the binding timeout passes, or a device fails
     */
    void awaitBindingConditions(List<ResourceClaim> bound, Pod pod, String nodeName) {
        handle.writer()
                .report(new PodEvent(
                        pod,
                        Optional.empty(),
                        PodEvent.NORMAL,
                        "BindingConditionsPending",
                        "Scheduling",
                        "waiting for binding conditions for device on node " + nodeName));
        Instant end = clock.instant().plus(bindingTimeout);
        // The polls are counted, too, since the clock of a simulation may stand still.
        for (long polls = bindingTimeout.dividedBy(POLL_INTERVAL); !areReady(bound); polls--) {
            if (polls <= 0 || !clock.instant().plus(POLL_INTERVAL).isBefore(end)) {
                throw new IllegalStateException("device binding timeout: context deadline exceeded");
            }
            handle.pause(pod, POLL_INTERVAL);
        }
    }

    private boolean areReady(List<ResourceClaim> bound) {
        for (ResourceClaim known : bound) {
            ResourceClaim claim = tracker.get(known.namespace(), known.name()).orElse(known);
            switch (DeviceBindingState.of(claim)) {
                case READY -> {}
                case FAILED -> throw new IllegalStateException(DeviceBindingState.failure(claim));
                case PENDING -> {
                    if (DeviceBindingState.isTimedOut(claim, bindingTimeout, clock.instant())) {
                        throw new IllegalStateException("device binding timeout: claim=" + claim.name());
                    }
                    return false;
                }
            }
        }
        return true;
    }

    /** Removes a pod that is not bound from a claim, and the allocation in flight, if there is one. */
    void unbind(ResourceClaim claim, Pod pod) {
        if (tracker.removeInFlightAllocation(claim.metadata().uid())) {
            tracker.restore(claim);
        }
        if (claim.allocation().isPresent() && claim.isReservedFor(pod)) {
            writer.unreserve(claim, pod);
        }
    }

    /** Removes the allocation of a claim. */
    void deallocate(ResourceClaim claim) {
        writer.deallocate(claim);
        tracker.restore(claim);
    }

    /** Deletes a claim for extended resources. It may have a finalizer that is not known here, if a write failed after that. */
    void delete(ResourceClaim claim) {
        writer.removeFinalizer(claim);
        handle.writer().delete(ObjectKind.RESOURCE_CLAIM, claim.namespace(), claim.name());
        tracker.restore(claim);
    }
}
