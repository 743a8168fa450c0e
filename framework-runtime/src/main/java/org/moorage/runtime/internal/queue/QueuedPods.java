// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.moorage.api.plugin.QueueSortPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The places where queued pods are: active, backing off, or parked. A pod is in one of them at a time, and comes to another
 * only past its gates: where a gate is closed, the pod is parked instead.
 *
 * <p>Guarded by the queue's lock.
 */
final class QueuedPods {
    /** What is logged when a pod comes to a place. */
    static final String MOVED = "Pod moved to an internal scheduling queue";

    private static final Logger LOG = LoggerFactory.getLogger(QueuedPods.class);

    private final IndexedHeap<String, QueuedPodInfo> active;
    private final BackoffPods backoff;
    private final UnschedulablePods parked = new UnschedulablePods();
    private final PreEnqueue gates;
    private final boolean popsEarly;
    private final InstantSource clock;
    private final QueueObserver observer;
    private final Runnable whenPoppable;

    /**
     * No pods yet.
     *
     * @param sort the order of the active ones
     * @param settings how long pods back off, and whether they may be taken before
     * @param gates the gates
     * @param clock the time
     * @param observer is told which pods come to which places, and who had rejected them
     * @param whenPoppable is run when there is one more pod for {@link #removeNext}
     */
    QueuedPods(
            QueueSortPlugin sort,
            QueueSettings settings,
            PreEnqueue gates,
            InstantSource clock,
            QueueObserver observer,
            Runnable whenPoppable) {
        popsEarly = settings.popsEarly();
        active = new IndexedHeap<>(QueuedPodInfo::key, (first, second) -> isTriedBefore(sort, first, second));
        backoff = new BackoffPods(
                settings.backoff(),
                popsEarly ? (first, second) -> isTriedBefore(sort, first, second) : BackoffPods::cameBefore);
        this.gates = gates;
        this.clock = clock;
        this.observer = observer;
        this.whenPoppable = whenPoppable;
    }

    // Ties go to who came first, which makes runs with a clock that stands still repeatable.
    private static boolean isTriedBefore(QueueSortPlugin sort, QueuedPodInfo first, QueuedPodInfo second) {
        return sort.less(first, second) || first.number() < second.number() && !sort.less(second, first);
    }

    Optional<QueuedPodInfo> find(String key) {
        Optional<QueuedPodInfo> entry = active.find(key);
        if (entry.isEmpty()) {
            entry = backoff.find(key);
        }
        return entry.isPresent() ? entry : parked.find(key);
    }

    /** Takes the entry out, wherever it is. */
    void remove(QueuedPodInfo entry) {
        if (active.remove(entry.key()).isEmpty() && backoff.remove(entry.key()).isEmpty()) {
            parked.remove(entry.key());
        }
        count(entry, -1);
    }

    /** Takes out the pod that is to be tried next; empty if none may be. */
    Optional<QueuedPodInfo> removeNext() {
        Optional<QueuedPodInfo> next = active.removeFirst();
        if (next.isEmpty() && popsEarly) {
            next = backoff.removeFirstRejected();
            if (next.isPresent()) {
                observer.incoming(SubQueue.ACTIVE, WellKnownEvents.POP_FROM_BACKOFF);
            }
        }
        next.ifPresent(entry -> count(entry, -1));
        return next;
    }

    private void count(QueuedPodInfo entry, int change) {
        for (String plugin : entry.rejectors().all()) {
            observer.rejected(entry.pod().spec().schedulerName(), plugin, change);
        }
    }

    /** Brings the entry to its new rank, after its pod was replaced; false if it is parked, where there are no ranks. */
    boolean reorder(QueuedPodInfo entry) {
        if (active.find(entry.key()).isPresent()) {
            active.put(entry);
            return true;
        }
        if (backoff.find(entry.key()).isPresent()) {
            backoff.put(entry);
            return true;
        }
        return false;
    }

    /** Puts an entry that was taken out where the verdict has it go. */
    SubQueue putBack(QueuedPodInfo entry, QueueingStrategy verdict, String event) {
        count(entry, 1);
        return place(entry, verdict, event);
    }

    /** Puts an entry that is new or parked where the verdict has it go. */
    SubQueue place(QueuedPodInfo entry, QueueingStrategy verdict, String event) {
        return switch (verdict) {
            case QUEUE_SKIP -> {
                parked.put(entry);
                yield arrived(entry, SubQueue.UNSCHEDULABLE, event);
            }
            case QUEUE_AFTER_BACKOFF ->
                backoff.lasts(entry, clock.instant()) ? toBackoff(entry, event) : toActive(entry, event);
            case QUEUE_IMMEDIATELY -> toActive(entry, event);
        };
    }

    /** Makes the entry active, unless a gate is closed. */
    SubQueue toActive(QueuedPodInfo entry, String event) {
        return isHeldBack(entry, event) ? SubQueue.GATED : pushActive(entry, event);
    }

    private SubQueue toBackoff(QueuedPodInfo entry, String event) {
        if (popsEarly && isHeldBack(entry, event)) {
            return SubQueue.GATED;
        }
        parked.remove(entry.key());
        backoff.put(entry);
        SubQueue place = arrived(entry, backoff.placeOf(entry), event);
        if (popsEarly && place == SubQueue.BACKOFF) {
            whenPoppable.run();
        }
        return place;
    }

    /** Makes a pod active that is parked or backs off, unless a gate is closed; false if it is neither. */
    boolean activate(String key, String event) {
        Optional<QueuedPodInfo> waiting = parked.find(key);
        if (waiting.isPresent()) {
            toActive(waiting.get(), event);
            return true;
        }
        Optional<QueuedPodInfo> backingOff = backoff.remove(key);
        backingOff.ifPresent(entry -> leaveBackoff(entry, event));
        return backingOff.isPresent();
    }

    /** Has a pod that is parked or backs off be tried at the end of its backoff and not before; false if it is neither. */
    boolean activateAfterBackoff(String key, String event) {
        Optional<QueuedPodInfo> waiting = parked.find(key);
        if (waiting.isEmpty()) {
            waiting = backoff.find(key);
        }
        waiting.ifPresent(entry -> {
            remove(entry);
            entry.failedWithError();
            place(entry, QueueingStrategy.QUEUE_AFTER_BACKOFF, event);
        });
        return waiting.isPresent();
    }

    /** Makes those active whose backoff is over. */
    void flushBackoff() {
        Instant now = clock.instant();
        Optional<QueuedPodInfo> over = backoff.removeOver(now);
        while (over.isPresent()) {
            leaveBackoff(over.get(), WellKnownEvents.BACKOFF_COMPLETE);
            over = backoff.removeOver(now);
        }
    }

    // Where pods are popped early they have to be past the gates when they begin to back off, otherwise when they have
    // done so.
    private void leaveBackoff(QueuedPodInfo entry, String event) {
        if (popsEarly) {
            pushActive(entry, event);
        } else {
            toActive(entry, event);
        }
    }

    private SubQueue pushActive(QueuedPodInfo entry, String event) {
        entry.becameReady(clock.instant());
        active.put(entry);
        SubQueue place = arrived(entry, SubQueue.ACTIVE, event);
        whenPoppable.run();
        return place;
    }

    /** Takes the entry out of the parked ones, unless a gate is closed: then it is parked, and the answer is true. */
    private boolean isHeldBack(QueuedPodInfo entry, String event) {
        boolean wasParked = parked.remove(entry.key()).isPresent();
        gates.ask(entry);
        if (!entry.isGated()) {
            return false;
        }
        parked.put(entry);
        if (!wasParked) {
            arrived(entry, SubQueue.GATED, event);
        }
        return true;
    }

    private SubQueue arrived(QueuedPodInfo entry, SubQueue place, String event) {
        observer.incoming(place, event);
        LOG.atTrace()
                .addKeyValue("pod", entry.pod())
                .addKeyValue("event", event)
                .addKeyValue("queue", place)
                .log(MOVED);
        return place;
    }

    /** The parked ones, for those who look which of them an event wakes. */
    UnschedulablePods parked() {
        return parked;
    }

    int activeCount() {
        return active.size();
    }

    int backoffCount() {
        return backoff.size();
    }

    /** The first moment at which {@link #flushBackoff} makes a pod active; empty if none backs off. */
    Optional<Instant> nextBackoffExpiry() {
        return backoff.nextOver();
    }

    /** Where the entry is, which is queued. */
    SubQueue placeOf(QueuedPodInfo entry) {
        if (active.find(entry.key()).isPresent()) {
            return SubQueue.ACTIVE;
        }
        return backoff.find(entry.key()).isPresent() ? backoff.placeOf(entry) : UnschedulablePods.placeOf(entry);
    }

    /** Shows all pods with their places, in no particular order. */
    void forEach(BiConsumer<QueuedPodInfo, SubQueue> action) {
        active.forEach(entry -> action.accept(entry, SubQueue.ACTIVE));
        backoff.forEach(entry -> action.accept(entry, backoff.placeOf(entry)));
        for (UnschedulablePods.GroupKey cause : parked.causes()) {
            for (QueuedPodInfo entry : parked.of(cause)) {
                action.accept(entry, UnschedulablePods.placeOf(entry));
            }
        }
    }
}
