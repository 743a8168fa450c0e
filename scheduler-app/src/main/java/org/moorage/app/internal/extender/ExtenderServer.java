// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.extender;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.moorage.app.internal.metrics.ExtenderMetrics;
import org.moorage.app.internal.metrics.MetricsText;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.serving.Reply;
import org.moorage.config.ExtenderServerConfig;
import org.moorage.extender.ExtenderAgent;
import org.moorage.http.Handler;
import org.moorage.http.HandlerResult;
import org.moorage.http.HttpServer;
import org.moorage.http.Overload;
import org.moorage.http.ReadBody;
import org.moorage.http.Request;
import org.moorage.http.Response;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of one agent: its routes below its prefix, and {@code /version}, {@code /healthz} and {@code /metrics}. No
 * request ends the process: an unreadable request is answered with 400, and one that exceeds the available memory with
 * 413 or 503.
 */
public final class ExtenderServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderServer.class);

    private static final int MOST_THREADS = 64;
    private static final int LONGEST_LOGGED = 64 << 10;
    private static final String JSON = "application/json";

    private final HttpServer server;
    private final ExtenderServerConfig.Agent config;
    private final ExtenderAgent agent;
    private final String version;
    private final Duration limit;
    private final MetricsText metricsText;
    private final ExtenderMetrics metrics;
    private volatile boolean ready;

    /**
     * How an agent is served.
     *
     * @param bindAddress the IP address to listen on
     * @param port the port; 0 for any that is free
     * @param version the response of {@code /version}
     * @param limit the maximum time that a request waits for others
     * @param clock the clock
     * @param threadFactory creates the threads that process requests
     */
    public record Settings(
            String bindAddress,
            int port,
            String version,
            Duration limit,
            InstantSource clock,
            ThreadFactory threadFactory) {}

    private ExtenderServer(
            ExtenderServerConfig.Agent config,
            ExtenderAgent agent,
            Settings settings,
            MetricsText metricsText,
            ExtenderMetrics metrics) {
        this.config = config;
        this.agent = agent;
        version = settings.version();
        limit = settings.limit();
        this.metricsText = metricsText;
        this.metrics = metrics;
        Optional<Supplier<SSLEngine>> tls =
                config.tls().map(files -> new ExtenderServerTls(config.path(), files, settings.clock()));
        server = bind(
                config,
                settings,
                new HttpServer.Settings(
                        tls, HttpServer.Limits.DEFAULTS, MOST_THREADS, settings.clock(), settings.threadFactory()),
                new Requests());
    }

    /**
     * Creates a server that listens. It answers immediately, but requests to the agent with 503 until {@link #ready} is
     * called.
     *
     * @param config the agent's configuration
     * @param agent the agent; closed with the server
     * @param metricsText the text of {@code /metrics}
     * @param metrics counts the requests
     * @throws CommandException if the address is taken, or the files for HTTPS cannot be used
     */
    public static ExtenderServer listen(
            ExtenderServerConfig.Agent config,
            ExtenderAgent agent,
            Settings settings,
            MetricsText metricsText,
            ExtenderMetrics metrics) {
        ExtenderServer serving = new ExtenderServer(config, agent, settings, metricsText, metrics);
        serving.server.start();
        LOG.info("Serving extender agent {} on {}", config.name(), serving.address());
        return serving;
    }

    private static HttpServer bind(
            ExtenderServerConfig.Agent config, Settings settings, HttpServer.Settings serving, Handler handler) {
        InetSocketAddress address = new InetSocketAddress(settings.bindAddress(), settings.port());
        if (address.isUnresolved()) {
            throw new CommandException("--bind-address: \"" + settings.bindAddress() + "\" (expected: an IP address)");
        }
        try {
            return HttpServer.listen(address, serving, handler);
        } catch (IOException e) {
            throw new CommandException(
                    config.path() + ".port: failed to listen on " + settings.bindAddress() + ":" + settings.port()
                            + ": " + e.getMessage() + " (expected: a free port)",
                    e);
        }
    }

    /** Lets the agent answer requests from now on. */
    public void ready() {
        ready = true;
    }

    /** The agent that is served. */
    public ExtenderAgent agent() {
        return agent;
    }

    /**
     * Counts the connections and requests that the server closed and refused since it started because something ran
     * short.
     */
    public Overload overload() {
        return server.overload();
    }

    /** The port that the server listens on. */
    public int port() {
        return server.address().getPort();
    }

    /** Returns the {@code urlPrefix} for the configuration of a scheduler. */
    public String address() {
        String host = server.address().getAddress().getHostAddress();
        return (config.tls().isPresent() ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host)
                + ":" + port() + config.prefix();
    }

    /** Answers requests: pages, and the agent's routes. */
    private final class Requests implements Handler {
        @Override
        public boolean isHealth(Request request) {
            return request.path().equals("/healthz") || request.path().equals("/version");
        }

        @Override
        public HandlerResult answer(Request request) {
            Optional<Reply> page = page(request);
            if (page.isPresent()) {
                return isRead(request) ? page.get().response(Map.of()) : notAllowed("GET, HEAD");
            }
            String path = request.path();
            String below = config.prefix() + "/";
            String route = path.startsWith(below) ? path.substring(below.length()) : "";
            if (!agent.routes().contains(route)) {
                return Reply.text(404, "404 page not found\n").response(Map.of());
            }
            if (!request.method().equals("POST")) {
                return notAllowed("POST");
            }
            long start = System.nanoTime();
            if (!ready) {
                return response(
                        route, ExtenderAgent.Answer.failure(503, "the cluster's objects are not known yet"), start);
            }
            // The agent limits the body by the available memory.
            return new ReadBody(Long.MAX_VALUE, limit, body -> response(route, ask(route, request, body), start));
        }

        @Override
        public void failed(Request request, Throwable thrown) {
            if (thrown instanceof Error error) {
                throw error;
            }
            log(request, thrown);
        }

        @Override
        public void overloaded(Overload overload) {
            LOG.atWarn().addKeyValue("agent", config.name()).log("Too many clients: {}", overload);
        }
    }

    private static void log(Request request, Throwable thrown) {
        LOG.atError().addKeyValue("path", request.path()).setCause(thrown).log("Request failed");
    }

    private Response response(String route, ExtenderAgent.Answer answer, long start) {
        metrics.answered(route, answer.status(), !answer.error().isEmpty(), System.nanoTime() - start);
        if (!answer.error().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("agent", config.name())
                    .addKeyValue("route", route)
                    .addKeyValue("status", answer.status())
                    .addKeyValue("err", answer.error())
                    .log("Request answered with an error");
        }
        return new Response(answer.status(), Map.of("Content-Type", JSON), answer.length(), new Response.Body() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                answer.writeTo(out);
            }

            @Override
            public void close() {
                answer.close();
            }
        });
    }

    private static boolean isRead(Request request) {
        return request.method().equals("GET") || request.method().equals("HEAD");
    }

    private static Response notAllowed(String allowed) {
        return Reply.methodNotAllowed(allowed).response(Map.of());
    }

    private Optional<Reply> page(Request request) {
        return switch (request.path()) {
            case "/version" -> Optional.of(Reply.text(200, version));
            case "/healthz" -> Optional.of(health());
            case "/metrics" -> {
                MetricsText.Text text =
                        metricsText.read(request.header("Accept").orElse(""));
                yield Optional.of(new Reply(200, text.contentType(), text.body()));
            }
            default -> Optional.empty();
        };
    }

    private Reply health() {
        if (!ready) {
            return Reply.text(503, "the cluster's objects are not known yet\n");
        }
        return agent.failure().map(failure -> Reply.text(503, failure + "\n")).orElseGet(() -> Reply.text(200, "ok"));
    }

    private ExtenderAgent.Answer ask(String route, Request request, InputStream body) throws IOException {
        try {
            Optional<LoggedText> seen = LOG.isDebugEnabled() ? Optional.of(new LoggedText()) : Optional.empty();
            ExtenderAgent.Answer answer =
                    agent.answer(route, seen.isPresent() ? seen.get().of(body) : body, request.length());
            if (seen.isPresent()) {
                log("Request", route, seen.get());
                LoggedText told = new LoggedText();
                answer.writeTo(told);
                log("Answer", route, told);
            }
            return answer;
        } catch (RuntimeException unexpected) {
            log(request, unexpected);
            return ExtenderAgent.Answer.failure(500, "internal error");
        }
    }

    private void log(String what, String route, LoggedText body) {
        LOG.atDebug()
                .addKeyValue("agent", config.name())
                .addKeyValue("route", route)
                .addKeyValue("bytes", body.length)
                .addKeyValue("body", body)
                .log(what);
    }

    /** The beginning of a body, for the log. */
    private static final class LoggedText extends OutputStream {
        private final ByteArrayOutputStream text = new ByteArrayOutputStream();
        private long length;

        /** Returns the body as a stream that records what is read. */
        InputStream of(InputStream body) {
            return new FilterInputStream(body) {
                @Override
                public int read() throws IOException {
                    int next = super.read();
                    if (next >= 0) {
                        LoggedText.this.write(next);
                    }
                    return next;
                }

                @Override
                public int read(byte[] bytes, int from, int most) throws IOException {
                    int count = super.read(bytes, from, most);
                    LoggedText.this.write(bytes, from, Math.max(count, 0));
                    return count;
                }
            };
        }

        @Override
        public void write(int next) {
            write(new byte[] {(byte) next}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) {
            text.write(bytes, from, Math.min(count, LONGEST_LOGGED - text.size()));
            length += count;
        }

        @Override
        public String toString() {
            return text.toString(UTF_8) + (length > LONGEST_LOGGED ? "…" : "");
        }
    }

    /** Stops listening, answers the requests that were received, and closes the agent. */
    @Override
    public void close() {
        server.close();
        agent.close();
    }
}
