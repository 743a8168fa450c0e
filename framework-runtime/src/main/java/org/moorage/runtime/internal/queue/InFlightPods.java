// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Pod;

/**
 * The pods that are being scheduled, and the events since the first of them was popped.
 *
 * <p>A pod's marker points at the last event before it was popped, so the events that matter to the pod are those that
 * follow. Events before the oldest marker are dropped. Guarded by the queue's lock.
 */
final class InFlightPods {
    final Map<String, Marker> markerByUid = new LinkedHashMap<>();
    // The link before that of the oldest event.
    Link start = new Link(null);
    private Link last = start;

    record Marker(QueuedPodInfo queued, Link position) {}

    static final class Link {
        final @Nullable QueueEvent event;

        @Nullable
        Link next;

        Link(@Nullable QueueEvent event) {
            this.event = event;
        }
    }

    boolean contains(String uid) {
        return markerByUid.containsKey(uid);
    }

    boolean contains(QueuedPodInfo queued) {
        Marker marker = markerByUid.get(queued.pod().uid());
        return marker != null && marker.queued() == queued;
    }

    Optional<QueuedPodInfo> find(String uid) {
        return Optional.ofNullable(markerByUid.get(uid)).map(Marker::queued);
    }

    void add(QueuedPodInfo queued) {
        markerByUid.put(queued.pod().uid(), new Marker(queued, last));
    }

    /** Records the event for the pods that are in flight. Has no effect if there are none. */
    void record(QueueEvent event) {
        if (markerByUid.isEmpty()) {
            return;
        }
        Link link = new Link(event);
        last.next = link;
        last = link;
    }

    /** Returns the events since the pod was popped, oldest first; none if it is not in flight. */
    List<QueueEvent> since(QueuedPodInfo queued) {
        Marker marker = markerByUid.get(queued.pod().uid());
        List<QueueEvent> events = new ArrayList<>();
        if (marker != null && marker.queued() == queued) {
            for (Link link = marker.position().next; link != null; link = link.next) {
                if (link.event != null) {
                    events.add(link.event);
                }
            }
        }
        return events;
    }

    /** Returns the pods, in the order in which they were popped. */
    List<Pod> pods() {
        List<Pod> pods = new ArrayList<>();
        markerByUid.values().forEach(marker -> pods.add(marker.queued().pod()));
        return pods;
    }

    /** Returns the numbers of recorded events, by label. */
    Map<String, Integer> eventCounts() {
        Map<String, Integer> counts = new HashMap<>();
        counts.put(WellKnownEvents.POD_POPPED, markerByUid.size());
        for (Link link = start.next; link != null; link = link.next) {
            if (link.event != null) {
                counts.merge(link.event.event().label(), 1, Integer::sum);
            }
        }
        return counts;
    }

    /** Removes a pod. Has no effect if it is not in flight, or only another attempt at it is. */
    void remove(QueuedPodInfo queued) {
        if (contains(queued)) {
            markerByUid.remove(queued.pod().uid());
            prune();
        }
    }

    void clear() {
        markerByUid.clear();
        prune();
    }

    private void prune() {
        // Markers are in the order of popping, so the first one points to the oldest event.
        Link oldest = markerByUid.isEmpty()
                ? last
                : markerByUid.values().iterator().next().position();
        while (start != oldest && start.next != null) {
            start = start.next;
        }
        if (markerByUid.isEmpty()) {
            // Otherwise the last link would keep its object reachable.
            start = new Link(null);
            last = start;
        }
    }
}
