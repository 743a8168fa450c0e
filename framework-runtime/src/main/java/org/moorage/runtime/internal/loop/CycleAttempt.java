// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.moorage.runtime.internal.cycle.Reservation;
import org.moorage.runtime.internal.queue.QueuedEntity;
import org.moorage.runtime.internal.queue.QueuedPodInfo;

/**
 * An attempt to schedule a pod or a group of pods. For each pod, one of two things happens first: the cycle commits to
 * its result, or the attempt is abandoned because a plugin does not return.
 */
final class CycleAttempt {
    private final QueuedEntity entity;
    private final Reservation.Held reservations = new Reservation.Held();

    @GuardedBy("this")
    private final Set<String> committed = new HashSet<>();

    @GuardedBy("this")
    private boolean abandoned;

    @GuardedBy("this")
    private boolean finished;

    CycleAttempt(QueuedEntity entity) {
        this.entity = entity;
    }

    /** Returns the pod or the group. */
    QueuedEntity entity() {
        return entity;
    }

    /** Returns its pods, including those that do not have to be scheduled. */
    List<QueuedPodInfo> pods() {
        return entity.members();
    }

    /** Returns the reservations that are held while the pods of a group are tried. */
    Reservation.Held reservations() {
        return reservations;
    }

    /**
     * Commits the cycle to its result for a pod: from now on only the cycle acts on that pod. Returns false if the
     * attempt was abandoned before.
     */
    synchronized boolean commit(QueuedPodInfo pod) {
        return committed.contains(pod.pod().uid())
                || !abandoned && committed.add(pod.pod().uid());
    }

    /** Like {@link #commit}, but returns false also if the cycle has already committed to a result for that pod. */
    synchronized boolean commitFirst(QueuedPodInfo pod) {
        return !abandoned && committed.add(pod.pod().uid());
    }

    /**
     * Marks the attempt as finished, after the cycle has acted on all pods of a group. Returns whether the caller has
     * to put the group back into the queue; false if the attempt was abandoned or has finished before.
     */
    synchronized boolean finish() {
        boolean isFirst = !abandoned && !finished;
        finished = true;
        return isFirst;
    }

    /**
     * Abandons the attempt. Returns the pods whose results the cycle has not committed to; those results have no
     * effect.
     */
    synchronized List<QueuedPodInfo> abandon() {
        abandoned = true;
        List<QueuedPodInfo> left = new ArrayList<>();
        for (QueuedPodInfo pod : pods()) {
            if (!committed.contains(pod.pod().uid())) {
                left.add(pod);
            }
        }
        return left;
    }

    /** Returns whether the attempt was abandoned, at least for some of its pods. */
    synchronized boolean isAbandoned() {
        return abandoned;
    }
}
