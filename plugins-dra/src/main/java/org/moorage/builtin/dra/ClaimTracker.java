// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.StateKey;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.ObjectLister;

/**
 * The claims as the cluster has them or as the scheduler assumes them, and the allocations that are in flight: no device is
 * allocated again between Reserve and the time when the scheduler sees the allocation in the cluster. One for all profiles. Safe for
 * use by several threads.
 */
final class ClaimTracker {
    /** The key under which all profiles share it. */
    static final StateKey<ClaimTracker> KEY = StateKey.of("DynamicResources/claims");

    private final ObjectLister<ResourceClaim> claims;

    // By uid: allocated in Reserve, and not written to the cluster yet.
    @GuardedBy("this")
    private final Map<String, ResourceClaim> inFlightAllocations = new HashMap<>();

    // By key: written to the cluster, and not seen there yet.
    @GuardedBy("this")
    private final Map<String, ResourceClaim> assumed = new HashMap<>();

    ClaimTracker(ObjectLister<ResourceClaim> claims) {
        this.claims = claims;
    }

    /** The claim of that name, or empty. */
    synchronized Optional<ResourceClaim> get(String namespace, String name) {
        return claims.get(namespace, name).map(this::latest);
    }

    /** The claims of a namespace. */
    synchronized List<ResourceClaim> in(String namespace) {
        List<ResourceClaim> found = new ArrayList<>();
        for (ResourceClaim claim : claims.in(namespace)) {
            found.add(latest(claim));
        }
        return found;
    }

    @GuardedBy("this")
    private ResourceClaim latest(ResourceClaim observed) {
        ResourceClaim ours = assumed.get(observed.key());
        if (ours == null) {
            return observed;
        }
        if (!ours.metadata().uid().equals(observed.metadata().uid())
                || observed.allocation().isPresent()
                || isNewer(observed, ours)) {
            assumed.remove(observed.key());
            return observed;
        }
        return ours;
    }

    // Resource versions are numbers that only grow.
    private static boolean isNewer(ResourceClaim observed, ResourceClaim ours) {
        String first = observed.metadata().resourceVersion();
        String second = ours.metadata().resourceVersion();
        return first.length() != second.length() ? first.length() > second.length() : first.compareTo(second) >= 0;
    }

    /** All devices that are allocated, or whose allocation is in flight. */
    synchronized AllocatedState gatherAllocatedState(DeviceFeatures features) {
        AllocatedState state = new AllocatedState(features);
        for (ResourceClaim claim : claims.all()) {
            latest(claim).allocation().ifPresent(state::add);
        }
        for (ResourceClaim claim : assumed.values()) {
            if (claims.get(claim.namespace(), claim.name()).isEmpty()) {
                claim.allocation().ifPresent(state::add);
            }
        }
        for (ResourceClaim claim : inFlightAllocations.values()) {
            claim.allocation().ifPresent(state::add);
        }
        return state;
    }

    /** Whether the allocation of a claim is in flight. */
    synchronized boolean hasInFlightAllocation(ResourceClaim claim) {
        return inFlightAllocations.containsKey(claim.metadata().uid());
    }

    /** Adds an allocation that is in flight from now on. */
    synchronized void addInFlightAllocation(ResourceClaim allocated) {
        inFlightAllocations.put(allocated.metadata().uid(), allocated);
    }

    /** Removes the allocation in flight of the claim with this uid; false if there was none. */
    synchronized boolean removeInFlightAllocation(String uid) {
        return inFlightAllocations.remove(uid) != null;
    }

    /** Assumes a claim as it was written to the cluster, until the scheduler sees it there. */
    synchronized void assume(ResourceClaim claim) {
        assumed.put(claim.key(), claim);
    }

    /** Goes back to a claim as the cluster has it. */
    synchronized void restore(ResourceClaim claim) {
        assumed.remove(claim.key());
    }
}
