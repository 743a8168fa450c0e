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
 * The claims as they are and as they are about to be: between the choice of devices and the cluster's own word of it, they
 * must not be given a second time. One for all profiles. Safe for use by several threads.
 */
final class ClaimTracker {
    /** Under which the scheduler keeps it. */
    static final StateKey<ClaimTracker> KEY = StateKey.of("DynamicResources/claims");

    private final ObjectLister<ResourceClaim> claims;

    // By uid: reserved, and not written yet.
    @GuardedBy("this")
    private final Map<String, ResourceClaim> inFlight = new HashMap<>();

    // By key: written, and not seen yet.
    @GuardedBy("this")
    private final Map<String, ResourceClaim> written = new HashMap<>();

    ClaimTracker(ObjectLister<ResourceClaim> claims) {
        this.claims = claims;
    }

    /** The claim of that name, or empty. */
    synchronized Optional<ResourceClaim> get(String namespace, String name) {
        return claims.get(namespace, name).map(this::latest);
    }

    /** The claim that the scheduler made before for the extended resources of a pod. */
    synchronized List<ResourceClaim> in(String namespace) {
        List<ResourceClaim> found = new ArrayList<>();
        for (ResourceClaim claim : claims.in(namespace)) {
            found.add(latest(claim));
        }
        return found;
    }

    @GuardedBy("this")
    private ResourceClaim latest(ResourceClaim seen) {
        ResourceClaim ours = written.get(seen.key());
        if (ours == null) {
            return seen;
        }
        if (!ours.metadata().uid().equals(seen.metadata().uid())
                || seen.allocation().isPresent()
                || isNewer(seen, ours)) {
            written.remove(seen.key());
            return seen;
        }
        return ours;
    }

    // Versions are numbers that only grow.
    private static boolean isNewer(ResourceClaim seen, ResourceClaim ours) {
        String one = seen.metadata().resourceVersion();
        String other = ours.metadata().resourceVersion();
        return one.length() != other.length() ? one.length() > other.length() : one.compareTo(other) >= 0;
    }

    /** All devices that claims have or are about to have. */
    synchronized DevicesInUse devicesInUse(DeviceFeatures features) {
        DevicesInUse inUse = new DevicesInUse(features);
        for (ResourceClaim claim : claims.all()) {
            latest(claim).allocation().ifPresent(inUse::add);
        }
        for (ResourceClaim claim : written.values()) {
            if (claims.get(claim.namespace(), claim.name()).isEmpty()) {
                claim.allocation().ifPresent(inUse::add);
            }
        }
        for (ResourceClaim claim : inFlight.values()) {
            claim.allocation().ifPresent(inUse::add);
        }
        return inUse;
    }

    /** Whether a claim is about to be given devices. */
    synchronized boolean isInFlight(ResourceClaim claim) {
        return inFlight.containsKey(claim.metadata().uid());
    }

    /** A claim is about to be given devices. */
    synchronized void reserve(ResourceClaim claim) {
        inFlight.put(claim.metadata().uid(), claim);
    }

    /** A claim was written. */
    synchronized void wrote(ResourceClaim claim) {
        written.put(claim.key(), claim);
    }

    /** A claim is no longer about to be given devices; false if it was not. */
    synchronized boolean settle(String uid) {
        return inFlight.remove(uid) != null;
    }

    /** What was written of a claim does not hold any more. */
    synchronized void forget(ResourceClaim claim) {
        written.remove(claim.key());
    }
}
