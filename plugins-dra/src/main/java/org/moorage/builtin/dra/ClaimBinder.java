// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.PodEvent;

/** Writes the allocations and reservations of claims to the cluster, and removes them. */
final class ClaimBinder {
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);
    private static final int MOST_TRIES = 5;

    private final Handle handle;
    private final ResourceClaimWriter writer;
    private final ClaimTracker tracker;
    private final InstantSource clock;
    private final InstantSource monotonicClock;
    private final Duration bindingTimeout;
    private final DeviceFeatures features;
    private final PendingUnreserves undone;

    ClaimBinder(Handle handle, ClaimTracker tracker, Duration bindingTimeout, DeviceFeatures features) {
        this.handle = handle;
        writer = handle.cluster().writer().resourceClaims();
        this.tracker = tracker;
        clock = handle.clock();
        monotonicClock = handle.monotonicClock();
        this.bindingTimeout = bindingTimeout;
        this.features = features;
        undone = handle.shared(PendingUnreserves.KEY, () -> new PendingUnreserves(handle, tracker));
    }

    /**
     * Reserves a claim for a pod or its group, and allocates it if it is not allocated. The allocation stays in flight;
     * if the outcome of its write is unknown, it is {@linkplain ClaimTracker#isUncertain uncertain}. If several pods
     * will use the allocation, each of them may be the one for which it is written.
     *
     * @param claim the claim
     * @param allocation the allocation; empty if the claim is allocated
     * @param consumer the pod or its group
     * @param pod the pod
     * @return the claim as it was written
     * @throws PluginException if the claim is not as it was in PreFilter, or a write fails
     */
    ResourceClaim bind(
            ResourceClaim claim, Optional<DeviceAllocation> allocation, ResourceClaim.Consumer consumer, Pod pod) {
        String uid = claim.metadata().uid();
        ResourceClaim current = tracker.get(claim.namespace(), claim.name()).orElse(claim);
        for (int tries = 1; ; tries++) {
            boolean isWrittenForOther =
                    allocation.isPresent() && tracker.isShared(uid) && hasDevices(current, allocation.get());
            Optional<DeviceAllocation> missing = isWrittenForOther ? Optional.empty() : allocation;
            demandUnchanged(current, uid, missing);
            if (missing.isEmpty() && !consumer.uid().equals(pod.uid()) && current.isReservedFor(consumer)) {
                return current;
            }
            ClaimWrite write = write(current, missing, consumer);
            if (write.failure().isEmpty()) {
                tracker.assume(write.claim());
                return write.claim();
            }
            ClusterException failure = write.failure().get();
            boolean isUnknown = failure.outcome() == ClusterException.Outcome.UNKNOWN;
            if (!isUnknown && (!failure.isConflict() || tries == MOST_TRIES)) {
                throw write.problem();
            }
            Optional<ResourceClaim> read;
            try {
                read = handle.binding().readInPreBind(pod, ObjectKind.RESOURCE_CLAIM, claim.namespace(), claim.name());
            } catch (RuntimeException unread) {
                if (isUnknown && allocation.isPresent()) {
                    tracker.markUncertain(uid, pod);
                }
                throw write.problem();
            }
            if (read.isPresent() && isWritten(read.get(), uid, allocation, consumer)) {
                tracker.assume(read.get());
                return read.get();
            }
            if (isUnknown) {
                throw write.problem();
            }
            // As kube-scheduler after a conflict.
            current = read.orElseThrow(() -> deleted(claim));
        }
    }

    private static void demandUnchanged(ResourceClaim current, String uid, Optional<DeviceAllocation> allocation) {
        if (current.metadata().isDeleting() || !current.metadata().uid().equals(uid)) {
            throw deleted(current);
        }
        if (allocation.isPresent() && current.allocation().isPresent()) {
            throw new PluginException("claim " + current.key() + " got allocated elsewhere in the meantime");
        }
        if (allocation.isEmpty() && current.allocation().isEmpty()) {
            throw new PluginException("claim " + current.key() + " got deallocated elsewhere in the meantime");
        }
    }

    private static IllegalStateException deleted(ResourceClaim claim) {
        return new PluginException("claim " + claim.key() + " got deleted in the meantime");
    }

    // Whether our write succeeded: no other client reserves a claim for the pod or its group.
    private static boolean isWritten(
            ResourceClaim claim, String uid, Optional<DeviceAllocation> allocation, ResourceClaim.Consumer consumer) {
        return claim.metadata().uid().equals(uid)
                && claim.isReservedFor(consumer)
                && (allocation.isEmpty() ? claim.allocation().isPresent() : hasDevices(claim, allocation.get()));
    }

    /** Returns whether a claim is allocated the devices of this allocation. */
    static boolean hasDevices(ResourceClaim claim, DeviceAllocation allocation) {
        return claim.allocation()
                .map(ClaimBinder::devices)
                .filter(devices(allocation)::equals)
                .isPresent();
    }

    private record AllocatedDevice(String request, DeviceId device, String shareId) {}

    private static List<AllocatedDevice> devices(DeviceAllocation allocation) {
        return allocation.results().stream()
                .map(result -> new AllocatedDevice(result.request(), DeviceId.of(result), result.shareId()))
                .toList();
    }

    /** The result of the requests for one claim, with the claim as the last successful request left it. */
    private record ClaimWrite(String what, ResourceClaim claim, Optional<ClusterException> failure) {
        IllegalStateException problem() {
            ClusterException cause = failure.orElseThrow();
            return new PluginException(what + ": " + cause.getMessage(), cause);
        }
    }

    private ClaimWrite write(
            ResourceClaim claim, Optional<DeviceAllocation> allocation, ResourceClaim.Consumer consumer) {
        ResourceClaim latest = claim;
        String what = "add reservation to claim " + claim.key();
        try {
            if (allocation.isEmpty()) {
                return new ClaimWrite(what, writer.reserve(claim, consumer), Optional.empty());
            }
            if (!claim.finalizers().contains(ResourceClaim.FINALIZER)) {
                what = "add finalizer to claim " + claim.key();
                latest = writer.addFinalizer(claim);
            }
            what = "add allocation and reservation to claim " + claim.key();
            // The binding timeout starts at this time.
            DeviceAllocation timed =
                    features.bindingConditions() ? allocation.get().at(clock.instant()) : allocation.get();
            return new ClaimWrite(what, writer.allocate(latest, timed, consumer), Optional.empty());
        } catch (ClusterException failed) {
            return new ClaimWrite(what, latest, Optional.of(failed));
        }
    }

    /**
     * Creates the claim for the extended resources of a pod.
     *
     * @param inMemory the claim with its requests
     * @throws PluginException if the write fails
     */
    ResourceClaim create(ResourceClaim inMemory, Pod pod) {
        try {
            return writer.createForExtendedResources(pod, inMemory.requests());
        } catch (ClusterException failed) {
            throw new PluginException(
                    "create claim for extended resources " + inMemory.key() + ": " + failed.getMessage(), failed);
        }
    }

    /**
     * Records the claim for a pod's extended resources in the status of the pod.
     *
     * @throws PluginException if the write fails
     */
    void patchExtendedResourceClaimStatus(
            Pod pod, ResourceClaim claim, List<PodStatus.ContainerExtendedResourceRequest> mappings) {
        try {
            handle.cluster()
                    .writer()
                    .patchExtendedResourceClaimStatus(
                            pod, new PodStatus.ExtendedResourceClaimStatus(claim.name(), mappings));
        } catch (ClusterException failed) {
            throw new PluginException(
                    "update pod " + pod.key() + " ExtendedResourceClaimStatus: " + failed.getMessage(), failed);
        }
    }

    /**
     * Records the node-allocatable resources that a pod's claims take in the status of the pod.
     *
     * @throws PluginException if the write fails
     */
    void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses) {
        try {
            handle.cluster().writer().patchNodeAllocatableResourceClaimStatuses(pod, statuses);
        } catch (ClusterException failed) {
            throw new PluginException(
                    "updating pod " + pod.key() + " NodeAllocatableResourceClaimStatuses: " + failed.getMessage(),
                    failed);
        }
    }

    /**
     * Waits for the binding conditions of the devices of claims.
     *
     * @throws PluginException if the binding timeout passes, or a device fails
     */
    void awaitBindingConditions(List<ResourceClaim> bound, Pod pod, String nodeName) {
        handle.cluster()
                .writer()
                .report(PodEvent.normal(
                        pod,
                        "BindingConditionsPending",
                        "Scheduling",
                        "waiting for binding conditions for device on node " + nodeName));
        Instant end = monotonicClock.instant().plus(bindingTimeout);
        // The polls are counted, too, since the clock of a simulation may stand still.
        for (long polls = bindingTimeout.dividedBy(POLL_INTERVAL); !areReady(bound); polls--) {
            if (polls <= 0 || !monotonicClock.instant().plus(POLL_INTERVAL).isBefore(end)) {
                throw new PluginException("device binding timeout: context deadline exceeded");
            }
            handle.binding().pause(pod, POLL_INTERVAL);
        }
    }

    private boolean areReady(List<ResourceClaim> bound) {
        for (ResourceClaim known : bound) {
            if (ExtendedResources.isInMemory(known)) {
                // The node offers the extended resources itself, so the claim was not created. kube-scheduler still
                // looks it up, and fails.
                throw new PluginException("could not find ResourceClaim \"" + known.key() + "\"");
            }
            ResourceClaim claim = tracker.get(known.namespace(), known.name()).orElse(known);
            switch (DeviceBindingState.of(claim)) {
                case READY -> {}
                case FAILED -> throw new PluginException(DeviceBindingState.failure(claim));
                case PENDING -> {
                    if (DeviceBindingState.isTimedOut(claim, bindingTimeout, clock.instant())) {
                        throw new PluginException("device binding timeout: claim=" + claim.name());
                    }
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Cancels the undo that an earlier attempt of the pod left pending for the claim, if there is one. Returns whether
     * the pod can use the claim.
     */
    boolean takeOver(ResourceClaim claim, Pod pod) {
        return undone.cancel(claim, pod);
    }

    /** Returns the result that {@link #takeOver} would return, without changing anything. */
    boolean canTakeOver(ResourceClaim claim, Pod pod) {
        return undone.canBeCancelled(claim, pod);
    }

    /**
     * Removes a pod that is not bound from a claim, and from its in-flight allocation, if there is one. A request that
     * fails, with any exception or error, is retried later. A reservation for the pod's group stays, because its other
     * pods may use it.
     *
     * @throws ClusterException if a request fails
     */
    void unbind(ResourceClaim claim, Pod pod) {
        String uid = claim.metadata().uid();
        boolean isReserved = claim.allocation().isPresent() && claim.isReservedFor(pod);
        if (tracker.isUncertain(uid, pod)) {
            undone.unreserveLater(claim, pod, false);
            return;
        }
        tracker.removeInFlightAllocation(uid, pod);
        if (!isReserved) {
            return;
        }
        boolean isOver = false;
        boolean isPerhapsDone = true;
        try {
            tracker.assume(writer.unreserve(claim, ResourceClaim.Consumer.of(pod)));
            isOver = true;
        } catch (ClusterException failed) {
            isOver = failed.isNotFound();
            isPerhapsDone = failed.outcome() == ClusterException.Outcome.UNKNOWN;
            if (!isOver) {
                throw failed;
            }
        } finally {
            if (!isOver) {
                undone.unreserveLater(claim, pod, isPerhapsDone);
            }
        }
    }

    /** Removes a group from those that a claim is reserved for. */
    void unreserve(ResourceClaim claim, PodGroup group) {
        tracker.assume(writer.unreserve(claim, ResourceClaim.Consumer.of(group)));
    }

    /** Removes the allocation of a claim. */
    void deallocate(ResourceClaim claim) {
        // The event may arrive after the next attempt, which must not find the old version of the claim.
        tracker.assume(writer.deallocate(claim));
    }

    /**
     * Deletes a claim for extended resources. The claim may have a finalizer that is unknown here, if a write failed
     * after the finalizer was added. A failed deletion is retried later.
     *
     * @throws ClusterException if a request fails
     */
    void delete(ResourceClaim claim, Pod pod) {
        boolean isDone = false;
        try {
            undone.delete(claim);
            isDone = true;
        } finally {
            if (!isDone) {
                // Its devices are in use until it is gone.
                tracker.assume(claim);
                undone.deleteLater(claim, pod);
            }
        }
    }
}
