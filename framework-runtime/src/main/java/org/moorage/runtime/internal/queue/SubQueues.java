// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.moorage.runtime.debug.SchedulerDump.PendingPod;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;

/**
 * The sub-queues of the queue: active, backoff and unschedulable. A pod or group is in one of them at a time. It only
 * becomes active if no PreEnqueue plugin gates it; gated entities are kept in the unschedulable sub-queue.
 *
 * <p>Guarded by the queue's lock.
 */
final class SubQueues {
    static final String MOVED = "Pod moved to an internal scheduling queue";

    static final String GROUP_MOVED = "Pod group moved to an internal scheduling queue";

    private static final Log LOG = Log.of(SubQueues.class);

    final IndexedHeap<String, QueuedEntity> active;
    final BackoffPods backoff;
    final UnschedulablePods unschedulable = new UnschedulablePods();
    private final PreEnqueue preEnqueue;
    private final boolean popsEarly;
    private final EarlyPops earlyPops;
    private final InstantSource clock;
    private final Runnable onReady;
    private final Listeners listeners;

    /**
     * Creates empty sub-queues.
     *
     * @param sort the order of the active ones
     * @param settings backoff times, and whether pods may be popped early
     * @param preEnqueue the plugins that gate pods
     * @param clock for durations
     * @param onReady runs when {@link #removeNext} has one more entity
     * @param listeners receive the moves of pods to sub-queues
     */
    SubQueues(
            PluginCaller sort,
            QueueSettings settings,
            PreEnqueue preEnqueue,
            InstantSource clock,
            Runnable onReady,
            Listeners listeners) {
        popsEarly = settings.popsEarly();
        earlyPops = new EarlyPops(settings.rejectedEarlyPops(), clock);
        active = new IndexedHeap<>(QueuedEntity::key, (first, second) -> isTriedBefore(sort, first, second));
        backoff = new BackoffPods(
                settings.backoff(),
                popsEarly ? (first, second) -> isTriedBefore(sort, first, second) : BackoffPods::cameBefore);
        this.preEnqueue = preEnqueue;
        this.clock = clock;
        this.onReady = onReady;
        this.listeners = listeners;
    }

    // If the plugin considers two entities equal or fails, the earlier one is first, so that runs with a stopped clock
    // are reproducible.
    private static boolean isTriedBefore(PluginCaller sort, QueuedEntity first, QueuedEntity second) {
        boolean cameBefore = BackoffPods.cameBefore(first, second);
        try {
            return sort.less(first, second) || cameBefore && !sort.less(second, first);
        } catch (PluginFailure failure) {
            LOG.atError()
                    .addKeyValue("plugin", failure.plugin())
                    .addKeyValue("pod", first)
                    .setCause(failure)
                    .log("QueueSort plugin failed; what came first is tried first");
            return cameBefore;
        }
    }

    Optional<QueuedEntity> find(String key) {
        Optional<QueuedEntity> queued = active.find(key);
        if (queued.isEmpty()) {
            queued = backoff.find(key);
        }
        return queued.isPresent() ? queued : unschedulable.find(key);
    }

    /** Returns the pod of that namespace and name; empty if it is not queued individually. */
    Optional<QueuedPodInfo> findPod(String key) {
        return find(key).filter(QueuedPodInfo.class::isInstance).map(QueuedPodInfo.class::cast);
    }

    SubQueue placeOf(QueuedEntity queued) {
        if (active.find(queued.key()).isPresent()) {
            return SubQueue.ACTIVE;
        }
        if (backoff.find(queued.key()).isPresent()) {
            return SubQueue.BACKOFF;
        }
        return queued.isGated() ? SubQueue.GATED : SubQueue.UNSCHEDULABLE;
    }

    /** Returns all pods of all sub-queues, with their state at the given time. */
    List<PendingPod> dump(Instant now) {
        List<PendingPod> pods = new ArrayList<>();
        active.values().forEach(queued -> dump(queued, SubQueue.ACTIVE, now, pods));
        backoff.all().forEach(queued -> dump(queued, SubQueue.BACKOFF, now, pods));
        for (QueuedEntity queued : unschedulable.values()) {
            dump(queued, queued.isGated() ? SubQueue.GATED : SubQueue.UNSCHEDULABLE, now, pods);
        }
        return pods;
    }

    // The status of a member of a group may be outdated: PreEnqueue is not run again for it while another one is gated.
    private static void dump(QueuedEntity queued, SubQueue in, Instant now, List<PendingPod> pods) {
        Duration since = Duration.between(queued.timestamp(), now);
        for (QueuedPodInfo pod : queued.members()) {
            pods.add(new PendingPod(pod.pod(), in.toString(), queued.gatedBy(), since, pod.attempts()));
        }
    }

    void remove(QueuedEntity queued) {
        if (active.remove(queued.key()).isEmpty()
                && backoff.remove(queued.key()).isEmpty()) {
            unschedulable.remove(queued.key());
        }
    }

    /** Returns whether {@link #removeNext} would return an entity. */
    boolean hasNext(Predicate<? super QueuedEntity> which) {
        return active.hasAny(which) || backoff.rejected.hasAny(which) && mayPopEarly();
    }

    private boolean mayPopEarly() {
        return popsEarly && earlyPops.nanosToNext() <= 0;
    }

    /** Removes and returns the next selected entity to try; empty if there is none. */
    Optional<QueuedEntity> removeNext(Predicate<? super QueuedEntity> which) {
        Optional<QueuedEntity> next = active.removeFirst(which);
        if (next.isPresent() || !mayPopEarly()) {
            return next;
        }
        Optional<QueuedPodInfo> early = backoff.removeFirstRejected(which);
        early.ifPresent(queued -> {
            queued.popEarly();
            moved(queued, SubQueue.ACTIVE, null, WellKnownEvents.POP_FROM_BACKOFF);
        });
        return early.map(queued -> queued);
    }

    /**
     * Returns the nanoseconds after which {@link #removeNext} may return an entity even if none is added; at most the
     * given number.
     */
    long nanosToNext(long atMost) {
        long nanos = popsEarly && backoff.hasRejected() ? earlyPops.nanosToNext() : 0;
        return nanos > 0 ? Math.min(nanos, atMost) : atMost;
    }

    /** Records that a pod that {@link #removeNext} returned was rejected. */
    void rejected(QueuedPodInfo popped) {
        if (popped.isPoppedEarly()) {
            earlyPops.rejected();
        }
    }

    /**
     * Restores the order after an entity was updated; returns false if it is unschedulable, since that sub-queue is not
     * ordered.
     */
    boolean reorder(QueuedEntity queued) {
        if (active.find(queued.key()).isPresent()) {
            active.put(queued);
            return true;
        }
        if (backoff.find(queued.key()).isPresent()) {
            backoff.put(queued);
            return true;
        }
        return false;
    }

    /** Moves an entity that is unschedulable or in no sub-queue to the sub-queue of the strategy. */
    SubQueue requeue(QueuedEntity queued, QueueingStrategy strategy, String event) {
        return switch (strategy) {
            case QUEUE_SKIP -> {
                unschedulable.put(queued);
                yield moved(queued, SubQueue.UNSCHEDULABLE, SubQueue.UNSCHEDULABLE, event);
            }
            case QUEUE_AFTER_BACKOFF ->
                backoff.lasts(queued, clock.instant())
                        ? toBackoff(queued, SubQueue.BACKOFF, event)
                        : toActive(queued, SubQueue.BACKOFF, event);
            case QUEUE_IMMEDIATELY -> toActive(queued, SubQueue.ACTIVE, event);
        };
    }

    /** Puts a group back into the queue after an attempt; it becomes active if it has no backoff. */
    SubQueue putBack(QueuedPodGroupInfo group, String event) {
        return backoff.lasts(group, clock.instant()) ? toBackoff(group, null, event) : toActive(group, null, event);
    }

    /**
     * Updates a queued group after pods joined or left it. A gated group stays gated until an event of the plugin that
     * gates it.
     */
    void changed(QueuedPodGroupInfo group, Collection<QueuedPodInfo> joined, String event) {
        SubQueue before = placeOf(group);
        if (before != SubQueue.ACTIVE && before != SubQueue.BACKOFF) {
            return;
        }
        boolean backsOff = before == SubQueue.BACKOFF && backoff.lasts(group, clock.instant());
        if (!backsOff || popsEarly) {
            boolean isAsked = false;
            try {
                preEnqueue.runAfterChange(group);
                isAsked = true;
            } finally {
                if (!isAsked || group.isGated()) {
                    remove(group);
                    unschedulable.put(group);
                }
            }
            if (group.isGated()) {
                SubQueue ignored = moved(group, SubQueue.GATED, null, event);
                return;
            }
        }
        if (before == SubQueue.BACKOFF && !backsOff) {
            remove(group);
            SubQueue ignored = pushActive(group, SubQueue.BACKOFF, event);
            return;
        }
        boolean ignored = reorder(group);
        for (QueuedPodInfo member : joined) {
            if (before == SubQueue.ACTIVE) {
                member.becameReady(clock.instant());
            }
            listeners.on(listener -> listener.podQueued(member.pod(), before.toString(), event));
        }
    }

    /** Returns whether a PreEnqueue plugin gates a pod that is in no sub-queue. */
    boolean isGated(QueuedPodInfo pod) {
        preEnqueue.run(pod);
        return pod.isGated();
    }

    /** Makes an entity active, unless a plugin gates it. */
    SubQueue toActive(QueuedEntity queued, String event) {
        return toActive(queued, null, event);
    }

    private SubQueue toActive(QueuedEntity queued, @Nullable SubQueue asked, String event) {
        return isGated(queued, asked, event) ? SubQueue.GATED : pushActive(queued, asked, event);
    }

    private SubQueue toBackoff(QueuedEntity queued, @Nullable SubQueue asked, String event) {
        if (popsEarly && isGated(queued, asked, event)) {
            return SubQueue.GATED;
        }
        unschedulable.remove(queued.key());
        backoff.put(queued);
        if (popsEarly && !queued.rejectors().isEmpty()) {
            onReady.run();
        }
        return moved(queued, SubQueue.BACKOFF, asked, event);
    }

    /**
     * Makes an unschedulable entity or one in backoff active, unless a plugin gates it; returns false if there is no
     * such entity.
     */
    boolean activate(String key, String event) {
        Optional<QueuedEntity> waiting = unschedulable.find(key);
        if (waiting.isPresent()) {
            toActive(waiting.get(), event);
            return true;
        }
        Optional<QueuedEntity> backingOff = backoff.remove(key);
        backingOff.ifPresent(queued -> endBackoff(queued, event));
        return backingOff.isPresent();
    }

    /**
     * Makes an unschedulable entity or a pod in backoff wait for the end of its backoff, before which it is not tried;
     * returns false if there is no such entity.
     */
    boolean activateAfterBackoff(String key, String event) {
        Optional<QueuedEntity> waiting = unschedulable.find(key);
        if (waiting.isEmpty()) {
            // A group is never tried before the end of its backoff.
            waiting = backoff.find(key).filter(QueuedPodInfo.class::isInstance);
        }
        waiting.ifPresent(queued -> {
            remove(queued);
            RejectorPlugins rejectors = queued.rejectors();
            if (queued instanceof QueuedPodInfo pod) {
                pod.failedWithError();
            }
            if (requeue(queued, QueueingStrategy.QUEUE_AFTER_BACKOFF, event) == SubQueue.GATED
                    && queued instanceof QueuedPodInfo pod) {
                keepRejectors(pod, rejectors);
            }
        });
        return waiting.isPresent();
    }

    /** Lets events of these plugins requeue a gated pod although its attempt failed with an error. */
    void keepRejectors(QueuedPodInfo gated, RejectorPlugins rejectors) {
        unschedulable.remove(gated.key());
        gated.keepRejectors(rejectors);
        unschedulable.put(gated);
    }

    /** Makes the entities active whose backoff has ended. */
    void flushBackoff() {
        Instant now = clock.instant();
        Optional<QueuedEntity> completed = backoff.removeCompleted(now);
        while (completed.isPresent()) {
            endBackoff(completed.get(), WellKnownEvents.BACKOFF_COMPLETE);
            completed = backoff.removeCompleted(now);
        }
    }

    // If pods are popped early, PreEnqueue has run before their backoff; otherwise it runs now.
    private void endBackoff(QueuedEntity queued, String event) {
        if (popsEarly) {
            pushActive(queued, null, event);
        } else {
            toActive(queued, event);
        }
    }

    private SubQueue pushActive(QueuedEntity queued, @Nullable SubQueue asked, String event) {
        queued.becameReady(clock.instant());
        active.put(queued);
        onReady.run();
        return moved(queued, SubQueue.ACTIVE, asked, event);
    }

    /**
     * Runs PreEnqueue; puts a gated entity into the unschedulable sub-queue, removes others from it, and returns
     * whether it is gated.
     */
    private boolean isGated(QueuedEntity queued, @Nullable SubQueue asked, String event) {
        boolean wasUnschedulable = unschedulable.remove(queued.key()).isPresent();
        try {
            preEnqueue.run(queued);
        } finally {
            // Also if an error of the virtual machine passes through; otherwise it would be in no sub-queue.
            if (queued.isGated()) {
                unschedulable.put(queued);
            }
        }
        if (!queued.isGated()) {
            return false;
        }
        if (!wasUnschedulable) {
            moved(queued, SubQueue.GATED, asked, event);
        }
        return true;
    }

    // Parameter asked: the sub-queue that hints requested, or null if no hint was called. Like kube-scheduler's newer
    // metric, entityQueued excludes entities that moved to it.
    private SubQueue moved(QueuedEntity queued, SubQueue subQueue, @Nullable SubQueue asked, String event) {
        for (QueuedPodInfo member : queued.members()) {
            listeners.on(listener -> listener.podQueued(member.pod(), subQueue.toString(), event));
        }
        if (subQueue != asked) {
            listeners.on(listener -> listener.entityQueued(subQueue.toString(), event, queued.type()));
        }
        LOG.atTrace()
                .addKeyValue(queued instanceof QueuedPodInfo ? "pod" : "podGroup", queued)
                .addKeyValue("event", event)
                .addKeyValue("queue", subQueue)
                .log(queued instanceof QueuedPodInfo ? MOVED : GROUP_MOVED);
        return subQueue;
    }
}
