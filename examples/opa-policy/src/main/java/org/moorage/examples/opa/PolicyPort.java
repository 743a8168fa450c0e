// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.opa;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.moorage.api.plugin.Handle;

/**
 * Where policies are pushed to: {@code /v1/policies} as OPA has it and as opa-kube-scheduler had it, and {@code /metrics}. What is asked
 * of OPA is passed on to it, and its answers back.
 */
final class PolicyPort implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String POLICIES = "/v1/policies";
    private static final String RAW = "/raw";
    private static final int MOST_BYTES = 64 << 20;

    private final OpaPolicy.PolicyServer settings;
    private final Policies policies;
    private final HttpServer server;

    private PolicyPort(OpaPolicy.PolicyServer settings, Policies policies, HttpServer server) {
        this.settings = settings;
        this.policies = policies;
        this.server = server;
    }

    /**
     * Opens the port.
     *
     * @throws IllegalArgumentException if it cannot be opened
     */
    static PolicyPort open(OpaPolicy.PolicyServer settings, Policies policies, Handle handle) {
        URI address = settings.uri();
        InetSocketAddress socket =
                new InetSocketAddress(address.getHost().replaceAll("[\\[\\]]", ""), address.getPort());
        try {
            HttpServer server;
            if (settings.certFile().isEmpty()) {
                server = HttpServer.create(socket, 0);
            } else {
                HttpsServer secure = HttpsServer.create(socket, 0);
                secure.setHttpsConfigurator(configurator(settings));
                server = secure;
            }
            PolicyPort port = new PolicyPort(settings, policies, server);
            server.createContext("/", port::handle);
            server.setExecutor(handle.background());
            server.start();
            return port;
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "policyServer.address: " + settings.address() + ": cannot be listened on: " + e.getMessage(), e);
        }
    }

    private static HttpsConfigurator configurator(OpaPolicy.PolicyServer settings) {
        boolean hasAuthority = !settings.clientCaFile().isEmpty();
        SSLContext context = Tls.serving(
                Path.of(settings.certFile()),
                Path.of(settings.keyFile()),
                hasAuthority ? Path.of(settings.clientCaFile()) : null);
        return new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters ssl = context.getDefaultSSLParameters();
                ssl.setNeedClientAuth(hasAuthority);
                parameters.setSSLParameters(ssl);
            }
        };
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Reply reply;
            try {
                if (isAllowed(exchange)) {
                    reply = reply(exchange);
                } else {
                    // Whoever sends a body reads the answer only afterwards.
                    exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
                    reply = Reply.error(401, "unauthorized", "a bearer token is needed, and this is not it");
                }
            } catch (PolicyException unreachable) {
                reply = Reply.error(502, "internal_error", String.valueOf(unreachable.getMessage()));
            }
            exchange.getResponseHeaders().set("Content-Type", reply.contentType());
            exchange.sendResponseHeaders(reply.status(), reply.body().length == 0 ? -1 : reply.body().length);
            if (reply.body().length > 0) {
                exchange.getResponseBody().write(reply.body());
            }
        }
    }

    private boolean isAllowed(HttpExchange exchange) throws IOException {
        if (settings.tokenFile().isEmpty()) {
            return true;
        }
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        String expected =
                "Bearer " + Files.readString(Path.of(settings.tokenFile())).strip();
        return given != null
                && MessageDigest.isEqual(
                        given.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
    }

    private Reply reply(HttpExchange exchange) throws IOException {
        String method = exchange.getRequestMethod();
        String path = exchange.getRequestURI().getPath();
        if (method.equals("GET") && path.equals("/metrics")) {
            return Reply.text(200, policies.metrics().text());
        }
        if (path.equals(POLICIES) || path.equals(POLICIES + "/")) {
            return method.equals("GET") ? policies.get("") : notAllowed(method);
        }
        if (!path.startsWith(POLICIES + "/")) {
            return Reply.error(404, "resource_not_found", path + " (expected: " + POLICIES + " or /metrics)");
        }
        String id = path.substring(POLICIES.length() + 1);
        return switch (method) {
            case "GET" -> id.endsWith(RAW) ? raw(id.substring(0, id.length() - RAW.length())) : policies.get(id);
            case "PUT" -> {
                byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES);
                yield policies.push(id, body);
            }
            case "DELETE" -> policies.delete(id);
            default -> notAllowed(method);
        };
    }

    private static Reply notAllowed(String method) {
        return Reply.error(
                405, "invalid_operation", "method " + method + " (expected: GET, or PUT or DELETE of one policy)");
    }

    // OPA has no such page any more; its answer has the text in it.
    private Reply raw(String id) throws IOException {
        Reply reply = policies.get(id);
        return reply.isSuccess() && reply.contentType().startsWith("application/json")
                ? Reply.text(
                        200,
                        JSON.readTree(reply.body()).path("result").path("raw").asText())
                : reply;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
