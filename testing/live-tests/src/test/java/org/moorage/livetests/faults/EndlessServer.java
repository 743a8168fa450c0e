// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.moorage.livetests.scene.Waiting;

/**
 * A server that answers at once and does not come to the end of it: what is below {@code /stall}, {@code /trickle},
 * {@code /endless}.
 */
final class EndlessServer implements AutoCloseable {
    private static final Duration LONG = Duration.ofMinutes(2);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    EndlessServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/stall", exchange -> answer(exchange, 1, LONG));
        server.createContext("/trickle", exchange -> answer(exchange, 1, Duration.ofMillis(100)));
        server.createContext("/endless", exchange -> answer(exchange, 1 << 16, Duration.ZERO));
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange, int bytes, Duration pause) throws IOException {
        byte[] spaces = new byte[bytes];
        Arrays.fill(spaces, (byte) ' ');
        try (exchange;
                OutputStream body = exchange.getResponseBody()) {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 0);
            body.write("{\"result\": ".getBytes(StandardCharsets.US_ASCII));
            // Until the client has gone.
            while (!Thread.currentThread().isInterrupted()) {
                body.write(spaces);
                body.flush();
                Waiting.pause(pause);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
