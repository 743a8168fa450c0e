// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/**
 * A document that a server of metrics other than Prometheus publishes. Reading it has a timeout and a size limit, and
 * blocks the calling thread. Safe for use by several threads.
 */
public final class HttpDocument {
    private static final int OK = 200;

    private final PrometheusConnection connection;
    private final String path;

    private HttpDocument(PrometheusConnection connection, String path) {
        this.connection = connection;
        this.path = path;
    }

    /**
     * Returns a document; sends nothing yet.
     *
     * @param server what the server is, for messages
     * @param settings its address, and the settings of requests
     * @param path the path of the document below the address
     * @throws PrometheusException if the CA file cannot be used
     */
    public static HttpDocument of(String server, PrometheusSettings settings, String path) {
        return new HttpDocument(new PrometheusConnection(server, settings), path);
    }

    /**
     * Reads the document.
     *
     * @throws PrometheusException if the server does not respond in time, or responds with another status than 200
     */
    public String read() {
        HttpResponse<byte[]> response =
                connection.send(path, connection.request(path, "").GET(), connection.deadline());
        if (response.statusCode() != OK) {
            throw connection.failure(path, connection.unexpected(response));
        }
        return new String(response.body(), StandardCharsets.UTF_8);
    }
}
