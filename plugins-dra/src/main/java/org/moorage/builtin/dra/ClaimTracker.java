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
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.ObjectLister;

/**
 * The claims as they are in the cluster or as the scheduler assumes them, and the in-flight allocations: no device is
 * allocated again between Reserve and the time when the scheduler sees the allocation in the cluster. All profiles
 * share one instance. Safe for use by several threads.
 */
final class ClaimTracker {
    /** The key under which all profiles share it. */
    static final StateKey<ClaimTracker> KEY = StateKey.of("DynamicResources/claims");

    private static final int KEPT_DELETED = 1000;

    private final ObjectLister<ResourceClaim> claims;
    private final ObjectLister<Pod> pods;
    private final Consumer<Collection<Pod>> activate;

    // Notified of each change of the fields below, and of each claim event from the cluster.
    @GuardedBy("this")
    private final ClaimAllocations allocations;

    // By claim uid: allocated in Reserve, and not written to the cluster yet.
    @GuardedBy("this")
    private final Map<String, InFlight> inFlightAllocations = new HashMap<>();

    // In flight, and perhaps written to the cluster: the outcome is unknown.
    @GuardedBy("this")
    private final Set<Use> uncertain = new HashSet<>();

    // By claim key: written to the cluster, and not seen there yet.
    @GuardedBy("this")
    private final Map<String, ResourceClaim> assumed = new HashMap<>();

    // Uids of deleted claims: the response to the write of a claim may arrive after the event of its deletion.
    @GuardedBy("this")
    private final Set<String> lastDeleted = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > KEPT_DELETED;
        }
    });

    // By pod uid: rejected, perhaps because a device is in flight or belongs to a deleted claim.
    private final Map<String, Pod> turnedAway = new ConcurrentHashMap<>();
    private final AtomicLong releases = new AtomicLong();

    private record Use(String claimUid, String podUid) {}

    /** An allocation that is in flight; guarded by the monitor of the whole. */
    private static final class InFlight {
        private final ResourceClaim claim;
        /** The group whose simulation it is in flight for; empty if it is for pods that will be bound. */
        private final Optional<GroupClaims> group;
        /** The uids of the pods that will use it. */
        private final Set<String> pods = new HashSet<>(2);
        /** Whether several pods were going to use it at the same time. */
        private boolean isShared;

        InFlight(ResourceClaim claim, Optional<GroupClaims> group) {
            this.claim = claim;
            this.group = group;
        }

        void add(String pod) {
            pods.add(pod);
            isShared |= pods.size() > 1;
        }
    }

    /**
     * Creates a tracker without in-flight allocations.
     *
     * @param claims the claims as last seen
     * @param pods the pods as last seen
     * @param features the enabled features
     * @param activate activates pods, which are tried again once their backoff is over
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

    /** Handles a change of a claim that the scheduler observes. */
    void changed(ObjectChange<ResourceClaim> change) {
        if (change.after().isPresent()) {
            synchronized (this) {
                lastDeleted.remove(change.latest().metadata().uid());
                latest(change.after().get());
                allocations.changed(change.latest());
            }
            return;
        }
        deleted(change.latest());
    }

    /** Handles the deletion of a claim. */
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
            InFlight inFlight = inFlightAllocations.remove(uid);
            if (inFlight != null) {
                allocations.changed(inFlight.claim);
            }
            isFreed = inFlight != null
                    || wasAssumed
                    // The pod that the claim was created for can get another one now.
                    || "true".equals(gone.metadata().annotations().get(ResourceClaim.EXTENDED_RESOURCES));
            uncertain.removeIf(use -> use.claimUid.equals(uid));
            allocations.changed(gone);
        }
        if (isFreed) {
            released();
        }
    }

    /** Returns how often devices have become free without an event. */
    long releases() {
        return releases.get();
    }

    /**
     * Records a rejected pod. If devices become free without an event, the pod is tried again.
     *
     * @param releasesBefore {@link #releases} when the attempt of the pod began
     */
    void turnAway(Pod pod, long releasesBefore) {
        turnedAway.put(pod.uid(), pod);
        // Looked up after it was recorded, so that a pod that is deleted or bound at the same moment is dropped here or
        // in podChanged.
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

    /** Handles a change of a pod: a deleted or bound pod is not tried again. */
    void podChanged(ObjectChange<Pod> change) {
        if (change.after().filter(pod -> !pod.isBound()).isEmpty()) {
            turnedAway.remove(change.latest().uid());
        }
    }

    /** Returns how many pods are tried again when devices become free. */
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

    /** Returns the claim of that name, or empty. */
    synchronized Optional<ResourceClaim> get(String namespace, String name) {
        return claims.get(namespace, name).map(this::latest);
    }

    /** Returns the claims of a namespace. */
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

    /** Returns all devices that are allocated, or whose allocation is in flight. */
    synchronized AllocatedState gatherAllocatedState() {
        return allocations.state();
    }

    // The allocation of the claim, and in-flight allocations of it or of a former claim with its name. A written
    // allocation is not listed twice, although it is in flight until PreBind ends.
    private synchronized List<DeviceAllocation> allocationsOf(ResourceClaim claim) {
        List<DeviceAllocation> found = new ArrayList<>(1);
        Optional<ResourceClaim> observed = claims.current(claim);
        ResourceClaim latest = observed.isPresent() ? latest(observed.get()) : assumed.get(claim.key());
        if (latest != null && latest.allocation().isPresent()) {
            found.add(latest.allocation().get());
        }
        for (InFlight each : inFlightAllocations.values()) {
            ResourceClaim inFlight = each.claim;
            boolean isWritten = !found.isEmpty()
                    && latest != null
                    && latest.metadata().uid().equals(inFlight.metadata().uid());
            if (inFlight.key().equals(claim.key()) && inFlight.allocation().isPresent() && !isWritten) {
                found.add(inFlight.allocation().get());
            }
        }
        return found;
    }

    /** Returns whether the allocation of a claim is in flight. */
    synchronized boolean hasInFlightAllocation(ResourceClaim claim) {
        return inFlightAllocations.containsKey(claim.metadata().uid());
    }

    /** Returns the allocation of a claim that is in flight for a group, which is tried. */
    synchronized Optional<DeviceAllocation> inFlightAllocation(ResourceClaim claim, GroupClaims group) {
        InFlight inFlight = inFlightAllocations.get(claim.metadata().uid());
        return inFlight != null
                        && inFlight.group.filter(known -> known == group).isPresent()
                ? inFlight.claim.allocation()
                : Optional.empty();
    }

    /**
     * Adds an in-flight allocation, or adds a pod to the users of one that is already in flight.
     *
     * @param allocated the claim with the allocation; an allocation already in flight stays unchanged
     * @param pod the pod
     * @param group the group with which the pod is simulated; empty if the pod will be bound
     */
    synchronized void addInFlightAllocation(ResourceClaim allocated, Pod pod, Optional<GroupClaims> group) {
        InFlight inFlight = inFlightAllocations.get(allocated.metadata().uid());
        if (inFlight == null) {
            inFlight = new InFlight(allocated, group);
            inFlightAllocations.put(allocated.metadata().uid(), inFlight);
            allocations.changed(allocated);
        }
        inFlight.add(pod.uid());
    }

    /**
     * Adds an allocation as {@link #addInFlightAllocation} does, unless none is in flight and the claim has been
     * allocated.
     *
     * @return the claim as it was allocated; empty if the allocation is in flight for the pod
     * @throws PluginException if the claim is gone
     */
    synchronized Optional<ResourceClaim> addUnlessAllocated(
            ResourceClaim allocated, Pod pod, Optional<GroupClaims> group) {
        if (!hasInFlightAllocation(allocated)) {
            String uid = allocated.metadata().uid();
            ResourceClaim current = get(allocated.namespace(), allocated.name())
                    .orElseThrow(() -> new PluginException("internal error, couldn't signal allocation for claim "
                            + allocated.name() + ": look up assumed claim " + allocated.key() + ", UID=" + uid
                            + ": could not find ResourceClaim \"" + allocated.key() + "\""));
            if (current.metadata().uid().equals(uid) && current.allocation().isPresent()) {
                return Optional.of(current);
            }
        }
        addInFlightAllocation(allocated, pod, group);
        return Optional.empty();
    }

    /**
     * Removes a pod from the users of the in-flight allocation of the claim with this uid. When the last user is
     * removed, so is the allocation: unless the claim is allocated otherwise, its devices are free, and rejected pods
     * are tried again.
     *
     * @return false if the pod was not a user of the allocation
     */
    boolean removeInFlightAllocation(String uid, Pod pod) {
        boolean isFreed;
        synchronized (this) {
            uncertain.remove(new Use(uid, pod.uid()));
            InFlight inFlight = inFlightAllocations.get(uid);
            if (inFlight == null || !inFlight.pods.remove(pod.uid())) {
                return false;
            }
            if (!inFlight.pods.isEmpty()) {
                return true;
            }
            inFlightAllocations.remove(uid);
            allocations.changed(inFlight.claim);
            // No other pod is tried during the simulation of a group, so none was rejected because of its reservations.
            isFreed = inFlight.group.isEmpty() && allocationsOf(inFlight.claim).isEmpty();
        }
        if (isFreed) {
            released();
        }
        return true;
    }

    /**
     * Removes a pod from the users of the in-flight allocation of the claim with this uid, if there is one. When the
     * last user is removed, so is the allocation: it is written, and the devices stay allocated.
     */
    synchronized void endInFlightAllocation(String uid, Pod pod) {
        InFlight inFlight = inFlightAllocations.get(uid);
        if (inFlight != null && inFlight.pods.remove(pod.uid()) && inFlight.pods.isEmpty()) {
            inFlightAllocations.remove(uid);
            allocations.changed(inFlight.claim);
        }
    }

    /** Returns whether several pods are to use the allocation in flight of the claim with this uid, or were to. */
    synchronized boolean isShared(String uid) {
        InFlight inFlight = inFlightAllocations.get(uid);
        return inFlight != null && inFlight.isShared;
    }

    /** Marks the in-flight allocation of the claim with this uid as possibly written for a pod. */
    synchronized void markUncertain(String uid, Pod pod) {
        uncertain.add(new Use(uid, pod.uid()));
    }

    /** Returns whether the allocation in flight of the claim with this uid may have been written for a pod. */
    synchronized boolean isUncertain(String uid, Pod pod) {
        return uncertain.contains(new Use(uid, pod.uid()));
    }

    /**
     * Returns the claims that are assumed to be reserved for a pod or its group, and that the scheduler has not seen in
     * the cluster.
     */
    synchronized List<ResourceClaim> unseenFor(Pod pod) {
        List<ResourceClaim> unseen = new ArrayList<>();
        for (ResourceClaim claim : assumed.values()) {
            if ((claim.isReservedFor(pod) || claim.isReservedForGroupOf(pod)) && isUnseen(claim)) {
                unseen.add(claim);
            }
        }
        return unseen;
    }

    /** Returns whether a claim is assumed and the scheduler has not seen it in the cluster. */
    synchronized boolean isUnseen(ResourceClaim claim) {
        ResourceClaim ours = assumed.get(claim.key());
        return ours != null
                && ours.metadata().uid().equals(claim.metadata().uid())
                && claims.current(claim).isEmpty();
    }

    /**
     * Assumes a claim as it was written to the cluster, until the scheduler sees it there, or sees that it has gone.
     */
    synchronized void assume(ResourceClaim claim) {
        if (!lastDeleted.contains(claim.metadata().uid())) {
            assumed.put(claim.key(), claim);
            allocations.changed(claim);
            // Its event may have arrived before the response to the write.
            claims.current(claim).ifPresent(this::latest);
        }
    }

    /** Drops the assumed version of a claim, so that the cluster's version counts. */
    synchronized void restore(ResourceClaim claim) {
        assumed.remove(claim.key());
        allocations.changed(claim);
    }
}
