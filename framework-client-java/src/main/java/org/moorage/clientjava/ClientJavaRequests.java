// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.moorage.kubernetes.ApiClient;

/**
 * Sends requests through a program's client: to its server, with its HTTP client's certificates, proxies and
 * interceptors, its credentials and its default headers. Bodies are plain JSON without client-java's models, so a bind
 * that the server accepted cannot fail while its response is decoded.
 */
public final class ClientJavaRequests {
    private ClientJavaRequests() {}

    /**
     * Returns the client's server and HTTP client. Credentials and headers are read for each request, so later changes
     * apply; an HTTP client that is set later is not used. Connections are not shared, and closing the user of the
     * requests leaves the client open.
     */
    public static ApiClient through(io.kubernetes.client.openapi.ApiClient client) {
        OkHttpClient.Builder http = client.getHttpClient().newBuilder();
        // Runs before the client's interceptors, some of which replace credentials, as in the client's own requests.
        http.interceptors().add(0, chain -> chain.proceed(authorized(client, chain)));
        String path = client.getBasePath();
        return new ApiClient(path.endsWith("/") ? path.substring(0, path.length() - 1) : path, http.build());
    }

    private static Request authorized(io.kubernetes.client.openapi.ApiClient client, Interceptor.Chain chain)
            throws IOException {
        Request request = chain.request();
        List<Pair> query = new ArrayList<>();
        Map<String, String> headers = new HashMap<>();
        Map<String, String> cookies = new HashMap<>();
        try {
            client.updateParamsForAuth(
                    client.getAuthentications().keySet().toArray(String[]::new),
                    query,
                    headers,
                    cookies,
                    "",
                    request.method(),
                    request.url().uri());
        } catch (ApiException e) {
            throw new IOException("no credentials: " + e.getMessage(), e);
        }
        HttpUrl.Builder url = request.url().newBuilder();
        query.forEach(pair -> url.addQueryParameter(pair.getName(), String.valueOf(pair.getValue())));
        Request.Builder authorized = request.newBuilder().url(url.build());
        client.processHeaderParams(headers, authorized);
        client.processCookieParams(cookies, authorized);
        return authorized.build();
    }
}
