// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.runtime.debug.SchedulerDump.PendingPod;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.metrics.SchedulerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queued pods: active, backing off, or unschedulable. A pod is in one of these sub-queues at a time. It only becomes active
 * if no PreEnqueue plugin gates it; a gated pod is kept among the unschedulable ones.
 *
 * <p>Guarded by the queue's lock.
 */
final class QueuedPods {
    /** What is logged when a pod comes to a sub-queue. */
    static final String MOVED = "Pod moved to an internal scheduling queue";

    private static final Logger LOG = LoggerFactory.getLogger(QueuedPods.class);

    final IndexedHeap<String, QueuedPodInfo> active;
    final BackoffPods backoff;
    final UnschedulablePods unschedulable = new UnschedulablePods();
    private final PreEnqueue preEnqueue;
    private final boolean popsEarly;
    private final EarlyPops earlyPops;
    private final InstantSource clock;
    private final Runnable onPodReady;
    private final SchedulerMetrics metrics;

    /**
     * No pods yet.
     *
     * @param sort the order of the active ones
     * @param settings how long pods back off, and whether they may be popped before
     * @param preEnqueue the plugins that gate pods
     * @param clock measures
     * @param onPodReady is run when there is one more pod for {@link #removeNext}
     * @param metrics is told which pods come to which sub-queue
     */
    QueuedPods(
            PluginCaller sort,
            QueueSettings settings,
            PreEnqueue preEnqueue,
            InstantSource clock,
            Runnable onPodReady,
            SchedulerMetrics metrics) {
        popsEarly = settings.popsEarly();
        earlyPops = new EarlyPops(settings.rejectedEarlyPops(), clock);
        active = new IndexedHeap<>(QueuedPodInfo::key, (first, second) -> isTriedBefore(sort, first, second));
        backoff = new BackoffPods(
                settings.backoff(),
                popsEarly ? (first, second) -> isTriedBefore(sort, first, second) : BackoffPods::cameBefore);
        this.preEnqueue = preEnqueue;
        this.clock = clock;
        this.onPodReady = onPodReady;
        this.metrics = metrics;
    }

    // Of two pods that the plugin takes to be equal, or cannot compare, the first is the one that came first, so that
    // runs with a clock that stands still can be repeated.
    private static boolean isTriedBefore(PluginCaller sort, QueuedPodInfo first, QueuedPodInfo second) {
        boolean cameBefore = BackoffPods.cameBefore(first, second);
        try {
            return sort.less(first, second) || cameBefore && !sort.less(second, first);
        } catch (PluginFailure failure) {
            LOG.atError()
                    .addKeyValue("plugin", failure.plugin())
                    .addKeyValue("pod", first.pod())
                    .setCause(failure)
                    .log("QueueSort plugin failed; the pod that came first is tried first");
            return cameBefore;
        }
    }

    Optional<QueuedPodInfo> find(String key) {
        Optional<QueuedPodInfo> queued = active.find(key);
        if (queued.isEmpty()) {
            queued = backoff.find(key);
        }
        return queued.isPresent() ? queued : unschedulable.find(key);
    }

    /** All pods of all sub-queues. */
    List<PendingPod> dump() {
        List<PendingPod> pods = new ArrayList<>();
        active.values().forEach(queued -> pods.add(dump(queued, SubQueue.ACTIVE)));
        backoff.rejected.values().forEach(queued -> pods.add(dump(queued, SubQueue.BACKOFF)));
        backoff.failed.values().forEach(queued -> pods.add(dump(queued, SubQueue.BACKOFF)));
        for (UnschedulablePods.GroupKey group : unschedulable.groups()) {
            SubQueue in = group.isGated() ? SubQueue.GATED : SubQueue.UNSCHEDULABLE;
            unschedulable.of(group).forEach(queued -> pods.add(dump(queued, in)));
        }
        return pods;
    }

    private static PendingPod dump(QueuedPodInfo queued, SubQueue in) {
        return new PendingPod(queued.pod(), in.toString(), queued.gatedBy());
    }

    /** Takes the pod out of the sub-queue that it is in. */
    void remove(QueuedPodInfo queued) {
        if (active.remove(queued.key()).isEmpty()
                && backoff.remove(queued.key()).isEmpty()) {
            unschedulable.remove(queued.key());
        }
    }

    /** Takes out the pod that is to be tried next; empty if none may be. */
    Optional<QueuedPodInfo> removeNext() {
        Optional<QueuedPodInfo> next = active.removeFirst();
        if (next.isPresent() || !popsEarly || earlyPops.nanosToNext() > 0) {
            return next;
        }
        Optional<QueuedPodInfo> early = backoff.removeFirstRejected();
        early.ifPresent(queued -> {
            queued.popEarly();
            came(queued, SubQueue.ACTIVE, null, WellKnownEvents.POP_FROM_BACKOFF);
        });
        return early;
    }

    /** How long it may be until {@link #removeNext} has a pod that it does not have now, though none comes; at most that long. */
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

    /** Brings the pod to its new rank after it was updated; false if it is unschedulable, where there are no ranks. */
    boolean reorder(QueuedPodInfo queued) {
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

    /** Puts a pod that is in no sub-queue, or unschedulable, where the strategy sends it. */
    SubQueue requeue(QueuedPodInfo queued, QueueingStrategy strategy, String event) {
        return switch (strategy) {
            case QUEUE_SKIP -> {
                unschedulable.put(queued);
                yield came(queued, SubQueue.UNSCHEDULABLE, SubQueue.UNSCHEDULABLE, event);
            }
            case QUEUE_AFTER_BACKOFF ->
                backoff.lasts(queued, clock.instant())
                        ? toBackoff(queued, event)
                        : toActive(queued, SubQueue.BACKOFF, event);
            case QUEUE_IMMEDIATELY -> toActive(queued, SubQueue.ACTIVE, event);
        };
    }

    /** Makes the pod active, unless a plugin gates it. */
    SubQueue toActive(QueuedPodInfo queued, String event) {
        return toActive(queued, null, event);
    }

    private SubQueue toActive(QueuedPodInfo queued, @Nullable SubQueue asked, String event) {
        return isGated(queued, asked, event) ? SubQueue.GATED : pushActive(queued, asked, event);
    }

    private SubQueue toBackoff(QueuedPodInfo queued, String event) {
        if (popsEarly && isGated(queued, SubQueue.BACKOFF, event)) {
            return SubQueue.GATED;
        }
        unschedulable.remove(queued.key());
        backoff.put(queued);
        if (popsEarly && !queued.rejectors().isEmpty()) {
            onPodReady.run();
        }
        return came(queued, SubQueue.BACKOFF, SubQueue.BACKOFF, event);
    }

    /** Makes a pod active that is unschedulable or backs off, unless a plugin gates it; false if it is neither. */
    boolean activate(String key, String event) {
        Optional<QueuedPodInfo> waiting = unschedulable.find(key);
        if (waiting.isPresent()) {
            toActive(waiting.get(), event);
            return true;
        }
        Optional<QueuedPodInfo> backingOff = backoff.remove(key);
        backingOff.ifPresent(queued -> leaveBackoff(queued, event));
        return backingOff.isPresent();
    }

    /** Has a pod that is unschedulable or backs off tried at the end of its backoff and not before; false if it is neither. */
    boolean activateAfterBackoff(String key, String event) {
        Optional<QueuedPodInfo> waiting = unschedulable.find(key);
        if (waiting.isEmpty()) {
            waiting = backoff.find(key);
        }
        waiting.ifPresent(queued -> {
            remove(queued);
            RejectorPlugins rejectors = queued.rejectors();
            queued.failedWithError();
            if (requeue(queued, QueueingStrategy.QUEUE_AFTER_BACKOFF, event) == SubQueue.GATED) {
                keepRejectors(queued, rejectors);
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
        Optional<QueuedPodInfo> completed = backoff.removeCompleted(now);
        while (completed.isPresent()) {
            leaveBackoff(completed.get(), WellKnownEvents.BACKOFF_COMPLETE);
            completed = backoff.removeCompleted(now);
        }
    }

    // Where pods are popped early, PreEnqueue has run before they began to back off; elsewhere it runs afterwards.
    private void leaveBackoff(QueuedPodInfo queued, String event) {
        if (popsEarly) {
            pushActive(queued, null, event);
        } else {
            toActive(queued, event);
        }
    }

    private SubQueue pushActive(QueuedPodInfo queued, @Nullable SubQueue asked, String event) {
        queued.becameReady(clock.instant());
        active.put(queued);
        onPodReady.run();
        return came(queued, SubQueue.ACTIVE, asked, event);
    }

    /** Takes the pod out of the unschedulable ones, unless a plugin gates it: then it is put there, and the answer is true. */
    private boolean isGated(QueuedPodInfo queued, @Nullable SubQueue asked, String event) {
        boolean wasUnschedulable = unschedulable.remove(queued.key()).isPresent();
        try {
            preEnqueue.run(queued);
        } finally {
            // Also where an error of the virtual machine passes through, or the pod would be in no sub-queue.
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
    private SubQueue came(QueuedPodInfo queued, SubQueue subQueue, @Nullable SubQueue asked, String event) {
        metrics.podQueued(queued.pod(), subQueue.toString(), event);
        if (subQueue != asked) {
            metrics.entityQueued(subQueue.toString(), event);
        }
        LOG.atTrace()
                .addKeyValue("pod", queued.pod())
                .addKeyValue("event", event)
                .addKeyValue("queue", subQueue)
                .log(MOVED);
        return subQueue;
    }
}
