// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * The pods that wait for the end of their backoff, apart by what it is for: those that plugins rejected may be tried before
 * its end when no other pod is ready, those that failed otherwise may not.
 *
 * <p>Guarded by the queue's lock.
 */
final class BackoffPods {
    private final PodBackoff times;
    private final IndexedHeap<String, QueuedPodInfo> rejected;
    private final IndexedHeap<String, QueuedPodInfo> failed;

    /**
     * None yet.
     *
     * @param times how long they wait
     * @param amongEqual the order of rejected pods whose backoff ends at the same time
     */
    BackoffPods(PodBackoff times, BiPredicate<QueuedPodInfo, QueuedPodInfo> amongEqual) {
        this.times = times;
        rejected = new IndexedHeap<>(QueuedPodInfo::key, (first, second) -> isOverBefore(first, second, amongEqual));
        failed = new IndexedHeap<>(
                QueuedPodInfo::key, (first, second) -> isOverBefore(first, second, BackoffPods::cameBefore));
    }

    private static boolean isOverBefore(
            QueuedPodInfo first, QueuedPodInfo second, BiPredicate<QueuedPodInfo, QueuedPodInfo> amongEqual) {
        int order = first.backoffEndOrNone().compareTo(second.backoffEndOrNone());
        return order != 0 ? order < 0 : amongEqual.test(first, second);
    }

    static boolean cameBefore(QueuedPodInfo first, QueuedPodInfo second) {
        return first.number() < second.number();
    }

    int size() {
        return rejected.size() + failed.size();
    }

    /** Whether the pod's backoff still lasts. */
    boolean lasts(QueuedPodInfo entry, Instant now) {
        return times.lasts(entry.backoffEndOrNone(), now);
    }

    /** Where the pod backs off, or would. */
    SubQueue placeOf(QueuedPodInfo entry) {
        return entry.rejectors().isEmpty() ? SubQueue.ERROR_BACKOFF : SubQueue.BACKOFF;
    }

    void put(QueuedPodInfo entry) {
        (entry.rejectors().isEmpty() ? failed : rejected).put(entry);
    }

    Optional<QueuedPodInfo> find(String key) {
        Optional<QueuedPodInfo> entry = rejected.find(key);
        return entry.isPresent() ? entry : failed.find(key);
    }

    Optional<QueuedPodInfo> remove(String key) {
        Optional<QueuedPodInfo> entry = rejected.remove(key);
        return entry.isPresent() ? entry : failed.remove(key);
    }

    /** Takes out the rejected pod whose backoff ends first, whether it lasts or not. */
    Optional<QueuedPodInfo> removeFirstRejected() {
        return rejected.removeFirst();
    }

    /** Takes out a pod whose backoff is over, the rejected ones first; empty if there is none left. */
    Optional<QueuedPodInfo> removeOver(Instant now) {
        if (isFirstOver(rejected, now)) {
            return rejected.removeFirst();
        }
        return isFirstOver(failed, now) ? failed.removeFirst() : Optional.empty();
    }

    private boolean isFirstOver(IndexedHeap<String, QueuedPodInfo> heap, Instant now) {
        Optional<QueuedPodInfo> first = heap.first();
        return first.isPresent() && !lasts(first.get(), now);
    }

    /** The first moment at which a pod's backoff is over; empty if no pod backs off. */
    Optional<Instant> nextOver() {
        Instant earliest = earlier(rejected, earlier(failed, Instant.MAX));
        return earliest.equals(Instant.MAX) ? Optional.empty() : Optional.of(times.over(earliest));
    }

    private static Instant earlier(IndexedHeap<String, QueuedPodInfo> heap, Instant other) {
        Optional<QueuedPodInfo> first = heap.first();
        return first.isPresent() && first.get().backoffEndOrNone().isBefore(other)
                ? first.get().backoffEndOrNone()
                : other;
    }

    /** In no particular order. */
    void forEach(Consumer<? super QueuedPodInfo> action) {
        rejected.forEach(action);
        failed.forEach(action);
    }
}
