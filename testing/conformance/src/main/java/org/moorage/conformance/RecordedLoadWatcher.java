// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;

/** The load watcher of recorded cases, which serves the measured load of the nodes over HTTP. */
final class RecordedLoadWatcher implements AutoCloseable {
    /** The address in recorded configurations, which is replaced by the load watcher's own. */
    private static final String RECORDED = "http://load-watcher.test";

    private static final int OK = 200;

    private final HttpServer server;
    private final int status;
    private final byte[] body;

    /**
     * Starts a load watcher.
     *
     * @param metrics the recorded response, whose window is in seconds relative to the start of the scheduler; or the
     *     status code of a failure
     * @param start the start of the scheduler
     */
    RecordedLoadWatcher(JsonNode metrics, Instant start) {
        JsonNode response = metrics.deepCopy();
        if (response.path("window") instanceof ObjectNode window) {
            for (String end : List.of("start", "end")) {
                if (window.has(end)) {
                    window.put(end, start.getEpochSecond() + window.path(end).asLong());
                }
            }
        }
        status = metrics.has("status") ? metrics.path("status").asInt() : OK;
        body = metrics.has("status") ? new byte[0] : response.toString().getBytes(UTF_8);
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException unusable) {
            throw new VectorException("cannot listen on the loopback address", unusable);
        }
        server.createContext("/watcher", this::respond);
        server.start();
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** Returns a recorded text with the load watcher's own address. */
    String withOwnAddress(String text) {
        return text.replace(
                RECORDED,
                "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                        + server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
