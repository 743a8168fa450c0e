// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.function.Predicate;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.runtime.internal.binding.WaitingPods;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.PodEvents;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.queue.WellKnownEvents;

/**
 * What a changed pod means: one that waits belongs into the queue, one with a node into the cache, and a pod goes from the
 * one to the other when it is bound. Pods that have run to their end belong nowhere.
 */
public final class PodEventHandlers {
    private final SchedulerCache cache;
    private final SchedulingQueue queue;
    private final Nominator nominator;
    private final WaitingPods waitingPods;
    private final Predicate<Pod> ours;

    /**
     * A handler of changed pods.
     *
     * @param ours whether one of the scheduler's profiles is responsible for a pod
     */
    public PodEventHandlers(
            SchedulerCache cache,
            SchedulingQueue queue,
            Nominator nominator,
            WaitingPods waitingPods,
            Predicate<Pod> ours) {
        this.cache = cache;
        this.queue = queue;
        this.nominator = nominator;
        this.waitingPods = waitingPods;
        this.ours = ours;
    }

    /** Takes note of a change. */
    public void changed(ObjectChange<Pod> change) {
        Pod before = change.before().orElse(null);
        Pod after = change.after().orElse(null);
        boolean waited = before != null && isWaiting(before);
        boolean waits = after != null && isWaiting(after);
        boolean ran = before != null && isRunning(before);
        boolean runs = after != null && isRunning(after);
        if (waited && before != null) {
            if (waits && after != null) {
                updateWaiting(before, after);
            } else {
                stopWaiting(before, runs);
            }
        } else if (waits && after != null) {
            queue.add(after);
        }
        if (runs && after != null) {
            cache.putPod(after);
            if (ran && before != null) {
                for (ClusterEvent event : PodEvents.of(before, after)) {
                    queue.moveAllToActiveOrBackoff(event, change);
                }
            } else {
                queue.moveAllToActiveOrBackoff(WellKnownEvents.ASSIGNED_POD_ADD, ObjectChange.added(after));
            }
        } else if (ran && before != null) {
            cache.removePod(before);
            queue.moveAllToActiveOrBackoff(WellKnownEvents.ASSIGNED_POD_DELETE, ObjectChange.deleted(before));
        }
    }

    private void updateWaiting(Pod before, Pod after) {
        if (cache.isAssumed(after.uid())) {
            // A node is chosen already; only that the pod is to go still matters.
            if (!before.metadata().isDeleting() && after.metadata().isDeleting()) {
                giveUp(after);
            }
            return;
        }
        queue.update(before, after);
        String nominated = before.status().nominatedNodeName();
        if (!nominated.isEmpty() && !nominated.equals(after.status().nominatedNodeName())) {
            freeNomination(before);
        }
    }

    private void stopWaiting(Pod pod, boolean bound) {
        boolean nominated = nominator.nodeNameFor(pod).isPresent();
        queue.delete(pod);
        if (bound) {
            return;
        }
        if (cache.isAssumed(pod.uid())) {
            giveUp(pod);
        } else if (nominated) {
            freeNomination(pod);
        }
    }

    // A pod that waits for its permit cleans up after itself when it is rejected.
    private void giveUp(Pod pod) {
        if (!waitingPods.remove(pod.uid())) {
            queue.moveAllToActiveOrBackoff(WellKnownEvents.ASSIGNED_POD_DELETE, ObjectChange.deleted(pod));
        }
    }

    // What was kept free for the pod is free for those that are not more important.
    private void freeNomination(Pod pod) {
        queue.moveAllToActiveOrBackoff(
                WellKnownEvents.ASSIGNED_POD_DELETE,
                ObjectChange.deleted(pod),
                other -> other.spec().priority() <= pod.spec().priority());
    }

    private boolean isWaiting(Pod pod) {
        return !pod.isBound() && !pod.status().isTerminal() && ours.test(pod);
    }

    private static boolean isRunning(Pod pod) {
        return pod.isBound() && !pod.status().isTerminal();
    }
}
