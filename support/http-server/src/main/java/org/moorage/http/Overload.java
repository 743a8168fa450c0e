// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

/**
 * Counts of connections and requests that a server closed or refused because something ran short.
 *
 * @param closedConnections connections that were closed, or not taken, so that others have a place
 * @param refusedRequests requests that were answered with 503 since too many waited for a thread
 * @param slowClients connections that were closed since their clients kept threads waiting that other requests needed
 * @param failedAccepts how often a connection could not be accepted, such as for lack of file descriptors
 */
public record Overload(long closedConnections, long refusedRequests, long slowClients, long failedAccepts) {
    /** Whether nothing was. */
    public boolean isNone() {
        return closedConnections == 0 && refusedRequests == 0 && slowClients == 0 && failedAccepts == 0;
    }

    /** What was added to an earlier count. */
    Overload since(Overload before) {
        return new Overload(
                closedConnections - before.closedConnections,
                refusedRequests - before.refusedRequests,
                slowClients - before.slowClients,
                failedAccepts - before.failedAccepts);
    }

    @Override
    public String toString() {
        return closedConnections + " connections closed to make room, " + refusedRequests
                + " requests answered with 503, " + slowClients + " slow clients disconnected, " + failedAccepts
                + " failures to accept a connection";
    }
}
