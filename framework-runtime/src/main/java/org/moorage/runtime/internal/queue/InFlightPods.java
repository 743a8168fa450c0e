// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The pods that are being scheduled, and what has happened since the first of them was popped.
 *
 * <p>A pod's marker points at the last event before it was popped, so the events that matter to the pod are those that
 * follow. Events before the oldest marker are dropped. Guarded by the queue's lock.
 */
final class InFlightPods {
    private final Map<String, Marker> markerByUid = new LinkedHashMap<>();
    private final QueueObserver observer;
    // The link before the oldest event that is kept.
    private Link start = new Link(null);
    private Link last = start;
    private int events;

    private record Marker(QueuedPodInfo entry, Link position) {}

    private static final class Link {
        final @Nullable QueueEvent happening;

        @Nullable
        Link next;

        Link(@Nullable QueueEvent happening) {
            this.happening = happening;
        }
    }

    InFlightPods(QueueObserver observer) {
        this.observer = observer;
    }

    int size() {
        return markerByUid.size();
    }

    int eventCount() {
        return events;
    }

    boolean contains(String uid) {
        return markerByUid.containsKey(uid);
    }

    boolean contains(QueuedPodInfo entry) {
        Marker marker = markerByUid.get(entry.pod().uid());
        return marker != null && marker.entry() == entry;
    }

    Optional<QueuedPodInfo> find(String key) {
        for (Marker marker : markerByUid.values()) {
            if (marker.entry().key().equals(key)) {
                return Optional.of(marker.entry());
            }
        }
        return Optional.empty();
    }

    Collection<QueuedPodInfo> entries() {
        List<QueuedPodInfo> entries = new ArrayList<>(markerByUid.size());
        for (Marker marker : markerByUid.values()) {
            entries.add(marker.entry());
        }
        return Collections.unmodifiableList(entries);
    }

    void add(QueuedPodInfo entry) {
        markerByUid.put(entry.pod().uid(), new Marker(entry, last));
    }

    /** Keeps the event for the pods that are in flight; for nobody if there are none. */
    void record(QueueEvent happening) {
        if (markerByUid.isEmpty()) {
            return;
        }
        Link link = new Link(happening);
        last.next = link;
        last = link;
        events++;
        observer.keptInFlight(happening.event().label(), 1);
    }

    /** What has happened since the pod was popped, oldest first; nothing if it is not in flight. */
    List<QueueEvent> since(QueuedPodInfo entry) {
        Marker marker = markerByUid.get(entry.pod().uid());
        List<QueueEvent> happenings = new ArrayList<>();
        if (marker != null && marker.entry() == entry) {
            for (Link link = marker.position().next; link != null; link = link.next) {
                if (link.happening != null) {
                    happenings.add(link.happening);
                }
            }
        }
        return happenings;
    }

    /** Does nothing if this very entry is not in flight. */
    void remove(QueuedPodInfo entry) {
        if (contains(entry)) {
            markerByUid.remove(entry.pod().uid());
            prune();
        }
    }

    void clear() {
        markerByUid.clear();
        prune();
    }

    private void prune() {
        // Markers are in the order of popping, so the first one points furthest back.
        Link oldest = markerByUid.isEmpty()
                ? last
                : markerByUid.values().iterator().next().position();
        while (start != oldest && start.next != null) {
            start = start.next;
            if (start.happening != null) {
                events--;
                observer.keptInFlight(start.happening.event().label(), -1);
            }
        }
        if (markerByUid.isEmpty()) {
            // The last link would hold on to its object.
            start = new Link(null);
            last = start;
        }
    }
}
