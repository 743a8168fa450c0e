// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.kubernetes.NamespaceEvents.Occurrence;
import org.moorage.kubernetes.NamespaceEvents.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends events from its own threads; drops events while its queues are full.
 *
 * <p>Each namespace has its own queue, and namespaces take turns. If the server rejects a namespace's events, that
 * namespace backs off, keeps a bounded share of the room, and does not delay other namespaces.
 */
final class EventRecorder implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);

    /** The number of threads that run this. A hanging request blocks one of them. */
    static final int THREADS = 4;
    /** The timeout of a request. */
    static final Duration LONGEST_REQUEST = Duration.ofSeconds(5);

    private static final int MAX_EVENTS = 4000;
    private static final int MAX_EVENTS_OF_NAMESPACE = 1000;
    private static final int MAX_TRIES = 12;
    private static final Duration CHECK_INTERVAL = Duration.ofMinutes(1);

    private final ApiServer server;
    private final String hostName;
    private final RetryBackoff backoff;
    private final InstantSource clock;
    private final InstantSource monotonicClock;
    private final RandomGenerator random;
    private final StopSignal stop;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<String, Line> lines = new HashMap<>();

    /** Queues with events to send that no thread works on, in the order of their turns. */
    @GuardedBy("lock")
    private final Map<String, Line> waiting = new LinkedHashMap<>();

    @GuardedBy("lock")
    private int size;

    @GuardedBy("lock")
    private boolean isDropping;

    @GuardedBy("lock")
    private Instant lastCheck;

    private volatile boolean isFailing;

    /** The queue of one namespace. */
    private static final class Line {
        final NamespaceEvents events;
        final Deque<Occurrence> occurrences = new ArrayDeque<>();
        boolean isWorkedOn;
        /** Whether to check its series as soon as no thread works on it. */
        boolean isCheckDue;
        /** Tries of the next request so far. */
        int tries;
        /** Consecutive failures. */
        int failures;
        /** The earliest time of the next try, by the monotonic clock. */
        Instant notBefore = Instant.MIN;

        Line(NamespaceEvents events) {
            this.events = events;
        }

        boolean isEmpty() {
            return occurrences.isEmpty() && events.next().isEmpty();
        }
    }

    EventRecorder(
            ApiServer server, ClusterSettings settings, InstantSource clock, RandomGenerator random, StopSignal stop) {
        this.server = server;
        this.clock = clock;
        monotonicClock = settings.monotonicClock();
        this.random = random;
        this.stop = stop;
        hostName = settings.hostName();
        backoff = settings.backoff();
        lastCheck = monotonicClock.instant();
    }

    /** Queues an event to be sent, or drops it if there is no room. */
    void report(ReportedEvent event) {
        Occurrence occurrence = new Occurrence(event, clock.instant(), monotonicClock.instant());
        String namespace = event.namespace();
        lock.lock();
        try {
            Line line = lines.computeIfAbsent(namespace, name -> new Line(new NamespaceEvents(name, hostName)));
            if (line.occurrences.size() >= MAX_EVENTS_OF_NAMESPACE || size >= MAX_EVENTS && !makesRoomFor(line)) {
                dropped();
                return;
            }
            size++;
            line.occurrences.add(occurrence);
            if (!line.isWorkedOn) {
                waiting.putIfAbsent(namespace, line);
            }
            // Not as soon as there is room: with a merely slow server, the warning would be logged repeatedly.
            if (size < MAX_EVENTS_OF_NAMESPACE / 2) {
                isDropping = false;
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    // Drops the last event of the longest queue, if that queue is longer than this one.
    @GuardedBy("lock")
    private boolean makesRoomFor(Line line) {
        Line longest = line;
        for (Line other : lines.values()) {
            longest = other.occurrences.size() > longest.occurrences.size() ? other : longest;
        }
        if (longest == line) {
            return false;
        }
        longest.occurrences.removeLast();
        size--;
        dropped();
        return true;
    }

    @GuardedBy("lock")
    private void dropped() {
        if (!isDropping) {
            isDropping = true;
            LOG.atWarn().addKeyValue("queued", size).log("Dropping events: the API server takes them too slowly");
        }
    }

    /** Waits until all events have been sent, except those of namespaces whose requests fail. */
    void flush(Duration atMost) {
        Instant deadline = monotonicClock.instant().plus(atMost);
        lock.lock();
        try {
            while (lines.values().stream()
                    .anyMatch(line -> line.failures == 0 && (line.isWorkedOn || !line.isEmpty()))) {
                Duration left = Duration.between(monotonicClock.instant(), deadline);
                if (left.isNegative() || left.isZero()) {
                    return;
                }
                long ignored = changed.awaitNanos(left.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void run() {
        try {
            while (!stop.isSent()) {
                Line line = take();
                if (line != null) {
                    try {
                        step(line);
                    } catch (Throwable thrown) {
                        // The event is lost; the thread continues with the next one.
                        drop(line);
                        ThreadFailures.tell(thrown);
                    } finally {
                        giveBack(line);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // Returns the queue whose turn it is; null when the cluster is closed.
    private @Nullable Line take() throws InterruptedException {
        lock.lock();
        try {
            while (!stop.isSent()) {
                checkSeries();
                Instant now = monotonicClock.instant();
                Instant next = now.plus(CHECK_INTERVAL);
                for (Line line : waiting.values()) {
                    if (!line.notBefore.isAfter(now)) {
                        waiting.remove(line.events.namespace());
                        line.isWorkedOn = true;
                        return line;
                    }
                    next = line.notBefore.isBefore(next) ? line.notBefore : next;
                }
                long ignored = changed.awaitNanos(Duration.between(now, next).toNanos());
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    // Due series counts are sent with the other events of their namespaces.
    @GuardedBy("lock")
    private void checkSeries() {
        Instant now = monotonicClock.instant();
        if (now.isBefore(lastCheck.plus(CHECK_INTERVAL))) {
            return;
        }
        lastCheck = now;
        for (Iterator<Line> all = lines.values().iterator(); all.hasNext(); ) {
            Line line = all.next();
            if (line.isWorkedOn) {
                line.isCheckDue = true;
                continue;
            }
            line.events.checkSeries(now);
            if (!line.isEmpty()) {
                waiting.putIfAbsent(line.events.namespace(), line);
            } else if (line.events.isWithoutSeries() && !waiting.containsKey(line.events.namespace())) {
                all.remove();
            }
        }
    }

    private void giveBack(Line line) {
        lock.lock();
        try {
            line.isWorkedOn = false;
            try {
                if (line.isCheckDue) {
                    line.isCheckDue = false;
                    line.events.checkSeries(monotonicClock.instant());
                }
            } finally {
                if (!line.isEmpty()) {
                    // Last in turn: other namespaces go first.
                    waiting.put(line.events.namespace(), line);
                }
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private static void drop(Line line) {
        line.tries = 0;
        if (line.events.next().isPresent()) {
            line.events.refused(false);
        }
    }

    // Sends the next request of the queue.
    private void step(Line line) {
        if (line.events.next().isEmpty()) {
            Optional<Occurrence> occurrence = poll(line);
            occurrence.ifPresent(line.events::add);
        }
        Optional<Request> request = line.events.next();
        if (request.isPresent()) {
            send(line, request.get());
        }
    }

    private Optional<Occurrence> poll(Line line) {
        lock.lock();
        try {
            Occurrence occurrence = line.occurrences.poll();
            if (occurrence != null) {
                size--;
            }
            return Optional.ofNullable(occurrence);
        } finally {
            lock.unlock();
        }
    }

    private void send(Line line, Request request) {
        boolean isNew = request.method().equals("POST");
        String namespace = line.events.namespace();
        try {
            server.change(
                    "event " + namespace + "/" + request.name(),
                    request.method(),
                    ApiServer.path(EventJson.EVENT, namespace, isNew ? "" : request.name()),
                    isNew ? ApiServer.JSON : ApiServer.JSON_MERGE,
                    request.body());
            isFailing = false;
            line.tries = 0;
            line.failures = 0;
            line.events.taken();
        } catch (ClusterException e) {
            boolean isRetried = e.httpStatus() == 0 || e.httpStatus() == 429 || e.httpStatus() >= 500;
            if (!isFailing && !stop.isSent()) {
                LOG.atWarn().addKeyValue("cause", e.getMessage()).log("Cannot post events");
            }
            isFailing = true;
            line.tries++;
            if (isRetried) {
                line.failures++;
                line.notBefore = monotonicClock.instant().plus(backoff.after(line.failures, random));
            }
            if (!isRetried || line.tries == MAX_TRIES) {
                line.tries = 0;
                line.events.refused(e.isNotFound());
            }
        }
    }
}
