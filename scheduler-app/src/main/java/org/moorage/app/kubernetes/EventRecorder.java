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
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.PodEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts events, from a thread of its own and as far as its queue has room.
 *
 * <p>As with kube-scheduler, what happens again within some minutes does not make another event but a series of the first:
 * its second occurrence is posted, further ones are counted, and the count is posted now and then and in the end.
 */
final class EventRecorder implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);

    private static final ObjectKind<OtherObject> EVENT = ObjectKind.other("events.k8s.io/v1", "Event", "events", true);
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(UTC);
    private static final String MERGE = "application/merge-patch+json";

    private static final int QUEUED = 1000;
    private static final int REMEMBERED = 10_000;
    private static final int MOST_TRIES = 12;
    private static final Duration SERIES_ENDS_AFTER = Duration.ofMinutes(6);
    private static final Duration COUNT_POSTED_EVERY = Duration.ofMinutes(30);
    private static final Duration TIDIED_EVERY = Duration.ofMinutes(1);

    private static final int LONGEST_NOTE = 1024;
    private static final String CUT = " ...";
    private static final int LONGEST_INSTANCE = 128;
    private static final int LONGEST_NAME = 253;

    private final ApiServer server;
    private final String hostName;
    private final Backoff backoff;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Stopper stopper;
    private final BlockingQueue<Occurrence> queue = new ArrayBlockingQueue<>(QUEUED);
    private final AtomicBoolean full = new AtomicBoolean();

    // The rest belongs to the thread that posts.
    private final Map<Subject, Series> seriesBySubject = new LinkedHashMap<>(16, 0.75f, true);
    private Instant tidied;
    private long lastNanos;
    private boolean failing;

    private record Occurrence(PodEvent event, Instant time) {}

    /** What two events must share to be the same thing again. The note is not part of it: it often holds a count. */
    private record Subject(
            String type, String reason, String action, String controller, String pod, String uid, String relatedUid) {
        static Subject of(PodEvent event) {
            Pod pod = event.pod();
            return new Subject(
                    event.type(),
                    event.reason(),
                    event.action(),
                    pod.spec().schedulerName(),
                    pod.key(),
                    pod.uid(),
                    event.related().map(Pod::uid).orElse(""));
        }
    }

    private static final class Series {
        final String namespace;
        final String name;
        int count = 1;
        int posted = 1;
        Instant last;
        Instant lastPost;

        Series(String namespace, String name, Instant time) {
            this.namespace = namespace;
            this.name = name;
            last = time;
            lastPost = time;
        }
    }

    EventRecorder(
            ApiServer server,
            KubernetesCluster.Settings settings,
            InstantSource clock,
            RandomGenerator random,
            Stopper stopper) {
        this.server = server;
        this.clock = clock;
        this.random = random;
        this.stopper = stopper;
        hostName = settings.hostName();
        backoff = settings.backoff();
        tidied = clock.instant();
    }

    /** Takes an event to be posted, or drops it if too many wait. */
    void report(PodEvent event) {
        boolean taken = queue.offer(new Occurrence(event, clock.instant()));
        if (taken) {
            // Not at the first free place: a server that is merely slow would have it said over and over.
            if (queue.size() < QUEUED / 2) {
                full.set(false);
            }
        } else if (!full.getAndSet(true)) {
            LOG.atWarn().addKeyValue("queued", QUEUED).log("Dropping events: the API server takes them too slowly");
        }
    }

    @Override
    public void run() {
        try {
            while (!stopper.isStopped()) {
                Occurrence next = queue.poll(TIDIED_EVERY.toNanos(), TimeUnit.NANOSECONDS);
                if (next != null) {
                    post(next);
                }
                tidy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void post(Occurrence occurrence) {
        Subject subject = Subject.of(occurrence.event);
        Series series = seriesBySubject.get(subject);
        if (series != null && !isOver(series, occurrence.time)) {
            series.count++;
            series.last = occurrence.time;
            if (series.count > 2 || postCount(series)) {
                return;
            }
        }
        create(subject, occurrence);
    }

    private void create(Subject subject, Occurrence occurrence) {
        String namespace = namespaceOf(occurrence.event.pod());
        String name = nameOf(occurrence);
        ObjectNode event = eventOf(occurrence, namespace, name);
        Series former = seriesBySubject.remove(subject);
        if (former != null && former.count > former.posted) {
            postCount(former);
        }
        if (send("event " + namespace + "/" + name, "POST", "", ApiServer.JSON, event, namespace) != null) {
            return;
        }
        seriesBySubject.put(subject, new Series(namespace, name, occurrence.time));
        if (seriesBySubject.size() > REMEMBERED) {
            Iterator<Series> eldest = seriesBySubject.values().iterator();
            eldest.next();
            eldest.remove();
        }
    }

    /** Posts how often it has happened; false if the event is no longer there. */
    private boolean postCount(Series series) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("series").put("count", series.count).put("lastObservedTime", MICRO_TIME.format(series.last));
        String what = "event " + series.namespace + "/" + series.name;
        ClusterException failure = send(what, "PATCH", series.name, MERGE, patch, series.namespace);
        series.posted = series.count;
        series.lastPost = series.last;
        return failure == null || !failure.isNotFound();
    }

    private void tidy() {
        Instant now = clock.instant();
        if (now.isBefore(tidied.plus(TIDIED_EVERY))) {
            return;
        }
        tidied = now;
        for (Iterator<Series> all = seriesBySubject.values().iterator(); all.hasNext(); ) {
            Series series = all.next();
            boolean over = isOver(series, now);
            boolean due = over || now.isAfter(series.lastPost.plus(COUNT_POSTED_EVERY));
            if (due && series.count > series.posted) {
                over |= !postCount(series);
            }
            if (over) {
                all.remove();
            }
        }
    }

    private static boolean isOver(Series series, Instant now) {
        return now.isAfter(series.last.plus(SERIES_ENDS_AFTER));
    }

    // Null if it was taken.
    private @Nullable ClusterException send(
            String what, String method, String name, String contentType, ObjectNode body, String namespace) {
        for (int tries = 1; ; tries++) {
            try {
                server.change(what, method, ApiServer.path(EVENT, namespace, name), contentType, body);
                failing = false;
                return null;
            } catch (ClusterException e) {
                boolean mayPass = e.httpStatus() == 0 || e.httpStatus() == 429 || e.httpStatus() >= 500;
                if (!failing && !stopper.isStopped()) {
                    LOG.atWarn().addKeyValue("cause", e.getMessage()).log("Cannot post events");
                }
                failing = true;
                if (!mayPass || tries == MOST_TRIES || stopper.stopsWithin(backoff.after(tries, random))) {
                    return e;
                }
            }
        }
    }

    private ObjectNode eventOf(Occurrence occurrence, String namespace, String name) {
        PodEvent event = occurrence.event;
        String scheduler = event.pod().spec().schedulerName();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("apiVersion", EVENT.apiVersion()).put("kind", EVENT.kind());
        json.putObject("metadata").put("name", name).put("namespace", namespace);
        json.put("eventTime", MICRO_TIME.format(occurrence.time));
        json.put("reportingController", scheduler);
        json.put("reportingInstance", first(scheduler + "-" + hostName, LONGEST_INSTANCE));
        json.put("action", event.action());
        json.put("reason", event.reason());
        json.set("regarding", reference(event.pod()));
        event.related().ifPresent(related -> json.set("related", reference(related)));
        json.put("note", cut(event.note()));
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

    // Two events of one pod must not have one name, even within a tick of the clock.
    private String nameOf(Occurrence occurrence) {
        long nanos = ChronoUnit.NANOS.between(Instant.EPOCH, occurrence.time);
        lastNanos = Math.max(nanos, lastNanos + 1);
        String suffix = "." + Long.toHexString(lastNanos);
        return first(occurrence.event.pod().name(), LONGEST_NAME - suffix.length()) + suffix;
    }

    private static String first(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }

    // The limit is one of bytes, and no character may be torn apart.
    static String cut(String note) {
        byte[] bytes = note.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= LONGEST_NOTE) {
            return note;
        }
        int end = LONGEST_NOTE - CUT.length();
        while ((bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + CUT;
    }
}
