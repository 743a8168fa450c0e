// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * The pods that wait for the end of their backoff. Those that plugins rejected may be tried before its end when no other pod is
 * ready; those that failed otherwise may not, and are kept in a heap of their own.
 *
 * <p>Guarded by the queue's lock.
 */
final class BackoffPods {
    private final PodBackoff times;
    final IndexedHeap<String, QueuedPodInfo> rejected;
    final IndexedHeap<String, QueuedPodInfo> failed;

    /**
     * None yet.
     *
     * @param times how long they wait
     * @param amongEqual the order of rejected pods whose backoff ends at the same time
     */
    BackoffPods(PodBackoff times, BiPredicate<QueuedPodInfo, QueuedPodInfo> amongEqual) {
        this.times = times;
        rejected =
                new IndexedHeap<>(QueuedPodInfo::key, (first, second) -> isCompletedBefore(first, second, amongEqual));
        failed = new IndexedHeap<>(
                QueuedPodInfo::key, (first, second) -> isCompletedBefore(first, second, BackoffPods::cameBefore));
    }

    private static boolean isCompletedBefore(
            QueuedPodInfo first, QueuedPodInfo second, BiPredicate<QueuedPodInfo, QueuedPodInfo> amongEqual) {
        int order = first.backoffEnd().compareTo(second.backoffEnd());
        return order != 0 ? order < 0 : amongEqual.test(first, second);
    }

    static boolean cameBefore(QueuedPodInfo first, QueuedPodInfo second) {
        return first.number() < second.number();
    }

    /** Whether the pod's backoff still lasts. */
    boolean lasts(QueuedPodInfo queued, Instant now) {
        return times.lasts(queued.backoffEnd(), now);
    }

    void put(QueuedPodInfo queued) {
        (queued.rejectors().isEmpty() ? failed : rejected).put(queued);
    }

    Optional<QueuedPodInfo> find(String key) {
        Optional<QueuedPodInfo> queued = rejected.find(key);
        return queued.isPresent() ? queued : failed.find(key);
    }

    Optional<QueuedPodInfo> remove(String key) {
        Optional<QueuedPodInfo> queued = rejected.remove(key);
        return queued.isPresent() ? queued : failed.remove(key);
    }

    boolean hasRejected() {
        return rejected.first().isPresent();
    }

    /** Takes out the rejected pod whose backoff ends first, whether it lasts or not. */
    Optional<QueuedPodInfo> removeFirstRejected() {
        return rejected.removeFirst();
    }

    /** Takes out a pod whose backoff is over, the rejected ones first; empty if there is none left. */
    Optional<QueuedPodInfo> removeCompleted(Instant now) {
        if (isFirstCompleted(rejected, now)) {
            return rejected.removeFirst();
        }
        return isFirstCompleted(failed, now) ? failed.removeFirst() : Optional.empty();
    }

    private boolean isFirstCompleted(IndexedHeap<String, QueuedPodInfo> heap, Instant now) {
        Optional<QueuedPodInfo> first = heap.first();
        return first.isPresent() && !lasts(first.get(), now);
    }
}
