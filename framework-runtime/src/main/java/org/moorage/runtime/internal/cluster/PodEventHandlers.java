// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.runtime.internal.binding.PodsInPreBind;
import org.moorage.runtime.internal.binding.WaitingPods;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.PodEvents;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.queue.WellKnownEvents;

/**
 * Handles changes of pods: pending pods belong into the queue, bound pods into the cache, and a pod moves from the
 * queue to the cache when it is bound. Terminated pods belong to neither.
 */
public final class PodEventHandlers {
    private final SchedulerCache cache;
    private final SchedulingQueue queue;
    private final Nominator nominator;
    private final WaitingPods waitingPods;
    private final PodsInPreBind podsInPreBind;
    private final Predicate<Pod> ours;
    private final FeatureGates features;
    private final boolean hasGroups;

    /**
     * Creates a handler of changed pods.
     *
     * @param ours selects the pods that a profile of the scheduler is responsible for
     * @param features the feature gates
     */
    public PodEventHandlers(
            SchedulerCache cache,
            SchedulingQueue queue,
            Nominator nominator,
            WaitingPods waitingPods,
            PodsInPreBind podsInPreBind,
            Predicate<Pod> ours,
            FeatureGates features) {
        this.cache = cache;
        this.queue = queue;
        this.nominator = nominator;
        this.waitingPods = waitingPods;
        this.podsInPreBind = podsInPreBind;
        this.ours = ours;
        this.features = features;
        hasGroups = features.isEnabled(FeatureGates.GENERIC_WORKLOAD);
    }

    /**
     * Updates the cache and the queue, and passes the {@link #events} of the change to the queue, which retries the
     * pods that they may help.
     */
    public void changed(ObjectChange<Pod> change) {
        Pod before = change.before().orElse(null);
        Pod after = change.after().orElse(null);
        boolean waited = before != null && isWaiting(before);
        boolean waits = after != null && isWaiting(after);
        boolean ran = before != null && isRunning(before);
        boolean runs = after != null && isRunning(after);
        // Before a nomination of the pod ends, so that its resources appear as used to every reader in between.
        if (runs && after != null) {
            cache.putPod(after);
        } else if (ran && before != null) {
            cache.removePod(before);
        }
        if (waited && before != null) {
            if (waits && after != null) {
                updateWaiting(before, after);
            } else {
                stopWaiting(before, runs);
            }
        } else if (waits && after != null) {
            cache.putWaitingPod(after);
            queue.add(after);
        }
        resizeChanged(change);
        events(change, queue::moveAllToActiveOrBackoff);
    }

    // A running pod is queued as well while its resize is deferred.
    private void resizeChanged(ObjectChange<Pod> change) {
        Optional<Pod> before = change.before().filter(this::waitsForResize);
        Optional<Pod> after = change.after().filter(this::waitsForResize);
        if (before.isPresent() && after.isEmpty()) {
            queue.delete(before.get());
        } else if (before.isEmpty() && after.isPresent()) {
            queue.add(after.get());
        } else if (before.isPresent()) {
            queue.update(before.get(), after.get());
        }
    }

    private boolean isQueued(Pod pod) {
        return isWaiting(pod) || waitsForResize(pod);
    }

    private boolean waitsForResize(Pod pod) {
        return isRunning(pod) && features.isTriedForResize(pod) && ours.test(pod);
    }

    /**
     * Emits the events of a change of a bound pod. A change of a pending pod is no event for other pods, except that
     * its creation is one if groups are enabled, since its group may have waited for it.
     */
    private void events(ObjectChange<Pod> change, BiConsumer<ClusterEvent, ObjectChange<?>> sink) {
        if (hasGroups
                && change.after().filter(this::isQueued).isPresent()
                && change.before().filter(this::isQueued).isEmpty()) {
            sink.accept(WellKnownEvents.UNSCHEDULED_POD_ADD, ObjectChange.added(change.latest()));
        }
        Optional<Pod> before = change.before().filter(PodEventHandlers::isRunning);
        Optional<Pod> after = change.after().filter(PodEventHandlers::isRunning);
        if (before.isPresent() && after.isPresent()) {
            for (ClusterEvent event : PodEvents.of(before.get(), after.get())) {
                sink.accept(event, change);
            }
        } else if (after.isPresent()) {
            sink.accept(WellKnownEvents.ASSIGNED_POD_ADD, ObjectChange.added(after.get()));
        } else if (before.isPresent()) {
            sink.accept(WellKnownEvents.ASSIGNED_POD_DELETE, ObjectChange.deleted(before.get()));
        }
    }

    /** Returns the events of a change of a pending pod that are not passed to other pods. */
    List<ClusterEvent> unpublishedEvents(ObjectChange<Pod> change) {
        if (change.latest().isBound()) {
            return List.of();
        }
        if (change.before().isEmpty()) {
            boolean isPublished = hasGroups && isQueued(change.latest());
            return isPublished ? List.of() : List.of(WellKnownEvents.UNSCHEDULED_POD_ADD);
        }
        return change.after().isEmpty()
                ? List.of(WellKnownEvents.UNSCHEDULED_POD_DELETE)
                : PodEvents.of(change.before().get(), change.after().get());
    }

    /** As {@link #events}, with the event that only some pods receive: that the nomination of a pod has ended. */
    void eventsFor(Pod asked, ObjectChange<Pod> change, BiConsumer<ClusterEvent, ObjectChange<?>> sink) {
        events(change, sink);
        Optional<Pod> before = change.before()
                .filter(pod ->
                        !pod.isBound() && !pod.status().nominatedNodeName().isEmpty());
        if (before.isPresent()
                && isNominationFreed(before.get(), change.after())
                && Nominator.isKeptFree(asked, before.get())) {
            sink.accept(WellKnownEvents.ASSIGNED_POD_DELETE, ObjectChange.deleted(before.get()));
        }
    }

    private static boolean isNominationFreed(Pod before, Optional<Pod> after) {
        return after.isEmpty()
                || !after.get().isBound()
                        && (after.get().status().isTerminal()
                                || !before.status()
                                        .nominatedNodeName()
                                        .equals(after.get().status().nominatedNodeName()));
    }

    private void updateWaiting(Pod before, Pod after) {
        cache.putWaitingPod(after);
        if (cache.isAssumed(after.uid())) {
            // A node is chosen already, so only a deletion of the pod matters.
            if (!before.metadata().isDeleting() && after.metadata().isDeleting()) {
                forget(after);
            }
            return;
        }
        queue.update(before, after);
        String nominated = before.status().nominatedNodeName();
        if (!nominated.isEmpty() && !nominated.equals(after.status().nominatedNodeName())) {
            queue.nominationEnded(before, nominated);
        }
    }

    private void stopWaiting(Pod pod, boolean bound) {
        Optional<String> nominated = nominator.nodeNameFor(pod);
        queue.delete(pod);
        if (bound) {
            // If another client has bound it, its Permit and PreBind are obsolete.
            endWaiting(pod);
            return;
        }
        boolean wasAssumed = cache.isAssumed(pod.uid());
        if (wasAssumed) {
            forget(pod);
        }
        // After the queue, as in kube-scheduler: until then its group counts it.
        cache.removeWaitingPod(pod);
        if (!wasAssumed) {
            nominated.ifPresent(nodeName -> queue.nominationEnded(pod, nodeName));
        }
    }

    // The pod will not run, so its resources are released immediately, before its binding cycle has undone its work. A
    // pod that waits for its permit emits the event itself. The cluster may never have reported its node.
    private void forget(Pod pod) {
        Pod leaving = cache.assumed(pod.uid()).orElse(pod);
        cache.forget(pod);
        if (!endWaiting(pod)) {
            queue.moveAllToActiveOrBackoff(WellKnownEvents.ASSIGNED_POD_DELETE, ObjectChange.deleted(leaving));
        }
    }

    // Ends Permit and PreBind of a pod; returns whether it waited for its permit.
    private boolean endWaiting(Pod pod) {
        podsInPreBind.find(pod.uid()).ifPresent(inPreBind -> inPreBind.cancel("the pod is gone or has a node"));
        return waitingPods.remove(pod.uid());
    }

    private boolean isWaiting(Pod pod) {
        return !pod.isBound() && !pod.status().isTerminal() && ours.test(pod);
    }

    private static boolean isRunning(Pod pod) {
        return pod.isBound() && !pod.status().isTerminal();
    }
}
