// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.StateKey;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.cluster.ClusterException;

/**
 * The undos that Unreserve could not complete. Each is retried with growing delays until a read of the claim shows that
 * it is undone or that the claim is gone. Until then an allocation that may have been written stays in flight. All
 * profiles share one instance.
 */
final class PendingUnreserves {
    /** The key under which all profiles share it. */
    static final StateKey<PendingUnreserves> KEY = StateKey.of("DynamicResources/pendingUnreserves");

    private static final Duration FIRST_WAIT = Duration.ofMillis(500);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final Handle handle;
    private final ClaimTracker tracker;

    @GuardedBy("this")
    private final Map<Key, Pending> pendingByKey = new HashMap<>();

    private record Key(String claimUid, String podUid) {
        static Key of(ResourceClaim claim, Pod pod) {
            return new Key(claim.metadata().uid(), pod.uid());
        }
    }

    /** A claim and the pod for which it was reserved; guarded by the monitor of the whole. */
    private static final class Pending {
        private final ResourceClaim claim;
        private final Pod pod;
        private final Runnable undo;
        private Duration wait = FIRST_WAIT;
        private boolean isRunning;
        /** Whether it may be done, since the outcome of a request is unknown. */
        private boolean isPerhapsDone;

        Pending(ResourceClaim claim, Pod pod, boolean isPerhapsDone, Runnable undo) {
            this.claim = claim;
            this.pod = pod;
            this.isPerhapsDone = isPerhapsDone;
            this.undo = undo;
        }
    }

    PendingUnreserves(Handle handle, ClaimTracker tracker) {
        this.handle = handle;
        this.tracker = tracker;
    }

    /**
     * Removes a pod from those that a claim is reserved for, after a delay.
     *
     * @param isPerhapsDone whether a request for it was sent with an unknown outcome
     */
    void unreserveLater(ResourceClaim claim, Pod pod, boolean isPerhapsDone) {
        add(new Pending(claim, pod, isPerhapsDone, () -> unreserve(claim, pod)));
    }

    /** Deletes a claim that was created for a pod, after a delay. */
    void deleteLater(ResourceClaim claim, Pod pod) {
        add(new Pending(claim, pod, false, () -> delete(claim)));
    }

    private void add(Pending pending) {
        synchronized (this) {
            pendingByKey.put(Key.of(pending.claim, pending.pod), pending);
        }
        handle.tasks().backgroundAfter(FIRST_WAIT, () -> run(pending));
    }

    /**
     * Cancels the pending undo for a pod and a claim, so that the pod can use the claim.
     *
     * @return false if the undo is running or may already have succeeded; true also if none is pending
     */
    synchronized boolean cancel(ResourceClaim claim, Pod pod) {
        if (!canBeCancelled(claim, pod)) {
            return false;
        }
        pendingByKey.remove(Key.of(claim, pod));
        return true;
    }

    /** Returns the result that {@link #cancel} would return, without changing anything. */
    synchronized boolean canBeCancelled(ResourceClaim claim, Pod pod) {
        Pending pending = pendingByKey.get(Key.of(claim, pod));
        return pending == null || !pending.isRunning && !pending.isPerhapsDone;
    }

    private void run(Pending pending) {
        Key key = Key.of(pending.claim, pending.pod);
        synchronized (this) {
            if (pendingByKey.get(key) != pending) {
                return;
            }
            pending.isRunning = true;
        }
        boolean isDone = false;
        boolean isPerhapsDone = true;
        try {
            pending.undo.run();
            isDone = true;
        } catch (ClusterException failed) {
            isPerhapsDone = failed.outcome() == ClusterException.Outcome.UNKNOWN;
        } finally {
            // Other exceptions propagate, so that they are logged; the undo is still retried.
            synchronized (this) {
                pending.isRunning = false;
                pending.isPerhapsDone |= isPerhapsDone;
                if (isDone) {
                    pendingByKey.remove(key, pending);
                }
            }
            if (!isDone) {
                Duration doubled = pending.wait.multipliedBy(2);
                pending.wait = doubled.compareTo(LONGEST_WAIT) < 0 ? doubled : LONGEST_WAIT;
                handle.tasks().backgroundAfter(pending.wait, () -> run(pending));
            }
        }
    }

    private void unreserve(ResourceClaim claim, Pod pod) {
        String uid = claim.metadata().uid();
        Optional<ResourceClaim> current = handle.cluster()
                .read(ObjectKind.RESOURCE_CLAIM, claim.namespace(), claim.name())
                .filter(read -> read.metadata().uid().equals(uid));
        if (current.isPresent()) {
            // Its devices are in use until the scheduler observes that they are free.
            tracker.assume(
                    current.get().isReservedFor(pod)
                            ? handle.cluster()
                                    .writer()
                                    .resourceClaims()
                                    .unreserve(current.get(), ResourceClaim.Consumer.of(pod))
                            : current.get());
        }
        tracker.removeInFlightAllocation(uid, pod);
    }

    /**
     * Deletes a claim for extended resources immediately.
     *
     * @throws ClusterException if a request fails
     */
    void delete(ResourceClaim claim) {
        try {
            handle.cluster().writer().resourceClaims().removeFinalizer(claim);
            handle.cluster().writer().delete(ObjectKind.RESOURCE_CLAIM, claim.namespace(), claim.name());
        } catch (ClusterException failed) {
            if (!failed.isNotFound()) {
                throw failed;
            }
        }
        tracker.restore(claim);
    }
}
