// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;
import java.io.InterruptedIOException;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.EventListener;

/**
 * Closes all idle connections when a request times out. The idle ones are likely dead for the same reason, and each
 * would make another request time out. Dead HTTP/2 connections are detected by pings, dead HTTP/1.1 connections only in
 * this way.
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
        // The superclass of all timeout exceptions.
        if (failure instanceof InterruptedIOException) {
            connections.evictAll();
        }
    }
}
