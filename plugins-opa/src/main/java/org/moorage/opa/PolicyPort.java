// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.http.BodyTooLongException;
import org.moorage.http.Handler;
import org.moorage.http.HandlerResult;
import org.moorage.http.HttpServer;
import org.moorage.http.Overload;
import org.moorage.http.ReadBody;
import org.moorage.http.Request;
import org.moorage.http.Response;

/**
 * The HTTP port for pushed policies: {@code /v1/policies} as in OPA and in opa-kube-scheduler, and {@code /metrics}.
 * With mode server, it forwards policy requests to OPA and returns OPA's responses.
 */
final class PolicyPort implements Handler, AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String POLICIES = "/v1/policies";
    private static final String RAW = "/raw";
    private static final int NOT_ALLOWED = 405;
    private static final int MOST_BYTES = 64 << 20;
    // Policies are compiled one after the other anyway.
    private static final int MOST_THREADS = 4;
    private static final Duration BODY_TIME = Duration.ofSeconds(30);

    private final OpaPolicy.PolicyServer settings;
    private final Policies policies;
    private final PluginLogger logger;
    private final HttpServer server;

    private PolicyPort(OpaPolicy.PolicyServer settings, Policies policies, Handle handle) throws IOException {
        this.settings = settings;
        this.policies = policies;
        logger = handle.logger();
        URI address = settings.uri();
        server = HttpServer.listen(
                new InetSocketAddress(address.getHost().replaceAll("[\\[\\]]", ""), address.getPort()),
                new HttpServer.Settings(
                        tls(settings),
                        HttpServer.Limits.DEFAULTS,
                        MOST_THREADS,
                        handle.monotonicClock(),
                        PolicyPort::thread),
                this);
    }

    /**
     * Opens the port.
     *
     * @throws IllegalArgumentException if it cannot be opened
     */
    static PolicyPort open(OpaPolicy.PolicyServer settings, Policies policies, Handle handle) {
        try {
            PolicyPort port = new PolicyPort(settings, policies, handle);
            port.server.start();
            return port;
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "policyServer.address: " + settings.address() + ": cannot be listened on: " + e.getMessage(), e);
        }
    }

    // Uses separate threads, so that requests of clients never queue before scheduling work.
    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "opa-policies");
        thread.setDaemon(true);
        return thread;
    }

    private static Optional<Supplier<SSLEngine>> tls(OpaPolicy.PolicyServer settings) {
        if (settings.certFile().isEmpty()) {
            return Optional.empty();
        }
        boolean hasAuthority = !settings.clientCaFile().isEmpty();
        SSLContext context = Tls.serving(
                Path.of(settings.certFile()),
                Path.of(settings.keyFile()),
                hasAuthority ? Path.of(settings.clientCaFile()) : null);
        return Optional.of(() -> {
            SSLEngine engine = context.createSSLEngine();
            engine.setUseClientMode(false);
            engine.setNeedClientAuth(hasAuthority);
            return engine;
        });
    }

    @Override
    public boolean isHealth(Request request) {
        return false;
    }

    // Authorizes on the headers, before reading the body.
    @Override
    public HandlerResult answer(Request request) throws IOException {
        if (!isAllowed(request)) {
            return response(PolicyResponse.error(401, "unauthorized", "a bearer token is needed, and this is not it"));
        }
        Optional<String> pushed = pushed(request);
        if (pushed.isEmpty()) {
            Response answer = response(replied(() -> reply(request)));
            return answer.status() == NOT_ALLOWED ? withAllow(answer, request.path()) : answer;
        }
        if (request.length() > MOST_BYTES) {
            return response(tooLong());
        }
        return new ReadBody(MOST_BYTES, BODY_TIME, body -> {
            byte[] policy;
            try {
                policy = body.readAllBytes();
            } catch (BodyTooLongException longer) {
                return response(tooLong());
            }
            return response(replied(() -> policies.push(pushed.get(), policy)));
        });
    }

    private static Response withAllow(Response answer, String path) {
        Map<String, String> headers = new HashMap<>(answer.headers());
        headers.put("Allow", isOfOnePolicy(path) ? "GET, PUT, DELETE" : "GET");
        return new Response(answer.status(), headers, answer.length(), answer.body());
    }

    private static boolean isOfOnePolicy(String path) {
        return path.startsWith(POLICIES + "/") && path.length() > POLICIES.length() + 1;
    }

    private static PolicyResponse tooLong() {
        return PolicyResponse.error(413, "invalid_parameter", "policy of more than " + (MOST_BYTES >> 20) + " MB");
    }

    /** A request that reads or changes policies. */
    private interface Asked {
        PolicyResponse reply() throws IOException;
    }

    private static PolicyResponse replied(Asked asked) throws IOException {
        try {
            return asked.reply();
        } catch (PolicyException unreachable) {
            return PolicyResponse.error(502, "internal_error", String.valueOf(unreachable.getMessage()));
        }
    }

    private static Response response(PolicyResponse reply) {
        return Response.of(reply.status(), Map.of("Content-Type", reply.contentType()), reply.body());
    }

    @Override
    public void failed(Request request, Throwable thrown) {
        logger.error("Request failed", thrown, "path", request.path());
    }

    @Override
    public void overloaded(Overload overload) {
        logger.warn("Too many clients of the policy port", "overload", overload);
    }

    private boolean isAllowed(Request request) throws IOException {
        if (settings.tokenFile().isEmpty()) {
            return true;
        }
        String expected =
                "Bearer " + Files.readString(Path.of(settings.tokenFile())).strip();
        return request.header("Authorization")
                .filter(given -> MessageDigest.isEqual(
                        given.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8)))
                .isPresent();
    }

    // Returns the id of the policy that the request pushes.
    private static Optional<String> pushed(Request request) {
        String path = request.path();
        return request.method().equals("PUT") && isOfOnePolicy(path)
                ? Optional.of(path.substring(POLICIES.length() + 1))
                : Optional.empty();
    }

    private PolicyResponse reply(Request request) throws IOException {
        String method = request.method();
        String path = request.path();
        if (path.equals("/metrics")) {
            return method.equals("GET")
                    ? PolicyResponse.text(200, policies.metrics().text())
                    : notAllowed(method);
        }
        if (path.equals(POLICIES) || path.equals(POLICIES + "/")) {
            return method.equals("GET") ? policies.get("") : notAllowed(method);
        }
        if (!path.startsWith(POLICIES + "/")) {
            return PolicyResponse.error(404, "resource_not_found", path + " (expected: " + POLICIES + " or /metrics)");
        }
        String id = path.substring(POLICIES.length() + 1);
        return switch (method) {
            case "GET" -> id.endsWith(RAW) ? raw(id.substring(0, id.length() - RAW.length())) : policies.get(id);
            case "DELETE" -> policies.delete(id);
            default -> notAllowed(method);
        };
    }

    private static PolicyResponse notAllowed(String method) {
        return PolicyResponse.error(
                NOT_ALLOWED,
                "invalid_operation",
                "method " + method + " (expected: GET, or PUT or DELETE of one policy)");
    }

    // OPA no longer has this path; its response for a policy contains the text.
    private PolicyResponse raw(String id) throws IOException {
        PolicyResponse reply = policies.get(id);
        return reply.isSuccess() && reply.contentType().startsWith("application/json")
                ? PolicyResponse.text(
                        200,
                        JSON.readTree(reply.body()).path("result").path("raw").asText())
                : reply;
    }

    @Override
    public void close() {
        server.close();
    }
}
