// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.ResourceClaim;

/**
 * The claims of the pod of a cycle, as they were in PreFilter: those that the pod names, in order, and last the claim for its
 * extended resources, if there is one. Immutable.
 */
final class ClaimStore {
    static final ClaimStore EMPTY = new ClaimStore(List.of(), Optional.empty());

    private final List<ResourceClaim> all;
    private final Optional<ResourceClaim> extendedResourceClaim;
    private final List<Integer> toAllocate;

    ClaimStore(List<ResourceClaim> userClaims, Optional<ResourceClaim> extendedResourceClaim) {
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

    /** The indexes in {@link #all} of the claims that are not allocated. */
    List<Integer> toAllocate() {
        return toAllocate;
    }
}
