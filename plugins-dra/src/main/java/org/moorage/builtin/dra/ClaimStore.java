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
 * The claims of the pod of a cycle, as they were in PreFilter: those that the pod names, in order, and last the claim for its
 * extended resources, if there is one. Immutable.
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
     * Claims as the cluster has them.
     *
     * @param userClaims those that the pod names
     * @param consumers who each of them is to be reserved for; empty if all are for the pod
     * @param extendedResourceClaim the one for its extended resources
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

    /** The same claims, some of which have got an allocation for another pod of the group that is tried. */
    ClaimStore withPending(Map<Integer, DeviceAllocation> allocations) {
        return new ClaimStore(this, allocations);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** All claims. */
    List<ResourceClaim> all() {
        return all;
    }

    /** Whether the pod names a claim. */
    boolean hasUserClaims() {
        return all.size() > (extendedResourceClaim.isPresent() ? 1 : 0);
    }

    /** The claim for the extended resources of the pod. */
    Optional<ResourceClaim> extendedResourceClaim() {
        return extendedResourceClaim;
    }

    /** Whether the claim of that index in {@link #all} is the one for extended resources. */
    boolean isExtendedResourceClaim(int index) {
        return extendedResourceClaim.isPresent() && index == all.size() - 1;
    }

    /** The indexes in {@link #all} of the claims that are not allocated in the cluster. */
    List<Integer> toAllocate() {
        return toAllocate;
    }

    /** The allocation that the claim of that index has got for another pod of the group that is tried, and that is not written yet. */
    Optional<DeviceAllocation> pendingAllocation(int index) {
        return pending.isEmpty() ? Optional.empty() : Optional.ofNullable(pending.get(index));
    }

    /** The allocations of {@link #toAllocate}, in order, given those of the claims that have not got such an allocation. */
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

    /** How many claims have got such an allocation. */
    int pendingCount() {
        return pending.size();
    }

    /** The allocation of the claim of that index: in the cluster, or for another pod of the group that is tried. */
    Optional<DeviceAllocation> allocation(int index) {
        Optional<DeviceAllocation> allocation = all.get(index).allocation();
        return allocation.isPresent() ? allocation : pendingAllocation(index);
    }

    /** Who the claim of that index is to be reserved for. */
    ResourceClaim.Consumer consumer(int index, Pod pod) {
        return index < consumers.size() ? consumers.get(index) : ResourceClaim.Consumer.of(pod);
    }
}
