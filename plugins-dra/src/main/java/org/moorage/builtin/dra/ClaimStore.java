// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;

/**
 * The claims of the pod of a cycle, as they were in PreFilter: those that the pod names, in order, and last the claim
 * for its extended resources, if there is one. Immutable.
 */
final class ClaimStore {
    static final ClaimStore EMPTY = new ClaimStore(List.of(), List.of(), Optional.empty());

    private final List<ResourceClaim> all;
    private final Optional<ResourceClaim> extendedResourceClaim;
    private final List<Integer> toAllocate;
    private final List<ResourceClaim.Consumer> consumers;
    // By the index of the claim.
    private final Map<Integer, DeviceAllocation> pending;

    /**
     * Creates a store of claims as they are in the cluster.
     *
     * @param userClaims the claims that the pod names
     * @param consumers the consumer to reserve each of them for; empty if all are for the pod
     * @param extendedResourceClaim the claim for the pod's extended resources
     */
    ClaimStore(
            List<ResourceClaim> userClaims,
            List<ResourceClaim.Consumer> consumers,
            Optional<ResourceClaim> extendedResourceClaim) {
        List<ResourceClaim> claims = new ArrayList<>(userClaims);
        extendedResourceClaim.ifPresent(claims::add);
        all = List.copyOf(claims);
        this.extendedResourceClaim = extendedResourceClaim;
        List<Integer> unallocated = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).allocation().isEmpty()) {
                unallocated.add(i);
            }
        }
        toAllocate = List.copyOf(unallocated);
        this.consumers = List.copyOf(consumers);
        pending = Map.of();
    }

    private ClaimStore(ClaimStore known, Map<Integer, DeviceAllocation> pending) {
        all = known.all;
        extendedResourceClaim = known.extendedResourceClaim;
        toAllocate = known.toAllocate;
        consumers = known.consumers;
        this.pending = Map.copyOf(pending);
    }

    /** Returns these claims, some with a pending allocation for another pod of the simulated group. */
    ClaimStore withPending(Map<Integer, DeviceAllocation> allocations) {
        return new ClaimStore(this, allocations);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns all claims. */
    List<ResourceClaim> all() {
        return all;
    }

    /** Returns whether the pod names a claim. */
    boolean hasUserClaims() {
        return all.size() > (extendedResourceClaim.isPresent() ? 1 : 0);
    }

    /** Returns the claim for the extended resources of the pod. */
    Optional<ResourceClaim> extendedResourceClaim() {
        return extendedResourceClaim;
    }

    /** Returns whether the claim of that index in {@link #all} is the one for extended resources. */
    boolean isExtendedResourceClaim(int index) {
        return extendedResourceClaim.isPresent() && index == all.size() - 1;
    }

    /** Returns the indexes in {@link #all} of the claims that are not allocated in the cluster. */
    List<Integer> toAllocate() {
        return toAllocate;
    }

    /**
     * Returns the pending allocation of the claim at an index: for another pod of the simulated group, not yet written.
     */
    Optional<DeviceAllocation> pendingAllocation(int index) {
        return pending.isEmpty() ? Optional.empty() : Optional.ofNullable(pending.get(index));
    }

    /** Returns the allocations of {@link #toAllocate}, in order, given those of the claims without a pending one. */
    List<DeviceAllocation> withPendingAllocations(List<DeviceAllocation> others) {
        if (pending.isEmpty()) {
            return others;
        }
        List<DeviceAllocation> allocations = new ArrayList<>(toAllocate.size());
        int next = 0;
        for (int index : toAllocate) {
            DeviceAllocation known = pending.get(index);
            allocations.add(known == null ? others.get(next++) : known);
        }
        return allocations;
    }

    /** Returns the number of claims with a pending allocation. */
    int pendingCount() {
        return pending.size();
    }

    /** Returns the allocation of the claim at an index: in the cluster, or for another pod of the simulated group. */
    Optional<DeviceAllocation> allocation(int index) {
        Optional<DeviceAllocation> allocation = all.get(index).allocation();
        return allocation.isPresent() ? allocation : pendingAllocation(index);
    }

    /** Returns the consumer to reserve the claim at an index for. */
    ResourceClaim.Consumer consumer(int index, Pod pod) {
        return index < consumers.size() ? consumers.get(index) : ResourceClaim.Consumer.of(pod);
    }
}
