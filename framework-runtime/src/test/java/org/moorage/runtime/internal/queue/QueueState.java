// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.moorage.api.model.Pod;

/** The state of a pod in a queue, for tests. */
record QueueState(
        Pod pod,
        In in,
        int attempts,
        int unschedulableCount,
        int consecutiveErrors,
        Instant timestamp,
        Instant backoffEnd,
        RejectorPlugins rejectors,
        String gatedBy) {
    /** Where a pod is. */
    enum In {
        ACTIVE,
        BACKOFF,
        ERROR_BACKOFF,
        UNSCHEDULABLE,
        GATED,
        INCOMPLETE,
        PENDING,
        IN_FLIGHT
    }

    /** How many pods and groups are where. */
    record Counts(int active, int backoff, int unschedulable, int gated, int inFlight, int inFlightEvents) {
        int queued() {
            return active + backoff + unschedulable + gated;
        }
    }

    /** The state of the pod of that key; empty if it is neither queued nor in flight. */
    static Optional<QueueState> of(SchedulingQueue queue, String key) {
        return all(queue, key).stream().findFirst();
    }

    /** All that the queue holds of pods of that key, first what is queued, then what is in flight. */
    static List<QueueState> all(SchedulingQueue queue, String key) {
        List<QueueState> all = new ArrayList<>();
        queue.lock.lock();
        try {
            for (QueuedEntity queued : entities(queue.queued)) {
                if (queued instanceof QueuedPodInfo pod && pod.key().equals(key)) {
                    all.add(of(pod, placeOf(queue.queued, pod)));
                } else if (queued instanceof QueuedPodGroupInfo group) {
                    for (QueuedPodInfo member : group.members()) {
                        if (member.key().equals(key)) {
                            all.add(of(member, placeOf(queue.queued, group)));
                        }
                    }
                }
            }
            queue.members.forEachOutsideSubQueues((in, members) -> {
                for (QueuedPodInfo member : members) {
                    if (member.key().equals(key)) {
                        all.add(of(member, In.valueOf(in.name())));
                    }
                }
            });
            for (InFlightPods.Marker marker : queue.inFlight.markerByUid.values()) {
                if (marker.queued().key().equals(key)) {
                    all.add(of(marker.queued(), In.IN_FLIGHT));
                }
            }
        } finally {
            queue.lock.unlock();
        }
        return all;
    }

    /** The state of the queued group of that key; empty if it is not queued. */
    static Optional<QueueState> ofGroup(SchedulingQueue queue, String key) {
        queue.lock.lock();
        try {
            SubQueues queued = queue.queued;
            return queued.find(key).map(group -> of(group, placeOf(queued, group)));
        } finally {
            queue.lock.unlock();
        }
    }

    /** Returns the entities of the sub-queues. */
    static List<QueuedEntity> entities(SchedulingQueue queue) {
        queue.lock.lock();
        try {
            return entities(queue.queued);
        } finally {
            queue.lock.unlock();
        }
    }

    private static List<QueuedEntity> entities(SubQueues queued) {
        List<QueuedEntity> all = new ArrayList<>(queued.active.values());
        all.addAll(queued.backoff.rejected.values());
        all.addAll(queued.backoff.failed.values());
        all.addAll(queued.unschedulable.values());
        return all;
    }

    private static In placeOf(SubQueues queued, QueuedEntity entity) {
        SubQueue in = queued.placeOf(entity);
        boolean isOfErrors = queued.backoff.failed.find(entity.key()).isPresent();
        return isOfErrors ? In.ERROR_BACKOFF : In.valueOf(in.name());
    }

    private static QueueState of(QueuedEntity pod, In in) {
        return new QueueState(
                pod.pod(),
                in,
                pod.attempts(),
                pod.unschedulableCount(),
                pod.consecutiveErrors(),
                pod.timestamp(),
                pod.backoffEnd(),
                pod.rejectors(),
                pod.gatedBy());
    }

    static Counts counts(SchedulingQueue queue) {
        queue.lock.lock();
        try {
            int unschedulable = 0;
            int gated = 0;
            for (QueuedEntity waiting : queue.queued.unschedulable.values()) {
                unschedulable += waiting.isGated() ? 0 : 1;
                gated += waiting.isGated() ? 1 : 0;
            }
            int events = 0;
            for (InFlightPods.Link link = queue.inFlight.start.next; link != null; link = link.next) {
                events++;
            }
            return new Counts(
                    queue.queued.active.size(),
                    queue.queued.backoff.rejected.size() + queue.queued.backoff.failed.size(),
                    unschedulable,
                    gated,
                    queue.inFlight.markerByUid.size(),
                    events);
        } finally {
            queue.lock.unlock();
        }
    }

    /** The first moment at which a pod's backoff is over; empty if no pod backs off. */
    static Optional<Instant> nextBackoffCompletion(SchedulingQueue queue, QueueSettings settings) {
        queue.lock.lock();
        try {
            return Stream.of(queue.queued.backoff.rejected.first(), queue.queued.backoff.failed.first())
                    .flatMap(Optional::stream)
                    .map(QueuedEntity::backoffEnd)
                    .min(Instant::compareTo)
                    .map(end ->
                            end.plus(settings.popsEarly() ? Duration.ofSeconds(1) : Duration.of(1, ChronoUnit.NANOS)));
        } finally {
            queue.lock.unlock();
        }
    }
}
