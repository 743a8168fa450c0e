// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;

/**
 * The events of one namespace: the requests to send for them, and their series.
 *
 * <p>As with kube-scheduler, an event that occurs again within some minutes becomes a series: its second occurrence is
 * sent as such, further ones are counted, and the count is sent periodically and when the series is finished.
 *
 * <p>For use by one thread at a time.
 */
final class NamespaceEvents {
    private static final int MAX_SERIES = 10_000;
    /** A series is finished when its event has not occurred for this long. */
    private static final Duration FINISH_TIME = Duration.ofMinutes(6);
    /** The interval at which the count of a series is sent. */
    private static final Duration REFRESH_TIME = Duration.ofMinutes(30);

    private final String namespace;
    private final String hostName;
    private final Map<EventKey, Series> seriesByKey = new LinkedHashMap<>(16, 0.75f, true);
    private final Deque<Request> requests = new ArrayDeque<>();
    private long lastNameNanos;

    /**
     * An event and when it occurred.
     *
     * @param time the wall-clock time, which the event contains
     * @param measured the monotonic time, by which series are measured
     */
    record Occurrence(ReportedEvent event, Instant time, Instant measured) {}

    /**
     * A request to send.
     *
     * @param method {@code POST} for a new event, {@code PATCH} for the count of a series
     * @param name the event's name
     * @param series the series that starts with the event, or whose count is sent
     * @param otherwise the occurrence to send as a new event if the event of the series no longer exists
     */
    record Request(
            String method, String name, ObjectNode body, EventKey key, Series series, Optional<Occurrence> otherwise) {}

    /** The properties that occurrences of one event share. Excludes the note, which often contains a count. */
    record EventKey(
            String type,
            String reason,
            String action,
            String controller,
            String object,
            String uid,
            String relatedUid) {
        static EventKey of(ReportedEvent event) {
            ClusterObject object = event.regarding();
            return new EventKey(
                    event.type(),
                    event.reason(),
                    event.action(),
                    event.controller(),
                    object.key(),
                    object.metadata().uid(),
                    event.related().map(related -> related.metadata().uid()).orElse(""));
        }
    }

    /** An event that was sent, and the number of occurrences since then. */
    static final class Series {
        private final String name;
        private int count = 1;
        private int sentCount = 1;
        private Occurrence last;
        private Instant lastSent;

        private Series(String name, Occurrence first) {
            this.name = name;
            last = first;
            lastSent = first.measured;
        }

        private boolean isFinished(Instant now) {
            return now.isAfter(last.measured.plus(FINISH_TIME));
        }
    }

    NamespaceEvents(String namespace, String hostName) {
        this.namespace = namespace;
        this.hostName = hostName;
    }

    String namespace() {
        return namespace;
    }

    /** Returns whether there is no series. */
    boolean isWithoutSeries() {
        return seriesByKey.isEmpty();
    }

    /** Returns the next request; empty if there is none. */
    Optional<Request> next() {
        return Optional.ofNullable(requests.peek());
    }

    /** Adds an occurrence of an event, and the requests that result from it. */
    void add(Occurrence occurrence) {
        EventKey key = EventKey.of(occurrence.event);
        Series series = seriesByKey.get(key);
        if (series != null && !series.isFinished(occurrence.measured)) {
            series.count++;
            series.last = occurrence;
            if (series.count == 2) {
                requests.add(count(key, series, Optional.of(occurrence)));
            }
            return;
        }
        create(key, occurrence);
    }

    private void create(EventKey key, Occurrence occurrence) {
        Series former = seriesByKey.remove(key);
        if (former != null && former.count > former.sentCount) {
            requests.add(count(key, former, Optional.empty()));
        }
        String name = newName(occurrence);
        ObjectNode json = EventJson.of(occurrence.event, occurrence.time, hostName, namespace, name);
        requests.add(new Request("POST", name, json, key, new Series(name, occurrence), Optional.empty()));
    }

    private static Request count(EventKey key, Series series, Optional<Occurrence> otherwise) {
        ObjectNode patch = EventJson.series(series.count, series.last.time);
        series.sentCount = series.count;
        series.lastSent = series.last.measured;
        return new Request("PATCH", series.name, patch, key, series, otherwise);
    }

    /** Removes the next request, which the server has accepted. */
    void taken() {
        Request request = requests.remove();
        if (request.method.equals("POST")) {
            seriesByKey.put(request.key, request.series);
            if (seriesByKey.size() > MAX_SERIES) {
                Iterator<Series> eldest = seriesByKey.values().iterator();
                eldest.next();
                eldest.remove();
            }
        }
    }

    /** Removes the next request, which the server has rejected permanently. */
    void refused(boolean isNotFound) {
        Request request = requests.remove();
        if (isNotFound && request.method.equals("PATCH")) {
            // The event has expired.
            seriesByKey.remove(request.key, request.series);
            request.otherwise.ifPresent(occurrence -> create(request.key, occurrence));
        }
    }

    /**
     * Adds requests with the counts that are due, and removes the series that are finished.
     *
     * @param now the current monotonic time
     */
    void checkSeries(Instant now) {
        for (Iterator<Map.Entry<EventKey, Series>> all = seriesByKey.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<EventKey, Series> entry = all.next();
            Series series = entry.getValue();
            boolean isOver = series.isFinished(now);
            boolean isDue = isOver || now.isAfter(series.lastSent.plus(REFRESH_TIME));
            if (isDue && series.count > series.sentCount) {
                requests.add(count(entry.getKey(), series, Optional.empty()));
            }
            if (isOver) {
                all.remove();
            }
        }
    }

    // The time in nanoseconds, incremented if the clock has not advanced, so that each event gets a unique name.
    private String newName(Occurrence occurrence) {
        long nanos = ChronoUnit.NANOS.between(Instant.EPOCH, occurrence.time);
        lastNameNanos = Math.max(nanos, lastNameNanos + 1);
        return EventJson.name(occurrence.event.regarding(), lastNameNanos);
    }
}
