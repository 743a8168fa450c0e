// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.runtime.debug.SchedulerDump.PendingPod;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.metrics.SchedulerMetrics;

/**
 * What is queued: active, backing off, or unschedulable. A pod or group is in one of these sub-queues at a time. It only becomes
 * active if no PreEnqueue plugin gates it; what is gated is kept among the unschedulable ones.
 *
 * <p>Guarded by the queue's lock.
 */
final class SubQueues {
    /** What is logged when a pod comes to a sub-queue. */
    static final String MOVED = "Pod moved to an internal scheduling queue";

    /** What is logged when a group comes to a sub-queue. */
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
    private final SchedulerMetrics metrics;

    /**
     * Nothing yet.
     *
     * @param sort the order of the active ones
     * @param settings how long pods back off, and whether they may be popped before
     * @param preEnqueue the plugins that gate pods
     * @param clock measures
     * @param onReady is run when there is one more for {@link #removeNext}
     * @param metrics is told which pods come to which sub-queue
     */
    SubQueues(
            PluginCaller sort,
            QueueSettings settings,
            PreEnqueue preEnqueue,
            InstantSource clock,
            Runnable onReady,
            SchedulerMetrics metrics) {
        popsEarly = settings.popsEarly();
        earlyPops = new EarlyPops(settings.rejectedEarlyPops(), clock);
        active = new IndexedHeap<>(QueuedEntity::key, (first, second) -> isTriedBefore(sort, first, second));
        backoff = new BackoffPods(
                settings.backoff(),
                popsEarly ? (first, second) -> isTriedBefore(sort, first, second) : BackoffPods::cameBefore);
        this.preEnqueue = preEnqueue;
        this.clock = clock;
        this.onReady = onReady;
        this.metrics = metrics;
    }

    // Of two that the plugin takes to be equal, or cannot compare, the first is the one that came first, so that
    // runs with a clock that stands still can be repeated.
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

    /** The pod of that namespace and name; empty if it is not queued on its own. */
    Optional<QueuedPodInfo> findPod(String key) {
        return find(key).filter(QueuedPodInfo.class::isInstance).map(QueuedPodInfo.class::cast);
    }

    /** Where what is queued is. */
    SubQueue placeOf(QueuedEntity queued) {
        if (active.find(queued.key()).isPresent()) {
            return SubQueue.ACTIVE;
        }
        if (backoff.find(queued.key()).isPresent()) {
            return SubQueue.BACKOFF;
        }
        return queued.isGated() ? SubQueue.GATED : SubQueue.UNSCHEDULABLE;
    }

    /** All pods of all sub-queues, as they are at a time. */
    List<PendingPod> dump(Instant now) {
        List<PendingPod> pods = new ArrayList<>();
        active.values().forEach(queued -> dump(queued, SubQueue.ACTIVE, now, pods));
        backoff.rejected.values().forEach(queued -> dump(queued, SubQueue.BACKOFF, now, pods));
        backoff.failed.values().forEach(queued -> dump(queued, SubQueue.BACKOFF, now, pods));
        for (QueuedEntity queued : unschedulable.values()) {
            dump(queued, queued.isGated() ? SubQueue.GATED : SubQueue.UNSCHEDULABLE, now, pods);
        }
        return pods;
    }

    private static void dump(QueuedEntity queued, SubQueue in, Instant now, List<PendingPod> pods) {
        Duration since = Duration.between(queued.timestamp(), now);
        if (queued instanceof QueuedPodInfo pod) {
            pods.add(new PendingPod(pod.pod(), in.toString(), pod.gatedBy(), since, pod.attempts()));
        } else if (queued instanceof QueuedPodGroupInfo group) {
            // What gated a member before need not gate it any more: it is not asked again as long as another one is
            // gated.
            for (QueuedPodInfo member : group.members()) {
                pods.add(new PendingPod(member.pod(), in.toString(), group.gatedBy(), since, member.attempts()));
            }
        }
    }

    /** Takes it out of the sub-queue that it is in. */
    void remove(QueuedEntity queued) {
        if (active.remove(queued.key()).isEmpty()
                && backoff.remove(queued.key()).isEmpty()) {
            unschedulable.remove(queued.key());
        }
    }

    /** Returns whether {@link #removeNext} has something to take out. */
    boolean hasNext() {
        return active.first().isPresent() || backoff.hasRejected() && mayPopEarly();
    }

    private boolean mayPopEarly() {
        return popsEarly && earlyPops.nanosToNext() <= 0;
    }

    /** Takes out what is to be tried next; empty if nothing may be. */
    Optional<QueuedEntity> removeNext() {
        Optional<QueuedEntity> next = active.removeFirst();
        if (next.isPresent() || !mayPopEarly()) {
            return next;
        }
        Optional<QueuedPodInfo> early = backoff.removeFirstRejected();
        early.ifPresent(queued -> {
            queued.popEarly();
            came(queued, SubQueue.ACTIVE, null, WellKnownEvents.POP_FROM_BACKOFF);
        });
        return early.map(queued -> queued);
    }

    /** How long it may be until {@link #removeNext} has what it does not have now, though nothing comes; at most that long. */
    long nanosToNext(long atMost) {
        long nanos = popsEarly && backoff.hasRejected() ? earlyPops.nanosToNext() : 0;
        return nanos > 0 ? Math.min(nanos, atMost) : atMost;
    }

    /** A pod that {@link #removeNext} gave was rejected. */
    void rejected(QueuedPodInfo popped) {
        if (popped.isPoppedEarly()) {
            earlyPops.rejected();
        }
    }

    /** Brings it to its new rank after it was updated; false if it is unschedulable, where there are no ranks. */
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

    /** Puts what is in no sub-queue, or unschedulable, where the strategy sends it. */
    SubQueue requeue(QueuedEntity queued, QueueingStrategy strategy, String event) {
        return switch (strategy) {
            case QUEUE_SKIP -> {
                unschedulable.put(queued);
                yield came(queued, SubQueue.UNSCHEDULABLE, SubQueue.UNSCHEDULABLE, event);
            }
            case QUEUE_AFTER_BACKOFF ->
                backoff.lasts(queued, clock.instant())
                        ? toBackoff(queued, SubQueue.BACKOFF, event)
                        : toActive(queued, SubQueue.BACKOFF, event);
            case QUEUE_IMMEDIATELY -> toActive(queued, SubQueue.ACTIVE, event);
        };
    }

    /** Puts a group that was tried back into the queue; without backoff if it has none. */
    SubQueue putBack(QueuedPodGroupInfo group, String event) {
        return backoff.lasts(group, clock.instant()) ? toBackoff(group, null, event) : toActive(group, null, event);
    }

    /**
     * Takes note that these pods have joined a queued group, or others have left it. A group that is gated stays so until an event of
     * the plugin that gates it.
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
                SubQueue ignored = came(group, SubQueue.GATED, null, event);
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
            metrics.podQueued(member.pod(), before.toString(), event);
        }
    }

    /** Whether a PreEnqueue plugin gates a pod that is in no sub-queue. */
    boolean isGated(QueuedPodInfo pod) {
        preEnqueue.run(pod);
        return pod.isGated();
    }

    /** Makes it active, unless a plugin gates it. */
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
        return came(queued, SubQueue.BACKOFF, asked, event);
    }

    /** Makes active what is unschedulable or backs off, unless a plugin gates it; false if it is neither. */
    boolean activate(String key, String event) {
        Optional<QueuedEntity> waiting = unschedulable.find(key);
        if (waiting.isPresent()) {
            toActive(waiting.get(), event);
            return true;
        }
        Optional<QueuedEntity> backingOff = backoff.remove(key);
        backingOff.ifPresent(queued -> leaveBackoff(queued, event));
        return backingOff.isPresent();
    }

    /** Has what is unschedulable or backs off tried at the end of its backoff and not before; false if it is neither. */
    boolean activateAfterBackoff(String key, String event) {
        Optional<QueuedEntity> waiting = unschedulable.find(key);
        if (waiting.isEmpty()) {
            // A group is not tried before the end of its backoff anyway.
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

    /** Has the events that may help against these plugins bring a gated pod back, although its attempt failed with an error. */
    void keepRejectors(QueuedPodInfo gated, RejectorPlugins rejectors) {
        unschedulable.remove(gated.key());
        gated.keepRejectors(rejectors);
        unschedulable.put(gated);
    }

    /** Makes those active whose backoff is over. */
    void flushBackoff() {
        Instant now = clock.instant();
        Optional<QueuedEntity> completed = backoff.removeCompleted(now);
        while (completed.isPresent()) {
            leaveBackoff(completed.get(), WellKnownEvents.BACKOFF_COMPLETE);
            completed = backoff.removeCompleted(now);
        }
    }

    // Where pods are popped early, PreEnqueue has run before they began to back off; elsewhere it runs afterwards.
    private void leaveBackoff(QueuedEntity queued, String event) {
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
        return came(queued, SubQueue.ACTIVE, asked, event);
    }

    /** Takes it out of the unschedulable ones, unless a plugin gates it: then it is put there, and the answer is true. */
    private boolean isGated(QueuedEntity queued, @Nullable SubQueue asked, String event) {
        boolean wasUnschedulable = unschedulable.remove(queued.key()).isPresent();
        try {
            preEnqueue.run(queued);
        } finally {
            // Also where an error of the virtual machine passes through, or it would be in no sub-queue.
            if (queued.isGated()) {
                unschedulable.put(queued);
            }
        }
        if (!queued.isGated()) {
            return false;
        }
        if (!wasUnschedulable) {
            came(queued, SubQueue.GATED, asked, event);
        }
        return true;
    }

    // Asked is what hints wanted, or null if none were asked. kube-scheduler's newer count leaves out what went as they
    // wanted.
    private SubQueue came(QueuedEntity queued, SubQueue subQueue, @Nullable SubQueue asked, String event) {
        if (queued instanceof QueuedPodInfo pod) {
            metrics.podQueued(pod.pod(), subQueue.toString(), event);
        } else if (queued instanceof QueuedPodGroupInfo group) {
            for (QueuedPodInfo member : group.members()) {
                metrics.podQueued(member.pod(), subQueue.toString(), event);
            }
        }
        if (subQueue != asked) {
            metrics.entityQueued(subQueue.toString(), event, queued.type());
        }
        LOG.atTrace()
                .addKeyValue(queued instanceof QueuedPodInfo ? "pod" : "podGroup", queued)
                .addKeyValue("event", event)
                .addKeyValue("queue", subQueue)
                .log(queued instanceof QueuedPodInfo ? MOVED : GROUP_MOVED);
        return subQueue;
    }
}
