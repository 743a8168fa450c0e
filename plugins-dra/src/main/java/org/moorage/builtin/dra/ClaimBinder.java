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

/** Writes to the cluster what claims are given, and takes it back. */
final class ClaimBinder {
    private static final Duration POLL_EVERY = Duration.ofSeconds(5);

    private final Handle handle;
    private final ResourceClaimWriter writer;
    private final ClaimTracker claims;
    private final InstantSource clock;
    private final Duration bindingTimeout;
    private final DeviceFeatures features;

    ClaimBinder(Handle handle, ClaimTracker claims, Duration bindingTimeout, DeviceFeatures features) {
        this.handle = handle;
        writer = handle.writer().resourceClaims();
        this.claims = claims;
        clock = handle.clock();
        this.bindingTimeout = bindingTimeout;
        this.features = features;
    }

    /**
     * Gives a pod a claim, and the claim its devices if it has none.
     *
     * @param claim the claim
     * @param given the devices; empty if the claim has them already
     * @param pod the pod
     * @return the claim as it is then
     * @throws IllegalStateException if the cluster does not take it
     */
    ResourceClaim bind(ResourceClaim claim, Optional<DeviceAllocation> given, Pod pod) {
        try {
            ResourceClaim current = claims.get(claim.namespace(), claim.name()).orElse(claim);
            if (current.metadata().isDeleting()) {
                throw new IllegalStateException("claim " + claim.key() + " got deleted in the meantime");
            }
            if (given.isPresent() && current.allocation().isPresent()) {
                throw new IllegalStateException("claim " + claim.key() + " got allocated elsewhere in the meantime");
            }
            if (given.isEmpty() && current.allocation().isEmpty()) {
                throw new IllegalStateException("claim " + claim.key() + " got deallocated elsewhere in the meantime");
            }
            ResourceClaim bound = given.isPresent() ? allocate(current, given.get(), pod) : reserve(current, pod);
            claims.wrote(bound);
            return bound;
        } finally {
            claims.settle(claim.metadata().uid());
        }
    }

    private ResourceClaim allocate(ResourceClaim claim, DeviceAllocation given, Pod pod) {
        ResourceClaim kept = claim.finalizers().contains(ResourceClaim.FINALIZER)
                ? claim
                : attempt("add finalizer to claim " + claim.key(), () -> writer.addFinalizer(claim));
        // Only where somebody waits for devices is it of use to know since when.
        DeviceAllocation dated = features.readiness() ? given.at(clock.instant()) : given;
        return attempt(
                "add allocation and reservation to claim " + claim.key(), () -> writer.allocate(kept, dated, pod));
    }

    private ResourceClaim reserve(ResourceClaim claim, Pod pod) {
        return attempt("add reservation to claim " + claim.key(), () -> writer.reserve(claim, pod));
    }

    private static ResourceClaim attempt(String what, Supplier<ResourceClaim> write) {
        try {
            return write.get();
        } catch (ClusterException failed) {
            throw new IllegalStateException(what + ": " + failed.getMessage(), failed);
        }
    }

    /** Creates the claim for the extended resources of a pod, as planned. */
    ResourceClaim create(ResourceClaim planned, Pod pod) {
        return attempt(
                "create claim for extended resources " + planned.key(),
                () -> writer.createForExtendedResources(pod, planned.requests()));
    }

    /** Tells in a pod's status which claim has its extended resources. */
    void publish(Pod pod, ResourceClaim claim, List<PodStatus.ContainerExtendedResourceRequest> mappings) {
        try {
            handle.writer()
                    .patchExtendedResourceClaimStatus(
                            pod, new PodStatus.ExtendedResourceClaimStatus(claim.name(), mappings));
        } catch (ClusterException failed) {
            throw new IllegalStateException(
                    "update pod " + pod.key() + " ExtendedResourceClaimStatus: " + failed.getMessage(), failed);
        }
    }

    /** Tells in a pod's status what its claims take of its node. */
    void publish(Pod pod, List<PodStatus.NodeResourceClaim> nodeResources) {
        try {
            handle.writer().patchNodeAllocatableResourceClaimStatuses(pod, nodeResources);
        } catch (ClusterException failed) {
            throw new IllegalStateException(
                    "updating pod " + pod.key() + " NodeAllocatableResourceClaimStatuses: " + failed.getMessage(),
                    failed);
        }
    }

    /**
     * Waits until the devices of claims are ready.
     *
     * @throws IllegalStateException if they are not within the limit, or will not be
     */
    void awaitDevices(List<ResourceClaim> bound, Pod pod, String nodeName) {
        handle.writer()
                .report(new PodEvent(
                        pod,
                        Optional.empty(),
                        PodEvent.NORMAL,
                        "BindingConditionsPending",
                        "Scheduling",
                        "waiting for binding conditions for device on node " + nodeName));
        Instant end = clock.instant().plus(bindingTimeout);
        // Counted as well as measured, so that it ends where a clock stands still.
        for (long looks = bindingTimeout.dividedBy(POLL_EVERY); !areReady(bound); looks--) {
            if (looks <= 0 || !clock.instant().plus(POLL_EVERY).isBefore(end)) {
                throw new IllegalStateException("device binding timeout: context deadline exceeded");
            }
            handle.pause(pod, POLL_EVERY);
        }
    }

    private boolean areReady(List<ResourceClaim> bound) {
        for (ResourceClaim known : bound) {
            ResourceClaim claim = claims.get(known.namespace(), known.name()).orElse(known);
            switch (Readiness.of(claim)) {
                case READY -> {}
                case FAILED -> throw new IllegalStateException(Readiness.failure(claim));
                case PENDING -> {
                    if (Readiness.isOverdue(claim, bindingTimeout, clock.instant())) {
                        throw new IllegalStateException("device binding timeout: claim=" + claim.name());
                    }
                    return false;
                }
            }
        }
        return true;
    }

    /** Takes a claim from a pod that will not use it after all. */
    void unbind(ResourceClaim claim, Pod pod) {
        if (claims.settle(claim.metadata().uid())) {
            claims.forget(claim);
        }
        if (claim.allocation().isPresent() && claim.isReservedFor(pod)) {
            writer.unreserve(claim, pod);
        }
    }

    /** Takes its devices from a claim. */
    void deallocate(ResourceClaim claim) {
        writer.deallocate(claim);
        claims.forget(claim);
    }

    /** Deletes a claim that was made for extended resources. */
    void delete(ResourceClaim claim) {
        if (claim.finalizers().contains(ResourceClaim.FINALIZER)) {
            writer.removeFinalizer(claim);
        }
        handle.writer().delete(ObjectKind.RESOURCE_CLAIM, claim.namespace(), claim.name());
        claims.forget(claim);
    }
}
