// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.util.Objects;
import java.util.function.UnaryOperator;
import okhttp3.OkHttpClient;

/**
 * The address of an API server, and the HTTP client for it.
 *
 * @param address its address, without a slash at the end
 * @param http the HTTP client, which adds the credentials
 */
public record ApiClient(String address, OkHttpClient http) {
    /** Checks the values. */
    public ApiClient {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(http, "http");
    }

    /** Returns this client with changed settings of the HTTP client. */
    public ApiClient with(UnaryOperator<OkHttpClient.Builder> settings) {
        return new ApiClient(address, settings.apply(http.newBuilder()).build());
    }
}
