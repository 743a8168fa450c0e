// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Map;
import java.util.StringJoiner;

/** A load watcher with fixed metrics. */
final class StubLoadWatcher implements AutoCloseable {
    /** The end of the measured time, and the start of schedulers in tests. */
    static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

    private static final int OK = 200;

    private final HttpServer server;
    private volatile String body;
    private volatile int status = OK;

    private StubLoadWatcher(String body) {
        this.body = body;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException unusable) {
            throw new UncheckedIOException(unusable);
        }
        server.createContext("/watcher", exchange -> {
            try (exchange) {
                byte[] bytes = this.body.getBytes(UTF_8);
                exchange.sendResponseHeaders(status, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
        server.start();
    }

    /** Starts one with the metrics of each node, as {@link #metric} writes them. */
    static StubLoadWatcher of(Map<String, String> metricsByNode) {
        return new StubLoadWatcher(json(metricsByNode));
    }

    private static String json(Map<String, String> metricsByNode) {
        StringJoiner nodes = new StringJoiner(",", "{", "}");
        metricsByNode.forEach((node, metrics) -> nodes.add("\"" + node + "\":{\"metrics\":[" + metrics + "]}"));
        return "{\"window\":{\"end\":" + NOW.getEpochSecond() + "},\"data\":{\"NodeMetricsMap\":" + nodes + "}}";
    }

    /** Returns a metric; several of a node are joined by commas. */
    static String metric(String type, String operator, double percent) {
        return "{\"type\":\"" + type + "\",\"operator\":\"" + operator + "\",\"value\":" + percent + "}";
    }

    void answer(Map<String, String> metricsByNode) {
        body = json(metricsByNode);
    }

    void answer(int code, String text) {
        status = code;
        body = text;
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
