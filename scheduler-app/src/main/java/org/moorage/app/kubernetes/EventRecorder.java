// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import static java.time.ZoneOffset.UTC;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.PodEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends events, from a thread of its own and as far as its queue has room.
 *
 * <p>As with kube-scheduler, an event that occurs again within some minutes becomes a series: its second occurrence is sent as
 * such, further ones are counted, and the count is sent now and then and when the series is finished.
 */
final class EventRecorder implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);

    private static final ObjectKind<OtherObject> EVENT = ObjectKind.other("events.k8s.io/v1", "Event", "events", true);
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(UTC);

    private static final int QUEUE_CAPACITY = 1000;
    private static final int MAX_SERIES = 10_000;
    private static final int MAX_TRIES = 12;
    /** A series is finished when its event has not occurred for so long. */
    private static final Duration FINISH_TIME = Duration.ofMinutes(6);
    /** The count of a series is sent that often. */
    private static final Duration REFRESH_TIME = Duration.ofMinutes(30);

    private static final Duration CHECK_INTERVAL = Duration.ofMinutes(1);

    private static final int MAX_NOTE_BYTES = 1024;
    private static final String TRUNCATED = " ...";
    private static final int MAX_INSTANCE_LENGTH = 128;
    private static final int MAX_NAME_LENGTH = 253;

    private final ApiServer server;
    private final String hostName;
    private final RetryBackoff backoff;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final StopSignal stop;
    private final BlockingQueue<Occurrence> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
    private final AtomicBoolean isDropping = new AtomicBoolean();

    // What follows is for the thread that sends.
    private final Map<EventKey, Series> seriesByKey = new LinkedHashMap<>(16, 0.75f, true);
    private Instant lastCheck;
    private long lastNameNanos;
    private boolean isFailing;

    private record Occurrence(PodEvent event, Instant time) {}

    /** What occurrences of one event have in common. The note is not part of it: it often contains a count. */
    private record EventKey(
            String type, String reason, String action, String controller, String pod, String uid, String relatedUid) {
        static EventKey of(PodEvent event) {
            Pod pod = event.pod();
            return new EventKey(
                    event.type(),
                    event.reason(),
                    event.action(),
                    pod.spec().schedulerName(),
                    pod.key(),
                    pod.uid(),
                    event.related().map(Pod::uid).orElse(""));
        }
    }

    /** An event that was sent, and how often it has occurred since. */
    private static final class Series {
        final String namespace;
        final String name;
        int count = 1;
        int sentCount = 1;
        Instant lastOccurrence;
        Instant lastSent;

        Series(String namespace, String name, Instant time) {
            this.namespace = namespace;
            this.name = name;
            lastOccurrence = time;
            lastSent = time;
        }

        boolean isFinished(Instant now) {
            return now.isAfter(lastOccurrence.plus(FINISH_TIME));
        }
    }

    EventRecorder(
            ApiServer server, ClusterSettings settings, InstantSource clock, RandomGenerator random, StopSignal stop) {
        this.server = server;
        this.clock = clock;
        this.random = random;
        this.stop = stop;
        hostName = settings.hostName();
        backoff = settings.backoff();
        lastCheck = clock.instant();
    }

    /** Queues an event to be sent, or drops it if the queue is full. */
    void report(PodEvent event) {
        boolean isQueued = queue.offer(new Occurrence(event, clock.instant()));
        if (isQueued) {
            // Not as soon as there is room: a server that is merely slow would have the warning logged over and over.
            if (queue.size() < QUEUE_CAPACITY / 2) {
                isDropping.set(false);
            }
        } else if (!isDropping.getAndSet(true)) {
            LOG.atWarn()
                    .addKeyValue("queued", QUEUE_CAPACITY)
                    .log("Dropping events: the API server takes them too slowly");
        }
    }

    @Override
    public void run() {
        try {
            while (!stop.isSent()) {
                Occurrence next = queue.poll(CHECK_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
                if (next != null) {
                    record(next);
                }
                checkSeries();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void record(Occurrence occurrence) {
        EventKey key = EventKey.of(occurrence.event);
        Series series = seriesByKey.get(key);
        if (series != null && !series.isFinished(occurrence.time)) {
            series.count++;
            series.lastOccurrence = occurrence.time;
            if (series.count > 2 || sendCount(series)) {
                return;
            }
        }
        create(key, occurrence);
    }

    private void create(EventKey key, Occurrence occurrence) {
        String namespace = namespaceOf(occurrence.event.pod());
        String name = newName(occurrence);
        ObjectNode event = json(occurrence, namespace, name);
        Series former = seriesByKey.remove(key);
        if (former != null && former.count > former.sentCount) {
            sendCount(former);
        }
        if (send("POST", namespace, name, "", ApiServer.JSON, event).isPresent()) {
            return;
        }
        seriesByKey.put(key, new Series(namespace, name, occurrence.time));
        if (seriesByKey.size() > MAX_SERIES) {
            Iterator<Series> eldest = seriesByKey.values().iterator();
            eldest.next();
            eldest.remove();
        }
    }

    /** Sends how often an event has occurred; false if it is no longer there. */
    private boolean sendCount(Series series) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("series")
                .put("count", series.count)
                .put("lastObservedTime", MICRO_TIME.format(series.lastOccurrence));
        Optional<ClusterException> failure =
                send("PATCH", series.namespace, series.name, series.name, ApiServer.JSON_MERGE, patch);
        series.sentCount = series.count;
        series.lastSent = series.lastOccurrence;
        return failure.filter(ClusterException::isNotFound).isEmpty();
    }

    // Sends the counts that are due, and forgets the series that are finished.
    private void checkSeries() {
        Instant now = clock.instant();
        if (now.isBefore(lastCheck.plus(CHECK_INTERVAL))) {
            return;
        }
        lastCheck = now;
        for (Iterator<Series> all = seriesByKey.values().iterator(); all.hasNext(); ) {
            Series series = all.next();
            boolean isOver = series.isFinished(now);
            boolean isDue = isOver || now.isAfter(series.lastSent.plus(REFRESH_TIME));
            if (isDue && series.count > series.sentCount) {
                isOver |= !sendCount(series);
            }
            if (isOver) {
                all.remove();
            }
        }
    }

    /** Returns why the server did not take it; empty if it did. */
    private Optional<ClusterException> send(
            String method, String namespace, String name, String nameInPath, String contentType, ObjectNode body) {
        String what = "event " + namespace + "/" + name;
        String path = ApiServer.path(EVENT, namespace, nameInPath);
        for (int tries = 1; ; tries++) {
            try {
                server.change(what, method, path, contentType, body);
                isFailing = false;
                return Optional.empty();
            } catch (ClusterException e) {
                boolean isRetried = e.httpStatus() == 0 || e.httpStatus() == 429 || e.httpStatus() >= 500;
                if (!isFailing && !stop.isSent()) {
                    LOG.atWarn().addKeyValue("cause", e.getMessage()).log("Cannot post events");
                }
                isFailing = true;
                if (!isRetried || tries == MAX_TRIES || stop.isSentWithin(backoff.after(tries, random))) {
                    return Optional.of(e);
                }
            }
        }
    }

    private ObjectNode json(Occurrence occurrence, String namespace, String name) {
        PodEvent event = occurrence.event;
        String scheduler = event.pod().spec().schedulerName();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("apiVersion", EVENT.apiVersion()).put("kind", EVENT.kind());
        json.putObject("metadata").put("name", name).put("namespace", namespace);
        json.put("eventTime", MICRO_TIME.format(occurrence.time));
        json.put("reportingController", scheduler);
        json.put("reportingInstance", prefix(scheduler + "-" + hostName, MAX_INSTANCE_LENGTH));
        json.put("action", event.action());
        json.put("reason", event.reason());
        json.set("regarding", reference(event.pod()));
        event.related().ifPresent(related -> json.set("related", reference(related)));
        json.put("note", truncated(event.note()));
        json.put("type", event.type());
        return json;
    }

    private static ObjectNode reference(Pod pod) {
        ObjectNode reference = JsonNodeFactory.instance.objectNode();
        reference.put("apiVersion", "v1").put("kind", "Pod");
        reference.put("namespace", pod.namespace()).put("name", pod.name()).put("uid", pod.uid());
        if (!pod.metadata().resourceVersion().isEmpty()) {
            reference.put("resourceVersion", pod.metadata().resourceVersion());
        }
        return reference;
    }

    private static String namespaceOf(Pod pod) {
        return pod.namespace().isEmpty() ? "default" : pod.namespace();
    }

    // The pod's name and the time in nanoseconds, which is increased where the clock has not moved, so that no two
    // events have one name.
    private String newName(Occurrence occurrence) {
        long nanos = ChronoUnit.NANOS.between(Instant.EPOCH, occurrence.time);
        lastNameNanos = Math.max(nanos, lastNameNanos + 1);
        String suffix = "." + Long.toHexString(lastNameNanos);
        return prefix(occurrence.event.pod().name(), MAX_NAME_LENGTH - suffix.length()) + suffix;
    }

    private static String prefix(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }

    /** A note of at most as many bytes as the server takes, without half a character at its end. */
    static String truncated(String note) {
        byte[] bytes = note.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= MAX_NOTE_BYTES) {
            return note;
        }
        int end = MAX_NOTE_BYTES - TRUNCATED.length();
        while ((bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + TRUNCATED;
    }
}
