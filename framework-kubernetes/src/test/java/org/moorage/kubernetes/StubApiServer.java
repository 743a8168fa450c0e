// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.moorage.objects.internal.ObjectStreams;

/** As much of an API server as a test tells it to be. */
final class StubApiServer implements AutoCloseable {
    static {
        // Without it the JDK's server holds small answers back for 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    /** What was asked. */
    record Request(
            String method,
            String path,
            Map<String, String> query,
            String contentType,
            String authorization,
            String body) {
        JsonNode json() {
            try {
                return ObjectStreams.object(body);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String toString() {
            return method + " " + path + query + " " + body;
        }
    }

    /** What is answered: a body, and after it the lines of a queue until an empty one comes. */
    record Answer(int code, Map<String, String> headers, String body, BlockingQueue<String> lines) {
        static Answer ok(String body) {
            return new Answer(200, Map.of(), body, null);
        }

        static Answer stream(BlockingQueue<String> lines) {
            return new Answer(200, Map.of(), "", lines);
        }

        static Answer status(int code, String reason, String message) {
            return new Answer(
                    code,
                    Map.of(),
                    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"" + (code < 300 ? "Success" : "Failure")
                            + "\",\"reason\":\"" + reason + "\",\"message\":\"" + message + "\",\"code\":" + code + "}",
                    null);
        }

        Answer with(String header, String value) {
            return new Answer(code, Map.of(header, value), body, lines);
        }
    }

    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "stub");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, Function<Request, Answer>> handlers = new ConcurrentHashMap<>();
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private HttpServer server;
    private final int port;

    StubApiServer() {
        server = open(0);
        port = server.getAddress().getPort();
    }

    private HttpServer open(int onPort) {
        try {
            HttpServer opened = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), onPort), 0);
            opened.setExecutor(threads);
            opened.createContext("/", this::handle);
            opened.start();
            return opened;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String address() {
        return "http://127.0.0.1:" + port;
    }

    /** Answers requests of a method and path, or of all paths that begin so if it ends in a star. */
    void on(String method, String path, Function<Request, Answer> handler) {
        handlers.put(method + " " + path, handler);
    }

    /** The next request that came. */
    Request next() throws InterruptedException {
        Request request = requests.poll(20, TimeUnit.SECONDS);
        if (request == null) {
            throw new AssertionError("no request came");
        }
        return request;
    }

    /** How many requests have come and were not taken by {@link #next}. */
    int waiting() {
        return requests.size();
    }

    void goDown() {
        server.stop(0);
    }

    void comeUp() {
        server = open(port);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Request request = read(exchange);
            requests.add(request);
            Answer answer = handler(request.method + " " + request.path).apply(request);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            answer.headers.forEach(
                    (name, value) -> exchange.getResponseHeaders().add(name, value));
            exchange.sendResponseHeaders(answer.code, 0);
            OutputStream out = exchange.getResponseBody();
            out.write(answer.body.getBytes(UTF_8));
            out.flush();
            if (answer.lines != null) {
                for (String line = answer.lines.take(); !line.isEmpty(); line = answer.lines.take()) {
                    out.write((line.replace("\n", " ") + "\n").getBytes(UTF_8));
                    out.flush();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Function<Request, Answer> handler(String key) {
        Function<Request, Answer> exact = handlers.get(key);
        if (exact != null) {
            return exact;
        }
        return handlers.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith("*")
                        && key.startsWith(
                                entry.getKey().substring(0, entry.getKey().length() - 1)))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(request -> Answer.status(404, "NotFound", "the server has no " + request.path));
    }

    private static Request read(HttpExchange exchange) throws IOException {
        Map<String, String> query = new LinkedHashMap<>();
        String text = exchange.getRequestURI().getQuery();
        if (text != null) {
            Arrays.stream(text.split("&"))
                    .map(parameter -> parameter.split("=", 2))
                    .forEach(parameter -> query.put(parameter[0], parameter[1]));
        }
        return new Request(
                exchange.getRequestMethod(),
                exchange.getRequestURI().getPath(),
                query,
                String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")),
                String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")),
                new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
