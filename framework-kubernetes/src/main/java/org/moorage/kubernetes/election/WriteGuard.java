// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import java.io.IOException;
import java.net.ProtocolException;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import okhttp3.Interceptor;
import okhttp3.Response;
import org.moorage.kubernetes.ApiClient;

/** Rejects the writes of a process that does not hold its Lease. */
public final class WriteGuard {
    private final BooleanSupplier mayWrite;
    private final String lease;

    /**
     * Creates a guard.
     *
     * @param mayWrite whether the process holds the Lease; called before each write, on any thread
     * @param lease the Lease, for messages
     */
    public WriteGuard(BooleanSupplier mayWrite, String lease) {
        this.mayWrite = Objects.requireNonNull(mayWrite, "mayWrite");
        this.lease = Objects.requireNonNull(lease, "lease");
    }

    /**
     * Returns the client with its writes rejected while the process does not hold the Lease, also on connections that
     * are already open.
     */
    public ApiClient guard(ApiClient client) {
        return client.with(http -> {
            // For clients whose requests bypass OkHttp's connections.
            http.interceptors().add(0, this::intercept);
            return http.addNetworkInterceptor(this::intercept);
        });
    }

    // Runs when the connection is open and the request is about to be written to it, so that neither a wait for a
    // connection nor a suspension of the process comes between the check and the write. OkHttp does not retry after a
    // ProtocolException.
    private Response intercept(Interceptor.Chain chain) throws IOException {
        if (!chain.request().method().equals("GET") && !mayWrite.getAsBoolean()) {
            throw new ProtocolException("not sent, since this process is not the leader (lease " + lease + ")");
        }
        return chain.proceed(chain.request());
    }
}
