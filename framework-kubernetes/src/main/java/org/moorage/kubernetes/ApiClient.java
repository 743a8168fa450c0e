// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.util.Objects;
import java.util.function.UnaryOperator;
import okhttp3.OkHttpClient;

/**
 * Where an API server is, and what sends requests to it.
 *
 * @param address its address, without a slash at the end
 * @param http has the credentials
 */
public record ApiClient(String address, OkHttpClient http) {
    /** Checks the values. */
    public ApiClient {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(http, "http");
    }

    /** The same with other settings of the HTTP client. */
    public ApiClient with(UnaryOperator<OkHttpClient.Builder> settings) {
        return new ApiClient(address, settings.apply(http.newBuilder()).build());
    }
}
