// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a server. Closes connections that exceed a time limit, or to make room. All methods except {@link
 * #awaitFinished} are called on the thread that serves connections.
 *
 * <p>A new connection is accepted even at the limit, since it may be a health probe, which only its head shows. The
 * connection with the lowest {@link Connection.Rank} is then closed.
 */
final class Connections {
    private static final int FILES_SHARE = 16;

    private final int most;
    private final Refusals refusals;
    private final Set<Connection> all = new LinkedHashSet<>();
    private final Map<InetAddress, Integer> countByNetwork = new HashMap<>();
    private final CountDownLatch finished = new CountDownLatch(1);
    private boolean isFinishing;

    Connections(int most, Refusals refusals) {
        this.most = most;
        this.refusals = refusals;
    }

    /** Adds a connection. Returns false if there is no room, since the handler works on all others. */
    boolean add(Connection connection) {
        if (isFinishing) {
            return false;
        }
        if (all.size() >= most) {
            refusals.connections().increment();
            if (!closeOne()) {
                return false;
            }
        }
        all.add(connection);
        countByNetwork.merge(connection.network(), 1, Integer::sum);
        return true;
    }

    private boolean closeOne() {
        Connection least = null;
        for (Connection connection : all) {
            if (connection.rank() != Connection.Rank.WORKED_ON && (least == null || isBefore(connection, least))) {
                least = connection;
            }
        }
        if (least == null) {
            return false;
        }
        remove(least);
        least.close();
        return true;
    }

    // The client with the most connections loses the one for which the server has waited longest, or whose request
    // joined the queue last.
    private boolean isBefore(Connection connection, Connection other) {
        int byRank = connection.rank().compareTo(other.rank());
        if (byRank != 0) {
            return byRank < 0;
        }
        int byCount = Integer.compare(count(other), count(connection));
        if (byCount != 0) {
            return byCount < 0;
        }
        boolean isOlder = connection.since().isBefore(other.since());
        return isOlder != (connection.rank() == Connection.Rank.IN_LINE);
    }

    private int count(Connection connection) {
        return countByNetwork.getOrDefault(connection.network(), 0);
    }

    /**
     * Closes some connections, since the process has no file descriptor left. Returns false if there are none to close.
     */
    boolean makeRoomForFiles() {
        refusals.files().increment();
        boolean isAny = false;
        for (int i = all.size() / FILES_SHARE; i >= 0 && closeOne(); i--) {
            refusals.connections().increment();
            isAny = true;
        }
        return isAny;
    }

    /** Removes a connection that was closed. */
    void remove(Connection connection) {
        if (all.remove(connection)) {
            countByNetwork.computeIfPresent(connection.network(), (network, count) -> less(count));
        }
        if (isFinishing && all.isEmpty()) {
            finished.countDown();
        }
    }

    private static @Nullable Integer less(int count) {
        return count == 1 ? null : count - 1;
    }

    /** Closes the connections whose deadline has passed. */
    void closeOverdue(Instant now) {
        List<Connection> overdue =
                all.stream().filter(connection -> connection.isOverdue(now)).toList();
        overdue.forEach(Connection::giveUp);
    }

    /** Closes the connections without a request; the others are closed after their responses. */
    void finish() {
        isFinishing = true;
        List<Connection> idle =
                new ArrayList<>(all.stream().filter(Connection::isIdle).toList());
        idle.forEach(Connection::close);
        if (all.isEmpty()) {
            finished.countDown();
        }
    }

    boolean isFinishing() {
        return isFinishing;
    }

    boolean awaitFinished(long atMost, TimeUnit unit) throws InterruptedException {
        return finished.await(atMost, unit);
    }
}
