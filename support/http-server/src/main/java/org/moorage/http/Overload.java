// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

/**
 * Counts of connections and requests that a server closed or refused for lack of a resource.
 *
 * @param closedConnections connections that were closed or not accepted, to make room for others
 * @param refusedRequests requests that were answered with 503 because too many requests waited for a thread
 * @param slowClients connections that were closed because slow clients blocked threads that other requests needed
 * @param failedAccepts connections that could not be accepted, for example for lack of file descriptors
 */
public record Overload(long closedConnections, long refusedRequests, long slowClients, long failedAccepts) {
    /** Returns whether all counts are zero. */
    public boolean isNone() {
        return closedConnections == 0 && refusedRequests == 0 && slowClients == 0 && failedAccepts == 0;
    }

    /** Returns the difference from an earlier count. */
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
