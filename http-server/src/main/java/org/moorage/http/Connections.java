// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The connections of a server, and which of them are closed for lack of time or room. All but {@link #awaitFinished} is called on the thread that serves them. */
final class Connections {
    private final int most;
    private final Set<Connection> all = new HashSet<>();

    /** Those that a request is awaited from, by their address, the one that has waited longest first. */
    private final Map<InetAddress, LinkedHashSet<Connection>> waiting = new HashMap<>();

    private final CountDownLatch finished = new CountDownLatch(1);
    private boolean isFinishing;

    Connections(int most) {
        this.most = most;
    }

    /** A connection is new; false if there is no room for it. */
    boolean add(Connection connection) {
        if (isFinishing || all.size() >= most && !makeRoom()) {
            return false;
        }
        all.add(connection);
        await(connection);
        return true;
    }

    // Whoever has few of them keeps them, as long as somebody else has more.
    private boolean makeRoom() {
        LinkedHashSet<Connection> longest = new LinkedHashSet<>();
        for (LinkedHashSet<Connection> ofAddress : waiting.values()) {
            if (ofAddress.size() > longest.size()) {
                longest = ofAddress;
            }
        }
        Iterator<Connection> first = longest.iterator();
        if (!first.hasNext()) {
            return false;
        }
        Connection given = first.next();
        remove(given);
        given.close();
        return true;
    }

    /** A request is awaited from now on. */
    void await(Connection connection) {
        waiting.computeIfAbsent(connection.address(), any -> new LinkedHashSet<>())
                .add(connection);
    }

    /** A request has come. */
    void asked(Connection connection) {
        LinkedHashSet<Connection> ofAddress = waiting.get(connection.address());
        if (ofAddress != null) {
            ofAddress.remove(connection);
            if (ofAddress.isEmpty()) {
                waiting.remove(connection.address());
            }
        }
    }

    /** A connection is gone. */
    void remove(Connection connection) {
        asked(connection);
        all.remove(connection);
        finishIfIdle();
    }

    void closeOverdue() {
        long now = System.nanoTime();
        List<Connection> overdue = new ArrayList<>();
        for (Connection connection : all) {
            if (connection.isOverdue(now)) {
                overdue.add(connection);
            }
        }
        overdue.forEach(Connection::giveUp);
    }

    /** Closes those that nothing has been asked on; the others are closed after their responses. */
    void finish() {
        isFinishing = true;
        List<Connection> idle = new ArrayList<>();
        waiting.values().forEach(idle::addAll);
        idle.forEach(Connection::close);
        finishIfIdle();
    }

    boolean isFinishing() {
        return isFinishing;
    }

    private void finishIfIdle() {
        if (isFinishing && all.isEmpty()) {
            finished.countDown();
        }
    }

    boolean awaitFinished(long atMost, TimeUnit unit) throws InterruptedException {
        return finished.await(atMost, unit);
    }
}
