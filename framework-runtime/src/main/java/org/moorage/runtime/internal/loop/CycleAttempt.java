// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.moorage.runtime.internal.cycle.GroupReservations;
import org.moorage.runtime.internal.queue.QueuedEntity;
import org.moorage.runtime.internal.queue.QueuedPodGroupInfo;
import org.moorage.runtime.internal.queue.QueuedPodInfo;

/**
 * An attempt to schedule a pod, or a group of pods. For each pod either its cycle acts on what it found, or the attempt is given up because
 * a plugin does not return; whichever comes first.
 */
final class CycleAttempt {
    private final QueuedEntity entity;
    private final GroupReservations reservations = new GroupReservations();
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Set<String> committed = new HashSet<>();

    @GuardedBy("lock")
    private boolean abandoned;

    @GuardedBy("lock")
    private boolean finished;

    CycleAttempt(QueuedEntity entity) {
        this.entity = entity;
    }

    /** The pod or the group. */
    QueuedEntity entity() {
        return entity;
    }

    /** Its pods, also those that need not be scheduled. */
    List<QueuedPodInfo> pods() {
        return entity instanceof QueuedPodGroupInfo group ? group.members() : List.of((QueuedPodInfo) entity);
    }

    /** What is reserved while the pods of a group are tried. */
    GroupReservations reservations() {
        return reservations;
    }

    /** From now on the cycle acts on what it found for a pod, and nobody else does; false if the attempt was given up before. */
    boolean commit(QueuedPodInfo pod) {
        synchronized (lock) {
            return committed.contains(pod.pod().uid())
                    || !abandoned && committed.add(pod.pod().uid());
        }
    }

    /** As {@link #commit}, but false also if the cycle has acted on that pod before. */
    boolean commitFirst(QueuedPodInfo pod) {
        synchronized (lock) {
            return !abandoned && committed.add(pod.pod().uid());
        }
    }

    /** The cycle has acted on all pods of a group, and puts it back; false if somebody else does. */
    boolean finish() {
        synchronized (lock) {
            boolean isFirst = !abandoned && !finished;
            finished = true;
            return isFirst;
        }
    }

    /** Gives the attempt up: what its cycle finds for these pods, on which it has not acted yet, has no effect. */
    List<QueuedPodInfo> abandon() {
        synchronized (lock) {
            abandoned = true;
            List<QueuedPodInfo> left = new ArrayList<>();
            for (QueuedPodInfo pod : pods()) {
                if (!committed.contains(pod.pod().uid())) {
                    left.add(pod);
                }
            }
            return left;
        }
    }

    /** Whether it was given up, at least for some of its pods. */
    boolean isAbandoned() {
        synchronized (lock) {
            return abandoned;
        }
    }
}
