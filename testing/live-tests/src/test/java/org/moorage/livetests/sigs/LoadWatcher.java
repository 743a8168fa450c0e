// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.sigs;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Map;
import java.util.StringJoiner;

/** A load watcher on loopback with fixed utilizations of the nodes' cpu. */
final class LoadWatcher implements AutoCloseable {
    private final HttpServer server;

    /** Starts one with the average utilization of each node in percent. */
    LoadWatcher(Map<String, Integer> percentByNode) {
        StringJoiner nodes = new StringJoiner(", ", "{", "}");
        percentByNode.forEach((node, percent) -> nodes.add("""
                "%s": {"metrics": [{"name": "host.cpu.utilisation", "type": "CPU", "operator": "AVG", "rollup": "15m",
                "value": %d}]}""".formatted(node, percent)));
        long now = Instant.now().getEpochSecond();
        byte[] body = """
                {"timestamp": %1$d, "window": {"duration": "15m", "start": %2$d, "end": %1$d}, "source": "test",
                 "data": {"NodeMetricsMap": %3$s}}""".formatted(now, now - 900, nodes).getBytes(UTF_8);
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/watcher", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
