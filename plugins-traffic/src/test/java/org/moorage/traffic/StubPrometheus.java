// SPDX-License-Identifier: Apache-2.0
package org.moorage.traffic;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers every query with the same samples. */
final class StubPrometheus implements AutoCloseable {
    private final HttpServer server;
    private final List<String> queries = new CopyOnWriteArrayList<>();
    private volatile String answer;

    StubPrometheus(String answer) {
        this.answer = answer;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/api/v1/query", exchange -> {
            String form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            queries.add(URLDecoder.decode(form.substring("query=".length()), StandardCharsets.UTF_8));
            byte[] body = this.answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(this.answer.contains("\"error\"") ? 503 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    static String vector(Map<String, String> bytesByNode) {
        StringJoiner samples = new StringJoiner(
                ",", "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[", "]}}");
        bytesByNode.forEach((node, bytes) ->
                samples.add("{\"metric\":{\"nodename\":\"" + node + "\"},\"value\":[1700000000,\"" + bytes + "\"]}"));
        return samples.toString();
    }

    static String unavailable() {
        return "{\"status\":\"error\",\"errorType\":\"unavailable\",\"error\":\"starting\"}";
    }

    void answer(String text) {
        answer = text;
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    List<String> queries() {
        return queries;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
