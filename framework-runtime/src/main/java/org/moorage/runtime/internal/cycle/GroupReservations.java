// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.plugin.PluginFailure;

/**
 * The reservations that are held while a group is tried. They are released when the change on the snapshot is undone,
 * or by another thread if a plugin does not return.
 */
public final class GroupReservations {
    private final Object lock = new Object();

    // The last one first.
    @GuardedBy("lock")
    private final Deque<Reservation> held = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean abandoned;

    /**
     * Assumes a pod on a node, and runs Reserve. Unreserve runs when that change of the snapshot is undone; it is
     * undone immediately if the answer is not a success.
     *
     * @param pod the pending pod
     * @return success, or the first rejection
     * @throws PluginFailure if a plugin fails
     */
    PluginStatus reserve(Profile profile, CycleState state, Pod pod, String nodeName, TrialSnapshot snapshot) {
        Reservation reservation = Reservation.of(profile, state, pod, nodeName);
        synchronized (lock) {
            if (abandoned) {
                return PluginStatus.error("", "the attempt was abandoned");
            }
            held.push(reservation);
        }
        try {
            return reservation.reserveOn(snapshot, () -> giveBack(reservation));
        } finally {
            if (isAbandoned()) {
                // Unreserve has run before; this releases what Reserve has reserved since then.
                reservation.unreserve();
            }
        }
    }

    private boolean isAbandoned() {
        synchronized (lock) {
            return abandoned;
        }
    }

    @SuppressWarnings("ReferenceEquality") // two equal reservations are released separately
    private void giveBack(Reservation reservation) {
        boolean isHeld;
        synchronized (lock) {
            // It is nearly always the last one.
            isHeld = held.peek() == reservation ? held.poll() != null : held.removeIf(other -> other == reservation);
        }
        if (isHeld) {
            reservation.unreserve();
        }
    }

    /** Releases all reservations, the last one first, and rejects further ones. */
    public void abandon() {
        synchronized (lock) {
            abandoned = true;
        }
        Optional<Reservation> last = takeLast();
        while (last.isPresent()) {
            last.get().unreserve();
            last = takeLast();
        }
    }

    private Optional<Reservation> takeLast() {
        synchronized (lock) {
            return Optional.ofNullable(held.poll());
        }
    }
}
