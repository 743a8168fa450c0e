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
 * What is reserved while a group is tried. It is given back when it is taken back on the snapshot, or by another thread if a plugin does
 * not return.
 */
public final class GroupReservations {
    private final Object lock = new Object();

    // The last one first.
    @GuardedBy("lock")
    private final Deque<Reservation> held = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean abandoned;

    /**
     * Thinks of a pod as being on a node, and runs Reserve. When that is taken back, Unreserve is run; unless the answer is a success, it
     * is taken back at once.
     *
     * @param pod the pod, which waits
     * @return success, or the first rejection
     * @throws PluginFailure if a plugin fails
     */
    PluginStatus reserve(Profile profile, CycleState state, Pod pod, String nodeName, TrialSnapshot snapshot) {
        Reservation reservation = Reservation.of(profile, state, pod, nodeName);
        int changes = snapshot.changes();
        synchronized (lock) {
            if (abandoned) {
                return PluginStatus.error("", "the attempt was given up");
            }
            held.push(reservation);
        }
        PluginStatus answer = PluginStatus.error("", "not reserved");
        try {
            snapshot.assume(reservation.pod(), nodeName, () -> giveBack(reservation));
            answer = reservation.reserve();
            return answer;
        } finally {
            if (isAbandoned()) {
                // Given back before, and what Reserve has kept since then now.
                reservation.unreserve();
            }
            if (!answer.isSuccess()) {
                snapshot.takeBack(changes);
            }
        }
    }

    private boolean isAbandoned() {
        synchronized (lock) {
            return abandoned;
        }
    }

    @SuppressWarnings("ReferenceEquality") // of two that are equal each is given back once
    private void giveBack(Reservation reservation) {
        boolean isHeld;
        synchronized (lock) {
            // Nearly always it is the last one.
            isHeld = held.peek() == reservation ? held.poll() != null : held.removeIf(other -> other == reservation);
        }
        if (isHeld) {
            reservation.unreserve();
        }
    }

    /** Gives back what is reserved, the last one first, and has nothing reserved any more. */
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
