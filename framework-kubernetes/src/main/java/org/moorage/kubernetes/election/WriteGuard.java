// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import java.io.IOException;
import java.net.ProtocolException;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import okhttp3.Interceptor;
import okhttp3.Response;
import org.moorage.kubernetes.ApiClient;

/** Keeps the writes of a process from the server that does not hold its Lease. */
public final class WriteGuard {
    private final BooleanSupplier mayWrite;
    private final String lease;

    /**
     * A guard.
     *
     * @param mayWrite whether the process holds the Lease; asked before each write, by any thread
     * @param lease the Lease, for messages
     */
    public WriteGuard(BooleanSupplier mayWrite, String lease) {
        this.mayWrite = Objects.requireNonNull(mayWrite, "mayWrite");
        this.lease = Objects.requireNonNull(lease, "lease");
    }

    /** The client with its writes refused while they may not be sent; also those of connections that are open already. */
    public ApiClient guard(ApiClient client) {
        return client.with(http -> {
            // For clients whose requests go another way than over OkHttp's connections.
            http.interceptors().add(0, this::intercept);
            return http.addNetworkInterceptor(this::intercept);
        });
    }

    // Runs when the connection is there and the request is about to be written to it, so that neither a
    // wait for a connection nor a process that was stopped comes between the check and the write. OkHttp
    // does not repeat after a ProtocolException.
    private Response intercept(Interceptor.Chain chain) throws IOException {
        if (!chain.request().method().equals("GET") && !mayWrite.getAsBoolean()) {
            throw new ProtocolException("not sent, since this process is not the leader (lease " + lease + ")");
        }
        return chain.proceed(chain.request());
    }
}
