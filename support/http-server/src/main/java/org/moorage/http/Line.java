// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * The queue of requests for a small thread pool, and the requests in progress. Alternately, a free thread takes the
 * request that has waited longest, or the first complete one, so that clients that send their bodies slowly do not
 * delay the rest. All methods are called on the thread that serves connections.
 */
final class Line {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    // How long a client may block a thread while other requests wait for one.
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final int mostThreads;
    private final int mostWaiting;
    private final Executor threads;
    private final Executor loop;
    private final InstantSource clock;
    private final Refusals refusals;
    private final Map<Connection, Waiting> waiting = new LinkedHashMap<>();
    private final Set<Connection> running = new LinkedHashSet<>();
    private int busy;
    private boolean isTurnOfComplete;

    /** Work, and when it was queued. */
    private record Waiting(Runnable work, Instant since) {}

    /**
     * Creates an empty queue.
     *
     * @param mostThreads the most requests in progress at the same time
     * @param mostWaiting the most queued requests
     * @param threads runs the work
     * @param loop the thread that serves connections
     * @param clock measures how long requests wait
     */
    Line(int mostThreads, int mostWaiting, Executor threads, Executor loop, InstantSource clock, Refusals refusals) {
        this.mostThreads = mostThreads;
        this.mostWaiting = mostWaiting;
        this.threads = threads;
        this.loop = loop;
        this.clock = clock;
        this.refusals = refusals;
    }

    /** Queues work for the request of a connection; refuses the connection's request if the queue is full. */
    void join(Connection connection, Runnable work) {
        if (busy < mostThreads) {
            run(connection, work);
            return;
        }
        waiting.put(connection, new Waiting(work, clock.instant()));
        if (waiting.size() > mostWaiting) {
            refuse(lastOfMost());
        }
    }

    // The client with the most queued requests loses the last of them, or the last one whose body is incomplete.
    private Connection lastOfMost() {
        Map<InetAddress, Integer> counts = new HashMap<>();
        waiting.keySet().forEach(connection -> counts.merge(connection.network(), 1, Integer::sum));
        Connection last = waiting.keySet().iterator().next();
        for (Connection connection : waiting.keySet()) {
            int more = counts.getOrDefault(connection.network(), 0) - counts.getOrDefault(last.network(), 0);
            boolean isSooner = !connection.isRequestComplete() || last.isRequestComplete();
            if (more > 0 || more == 0 && isSooner) {
                last = connection;
            }
        }
        return last;
    }

    private void refuse(Connection connection) {
        waiting.remove(connection);
        refusals.requests().increment();
        connection.refuse();
    }

    private void run(Connection connection, Runnable work) {
        busy++;
        running.add(connection);
        try {
            threads.execute(() -> {
                try {
                    work.run();
                } finally {
                    finished(connection);
                }
            });
        } catch (RejectedExecutionException stopping) {
            busy--;
            running.remove(connection);
            connection.close();
        }
    }

    // On the thread that did the work.
    private void finished(Connection connection) {
        try {
            loop.execute(() -> {
                busy--;
                running.remove(connection);
                next();
            });
        } catch (RejectedExecutionException stopped) {
            // The queue is empty.
        }
    }

    private void next() {
        if (waiting.isEmpty() || busy >= mostThreads) {
            return;
        }
        Connection next = waiting.keySet().iterator().next();
        if (isTurnOfComplete) {
            next = waiting.keySet().stream()
                    .filter(Connection::isRequestComplete)
                    .findFirst()
                    .orElse(next);
        }
        isTurnOfComplete = !isTurnOfComplete;
        Waiting entry = waiting.remove(next);
        if (entry != null) {
            run(next, entry.work());
        }
    }

    boolean isWaiting(Connection connection) {
        return waiting.containsKey(connection);
    }

    /** Removes a connection that was closed. */
    void remove(Connection connection) {
        waiting.remove(connection);
    }

    /**
     * Refuses requests that have waited too long, and closes connections that block threads which other requests need.
     */
    void sweep() {
        Instant longestSince = clock.instant().minus(LONGEST_WAIT);
        List<Connection> late = new ArrayList<>();
        waiting.forEach((connection, entry) -> {
            if (entry.since().isBefore(longestSince)) {
                late.add(connection);
            }
        });
        late.forEach(this::refuse);
        List<Connection> slow = running.stream()
                .filter(connection -> connection.keepsThreadWaiting(PATIENCE))
                .limit(waiting.size())
                .toList();
        slow.forEach(connection -> {
            refusals.slowClients().increment();
            connection.close();
        });
    }
}
