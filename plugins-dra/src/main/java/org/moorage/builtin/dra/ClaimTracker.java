// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.moorage.api.StateKey;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.Pod;
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

    private static final int KEPT_DELETED = 1000;

    private final ObjectLister<ResourceClaim> claims;
    private final ObjectLister<Pod> pods;
    private final Consumer<Collection<Pod>> activate;

    // Told of each change of what follows, and of each claim that the cluster tells of.
    @GuardedBy("this")
    private final ClaimAllocations allocations;

    // By uid: allocated in Reserve, and not written to the cluster yet.
    @GuardedBy("this")
    private final Map<String, ResourceClaim> inFlightAllocations = new HashMap<>();

    // By key: written to the cluster, and not seen there yet.
    @GuardedBy("this")
    private final Map<String, ResourceClaim> assumed = new HashMap<>();

    // In flight, and perhaps written to the cluster: the outcome is unknown.
    @GuardedBy("this")
    private final Set<String> uncertain = new HashSet<>();

    // What the write of a claim answers may come later than the news that the claim has gone since.
    @GuardedBy("this")
    private final Set<String> lastDeleted = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > KEPT_DELETED;
        }
    });

    // By uid: rejected, perhaps for a device that is in flight or belongs to a claim that has gone.
    private final Map<String, Pod> turnedAway = new ConcurrentHashMap<>();
    private final AtomicLong releases = new AtomicLong();

    /**
     * A tracker without allocations in flight.
     *
     * @param claims the claims as last seen
     * @param pods the pods as last seen
     * @param features what is enabled
     * @param activate has pods tried again once their backoff is over
     */
    ClaimTracker(
            ObjectLister<ResourceClaim> claims,
            ObjectLister<Pod> pods,
            DeviceFeatures features,
            Consumer<Collection<Pod>> activate) {
        this.claims = claims;
        this.pods = pods;
        this.activate = activate;
        allocations = new ClaimAllocations(features, this::allocationsOf);
        claims.all().forEach(allocations::changed);
    }

    /** Takes note of what the scheduler sees of a claim. */
    void changed(ObjectChange<ResourceClaim> change) {
        if (change.after().isPresent()) {
            synchronized (this) {
                latest(change.after().get());
                allocations.changed(change.latest());
            }
            return;
        }
        deleted(change.latest());
    }

    /** Takes note of a claim that has gone. */
    void deleted(ResourceClaim gone) {
        String uid = gone.metadata().uid();
        boolean isFreed;
        synchronized (this) {
            lastDeleted.add(uid);
            ResourceClaim ours = assumed.get(gone.key());
            boolean wasAssumed = ours != null && ours.metadata().uid().equals(uid);
            if (wasAssumed) {
                assumed.remove(gone.key());
            }
            ResourceClaim inFlight = inFlightAllocations.remove(uid);
            if (inFlight != null) {
                allocations.changed(inFlight);
            }
            isFreed = inFlight != null
                    || wasAssumed
                    // The pod that it was made for can have another one now.
                    || "true".equals(gone.metadata().annotations().get(ResourceClaim.EXTENDED_RESOURCES));
            uncertain.remove(uid);
            allocations.changed(gone);
        }
        if (isFreed) {
            released();
        }
    }

    /** How often devices have become free of which no event tells. */
    long releases() {
        return releases.get();
    }

    /**
     * Takes note of a pod that is rejected. If devices become free of which no event tells, it is tried again.
     *
     * @param releasesBefore {@link #releases} when its attempt began
     */
    void turnAway(Pod pod, long releasesBefore) {
        turnedAway.put(pod.uid(), pod);
        // Looked up after it was noted, so that a pod that goes at the same moment is forgotten here or when that is
        // told.
        boolean isWaiting = pods.current(pod)
                .filter(known -> known.uid().equals(pod.uid()) && !known.isBound())
                .isPresent();
        if (!isWaiting) {
            turnedAway.remove(pod.uid());
            return;
        }
        if (releases.get() != releasesBefore) {
            activateTurnedAway();
        }
    }

    /** Takes note of what the scheduler sees of a pod: one that is gone or bound is not tried again. */
    void podChanged(ObjectChange<Pod> change) {
        if (change.after().filter(pod -> !pod.isBound()).isEmpty()) {
            turnedAway.remove(change.latest().uid());
        }
    }

    /** How many pods are tried again when devices become free. */
    int turnedAway() {
        return turnedAway.size();
    }

    private void released() {
        releases.incrementAndGet();
        activateTurnedAway();
    }

    private void activateTurnedAway() {
        List<Pod> pods = List.copyOf(turnedAway.values());
        pods.forEach(pod -> turnedAway.remove(pod.uid()));
        if (!pods.isEmpty()) {
            activate.accept(pods);
        }
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
        ResourceClaim ours = assumed.isEmpty() ? null : assumed.get(observed.key());
        if (ours == null) {
            return observed;
        }
        if (!ours.metadata().uid().equals(observed.metadata().uid()) || isNewer(observed, ours)) {
            assumed.remove(observed.key());
            allocations.changed(observed);
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
    synchronized AllocatedState gatherAllocatedState() {
        return allocations.state();
    }

    // That of the claim, and those in flight of it or of one that had its name. One that is written is not there
    // twice, although it is in flight until PreBind is over.
    private synchronized List<DeviceAllocation> allocationsOf(ResourceClaim claim) {
        List<DeviceAllocation> found = new ArrayList<>(1);
        Optional<ResourceClaim> observed = claims.current(claim);
        ResourceClaim latest = observed.isPresent() ? latest(observed.get()) : assumed.get(claim.key());
        if (latest != null && latest.allocation().isPresent()) {
            found.add(latest.allocation().get());
        }
        for (ResourceClaim inFlight : inFlightAllocations.values()) {
            boolean isWritten = !found.isEmpty()
                    && latest != null
                    && latest.metadata().uid().equals(inFlight.metadata().uid());
            if (inFlight.key().equals(claim.key()) && inFlight.allocation().isPresent() && !isWritten) {
                found.add(inFlight.allocation().get());
            }
        }
        return found;
    }

    /** Whether the allocation of a claim is in flight. */
    synchronized boolean hasInFlightAllocation(ResourceClaim claim) {
        return inFlightAllocations.containsKey(claim.metadata().uid());
    }

    /** Adds an allocation that is in flight from now on. */
    synchronized void addInFlightAllocation(ResourceClaim allocated) {
        inFlightAllocations.put(allocated.metadata().uid(), allocated);
        allocations.changed(allocated);
    }

    /**
     * Removes the allocation in flight of the claim with this uid; false if there was none. Unless the claim is allocated otherwise, its
     * devices are free, and pods that were rejected are tried again.
     */
    boolean removeInFlightAllocation(String uid) {
        boolean isFreed;
        synchronized (this) {
            ResourceClaim removed = inFlightAllocations.remove(uid);
            uncertain.remove(uid);
            if (removed == null) {
                return false;
            }
            allocations.changed(removed);
            isFreed = allocationsOf(removed).isEmpty();
        }
        if (isFreed) {
            released();
        }
        return true;
    }

    /** Removes the allocation in flight of the claim with this uid, if there is one: it is written, and the devices stay allocated. */
    synchronized void endInFlightAllocation(String uid) {
        ResourceClaim removed = inFlightAllocations.remove(uid);
        if (removed != null) {
            allocations.changed(removed);
        }
    }

    /** The allocation in flight of the claim with this uid may have been written. */
    synchronized void markUncertain(String uid) {
        uncertain.add(uid);
    }

    /** Whether the allocation in flight of the claim with this uid may have been written. */
    synchronized boolean isUncertain(String uid) {
        return uncertain.contains(uid);
    }

    /** The claims that are assumed to be reserved for a pod, and that the scheduler has not seen in the cluster. */
    synchronized List<ResourceClaim> unseenFor(Pod pod) {
        List<ResourceClaim> unseen = new ArrayList<>();
        for (ResourceClaim claim : assumed.values()) {
            if (claim.isReservedFor(pod) && isUnseen(claim)) {
                unseen.add(claim);
            }
        }
        return unseen;
    }

    /** Whether a claim is assumed and the scheduler has not seen it in the cluster. */
    synchronized boolean isUnseen(ResourceClaim claim) {
        ResourceClaim ours = assumed.get(claim.key());
        return ours != null
                && ours.metadata().uid().equals(claim.metadata().uid())
                && claims.current(claim).isEmpty();
    }

    /** Assumes a claim as it was written to the cluster, until the scheduler sees it there, or sees that it has gone. */
    synchronized void assume(ResourceClaim claim) {
        if (!lastDeleted.contains(claim.metadata().uid())) {
            assumed.put(claim.key(), claim);
            allocations.changed(claim);
        }
    }

    /** Goes back to a claim as the cluster has it. */
    synchronized void restore(ResourceClaim claim) {
        assumed.remove(claim.key());
        allocations.changed(claim);
    }
}
