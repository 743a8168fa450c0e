// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * The pods and groups in backoff. Pods that plugins rejected may be tried before the end of their backoff when no other
 * pod is ready. Pods that failed otherwise and groups may not, and are kept in a separate heap.
 *
 * <p>Guarded by the queue's lock.
 */
final class BackoffPods {
    private final PodBackoff times;
    final IndexedHeap<String, QueuedEntity> rejected;
    // Also groups, regardless of the plugins that rejected their pods.
    final IndexedHeap<String, QueuedEntity> failed;

    /**
     * Creates an instance without pods.
     *
     * @param times the backoff times
     * @param amongEqual the order of rejected pods whose backoff ends at the same time
     */
    BackoffPods(PodBackoff times, BiPredicate<QueuedEntity, QueuedEntity> amongEqual) {
        this.times = times;
        rejected =
                new IndexedHeap<>(QueuedEntity::key, (first, second) -> isCompletedBefore(first, second, amongEqual));
        failed = new IndexedHeap<>(
                QueuedEntity::key, (first, second) -> isCompletedBefore(first, second, BackoffPods::cameBefore));
    }

    private static boolean isCompletedBefore(
            QueuedEntity first, QueuedEntity second, BiPredicate<QueuedEntity, QueuedEntity> amongEqual) {
        int order = first.backoffEnd().compareTo(second.backoffEnd());
        return order != 0 ? order < 0 : amongEqual.test(first, second);
    }

    static boolean cameBefore(QueuedEntity first, QueuedEntity second) {
        return first.number() < second.number();
    }

    boolean lasts(QueuedEntity queued, Instant now) {
        return times.lasts(queued.backoffEnd(), now);
    }

    void put(QueuedEntity queued) {
        if (queued instanceof QueuedPodInfo pod && !pod.rejectors().isEmpty()) {
            rejected.put(pod);
        } else {
            failed.put(queued);
        }
    }

    Optional<QueuedEntity> find(String key) {
        return rejected.find(key).or(() -> failed.find(key));
    }

    Optional<QueuedEntity> remove(String key) {
        return rejected.remove(key).or(() -> failed.remove(key));
    }

    /** Returns all entities, in no particular order. */
    List<QueuedEntity> all() {
        List<QueuedEntity> all = new ArrayList<>(rejected.values());
        all.addAll(failed.values());
        return all;
    }

    boolean hasRejected() {
        return rejected.first().isPresent();
    }

    /** Removes and returns the selected rejected pod whose backoff ends first, even if it has not ended. */
    Optional<QueuedPodInfo> removeFirstRejected(Predicate<? super QueuedEntity> which) {
        return rejected.removeFirst(which).map(QueuedPodInfo.class::cast);
    }

    /** Removes and returns an entity whose backoff has ended, rejected pods first; empty if there is none. */
    Optional<QueuedEntity> removeCompleted(Instant now) {
        return removeCompleted(rejected, now).or(() -> removeCompleted(failed, now));
    }

    private Optional<QueuedEntity> removeCompleted(IndexedHeap<String, QueuedEntity> heap, Instant now) {
        return heap.first().filter(first -> !lasts(first, now)).isPresent() ? heap.removeFirst() : Optional.empty();
    }
}
