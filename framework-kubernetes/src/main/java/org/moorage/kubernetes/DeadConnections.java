// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;
import java.io.InterruptedIOException;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.EventListener;

/**
 * Closes all idle connections when nothing came over one in time. Whatever swallowed its packets has likely swallowed theirs as well, and
 * each of them would cost one more request its time limit. Connections of HTTP/2 are found out by pings, those of HTTP/1.1 only so.
 */
final class DeadConnections extends EventListener {
    private final ConnectionPool connections;

    DeadConnections(ConnectionPool connections) {
        this.connections = connections;
    }

    @Override
    public void callFailed(Call call, IOException failure) {
        failed(failure);
    }

    @Override
    public void requestFailed(Call call, IOException failure) {
        failed(failure);
    }

    @Override
    public void responseFailed(Call call, IOException failure) {
        failed(failure);
    }

    private void failed(IOException failure) {
        // The base of all time-outs.
        if (failure instanceof InterruptedIOException) {
            connections.evictAll();
        }
    }
}
