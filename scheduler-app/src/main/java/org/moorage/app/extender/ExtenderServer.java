// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.extender;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import org.moorage.app.command.CommandException;
import org.moorage.app.metrics.ExtenderMetrics;
import org.moorage.app.metrics.MetricsText;
import org.moorage.app.serving.Reply;
import org.moorage.app.serving.ServerKeys;
import org.moorage.runtime.ExtenderAgent;
import org.moorage.runtime.config.ExtenderServerConfig;
import org.moorage.runtime.tls.Pem;
import org.moorage.runtime.tls.ServerTrust;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one agent: its routes below its prefix, and {@code /version}, {@code /healthz} and {@code /metrics}. No request ends the
 * process: one that cannot be read is answered with 400, one that takes too much memory with 413, one too many with 503.
 */
public final class ExtenderServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderServer.class);

    // kube-scheduler asks for one pod at a time.
    private static final int MOST_REQUESTS = 8;
    private static final int MOST_THREADS = 64;
    private static final int BACKLOG = 64;
    private static final int STOP_SECONDS = 1;
    private static final int LONGEST_LOGGED = 64 << 10;
    private static final String JSON = "application/json";

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final ExtenderServerConfig.Agent config;
    private final ExtenderAgent agent;
    private final String version;
    private final Duration limit;
    private final MetricsText metricsText;
    private final ExtenderMetrics metrics;
    private final Semaphore room = new Semaphore(MOST_REQUESTS);
    private volatile boolean ready;

    /**
     * How an agent is served.
     *
     * @param bindAddress the IP address to listen on
     * @param port the port; 0 for any that is free
     * @param version what {@code /version} tells
     * @param limit how long a request may wait for others
     * @param clock measures, and never goes back
     * @param threadFactory makes the threads that answer
     */
    public record Settings(
            String bindAddress,
            int port,
            String version,
            Duration limit,
            InstantSource clock,
            ThreadFactory threadFactory) {}

    private ExtenderServer(
            HttpServer server,
            ThreadPoolExecutor threads,
            ExtenderServerConfig.Agent config,
            ExtenderAgent agent,
            Settings settings,
            MetricsText metricsText,
            ExtenderMetrics metrics) {
        this.server = server;
        this.threads = threads;
        this.config = config;
        this.agent = agent;
        version = settings.version();
        limit = settings.limit();
        this.metricsText = metricsText;
        this.metrics = metrics;
    }

    /**
     * A server that listens. It answers from now on, requests to the agent with 503 until {@link #ready} is called.
     *
     * @param config the agent's configuration
     * @param agent the agent; closed with the server
     * @param metricsText what {@code /metrics} shows
     * @param metrics is told of requests
     * @throws CommandException if the address is taken, or the files for HTTPS cannot be used
     */
    public static ExtenderServer listen(
            ExtenderServerConfig.Agent config,
            ExtenderAgent agent,
            Settings settings,
            MetricsText metricsText,
            ExtenderMetrics metrics) {
        Optional<HttpsConfigurator> tls = config.tls().map(files -> configurator(config.path(), files, settings));
        HttpServer server = bind(config, settings, tls);
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                1, MOST_THREADS, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), settings.threadFactory());
        server.setExecutor(threads);
        ExtenderServer serving = new ExtenderServer(server, threads, config, agent, settings, metricsText, metrics);
        server.createContext("/", serving::handle);
        server.start();
        LOG.info("Serving extender agent {} on {}", config.name(), serving.address());
        return serving;
    }

    private static HttpServer bind(
            ExtenderServerConfig.Agent config, Settings settings, Optional<HttpsConfigurator> tls) {
        InetSocketAddress address = new InetSocketAddress(settings.bindAddress(), settings.port());
        if (address.isUnresolved()) {
            throw new CommandException("--bind-address: \"" + settings.bindAddress() + "\" (expected: an IP address)");
        }
        try {
            if (tls.isPresent()) {
                HttpsServer server = HttpsServer.create(address, BACKLOG);
                server.setHttpsConfigurator(tls.get());
                return server;
            }
            return HttpServer.create(address, BACKLOG);
        } catch (IOException e) {
            throw new CommandException(
                    config.path() + ".port: failed to listen on " + settings.bindAddress() + ":" + settings.port()
                            + ": " + e.getMessage() + " (expected: a free port)",
                    e);
        }
    }

    private static HttpsConfigurator configurator(String path, ExtenderServerConfig.Tls files, Settings settings) {
        ServerKeys keys = ServerKeys.ofFiles(
                new ServerKeys.Files(
                        path + ".tls.certFile",
                        Path.of(files.certFile()),
                        path + ".tls.keyFile",
                        Path.of(files.keyFile())),
                settings.clock());
        boolean knowsClients = !files.clientCaFile().isEmpty();
        SSLContext context;
        try {
            TrustManager[] clients = knowsClients
                    ? new TrustManager[] {
                        ServerTrust.authorities(Pem.ofFile(path + ".tls.clientCAFile", Path.of(files.clientCaFile()))
                                .certificates())
                    }
                    : new TrustManager[0];
            context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keys}, clients, null);
        } catch (IOException | GeneralSecurityException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
        return new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters tls = getSSLContext().getDefaultSSLParameters();
                tls.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
                tls.setNeedClientAuth(knowsClients);
                parameters.setSSLParameters(tls);
            }
        };
    }

    /** The agent may be asked from now on. */
    public void ready() {
        ready = true;
    }

    /** The agent that is served. */
    public ExtenderAgent agent() {
        return agent;
    }

    /** The port that the server listens on. */
    public int port() {
        return server.getAddress().getPort();
    }

    /** What a scheduler's configuration has as {@code urlPrefix}. */
    public String address() {
        String host = server.getAddress().getAddress().getHostAddress();
        return (config.tls().isPresent() ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host)
                + ":" + port() + config.prefix();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Optional<Reply> reply;
            try {
                reply = reply(exchange);
            } catch (RuntimeException unexpected) {
                LOG.atError()
                        .addKeyValue("path", exchange.getRequestURI().getPath())
                        .setCause(unexpected)
                        .log("Request failed");
                reply = Optional.empty();
            }
            if (reply.isPresent()) {
                reply.get().sendTo(exchange);
                return;
            }
            try (ExtenderAgent.Answer answer = answer(exchange)) {
                exchange.getResponseHeaders().set("Content-Type", JSON);
                exchange.sendResponseHeaders(answer.status(), answer.length());
                try (OutputStream out = exchange.getResponseBody()) {
                    answer.writeTo(out);
                }
            }
        }
    }

    // What is answered without the agent; empty if it is to be asked.
    private Optional<Reply> reply(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        Optional<Reply> page = page(path, exchange);
        if (page.isPresent()) {
            return isRead(exchange) ? page : Optional.of(notAllowed(exchange, "GET, HEAD"));
        }
        if (!agent.routes().contains(route(exchange))) {
            return Optional.of(Reply.text(404, "404 page not found\n"));
        }
        return exchange.getRequestMethod().equals("POST")
                ? Optional.empty()
                : Optional.of(notAllowed(exchange, "POST"));
    }

    private String route(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        String below = config.prefix() + "/";
        return path.startsWith(below) ? path.substring(below.length()) : "";
    }

    private ExtenderAgent.Answer answer(HttpExchange exchange) throws IOException {
        String route = route(exchange);
        long start = System.nanoTime();
        ExtenderAgent.Answer answer;
        try {
            answer = ask(route, exchange);
        } catch (RuntimeException unexpected) {
            LOG.atError().addKeyValue("route", route).setCause(unexpected).log("Request failed");
            answer = ExtenderAgent.Answer.failure(500, "internal error");
        }
        metrics.answered(route, answer.status(), !answer.error().isEmpty(), System.nanoTime() - start);
        if (!answer.error().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("agent", config.name())
                    .addKeyValue("route", route)
                    .addKeyValue("status", answer.status())
                    .addKeyValue("err", answer.error())
                    .log("Request answered with an error");
        }
        return answer;
    }

    private static boolean isRead(HttpExchange exchange) {
        return exchange.getRequestMethod().equals("GET")
                || exchange.getRequestMethod().equals("HEAD");
    }

    private static Reply notAllowed(HttpExchange exchange, String allowed) {
        exchange.getResponseHeaders().set("Allow", allowed);
        return Reply.text(405, "Method Not Allowed\n");
    }

    private Optional<Reply> page(String path, HttpExchange exchange) {
        return switch (path) {
            case "/version" -> Optional.of(Reply.text(200, version));
            case "/healthz" -> Optional.of(health());
            case "/metrics" -> {
                String accept = exchange.getRequestHeaders().getFirst("Accept");
                MetricsText.Text text = metricsText.read(accept == null ? "" : accept);
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

    private ExtenderAgent.Answer ask(String route, HttpExchange exchange) throws IOException {
        if (!ready) {
            return ExtenderAgent.Answer.failure(503, "the cluster's objects are not known yet");
        }
        if (!hasRoom()) {
            return ExtenderAgent.Answer.failure(
                    503, "too many requests (expected: at most " + MOST_REQUESTS + " at a time)");
        }
        try {
            Optional<LoggedText> seen = LOG.isDebugEnabled() ? Optional.of(new LoggedText()) : Optional.empty();
            InputStream body = exchange.getRequestBody();
            ExtenderAgent.Answer answer =
                    agent.answer(route, seen.isPresent() ? seen.get().of(body) : body, length(exchange));
            if (seen.isPresent()) {
                log("Request", route, seen.get());
                LoggedText told = new LoggedText();
                answer.writeTo(told);
                log("Answer", route, told);
            }
            return answer;
        } finally {
            room.release();
        }
    }

    private boolean hasRoom() {
        try {
            return room.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static long length(HttpExchange exchange) {
        String length = exchange.getRequestHeaders().getFirst("Content-Length");
        try {
            return length == null ? -1 : Long.parseLong(length);
        } catch (NumberFormatException unreadable) {
            return -1;
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

        /** The body, which is noted as it is read. */
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

    /** Answers what has been asked, listens no more, and closes the agent. */
    @Override
    public void close() {
        server.stop(threads.getActiveCount() > 0 ? STOP_SECONDS : 0);
        threads.shutdownNow();
        agent.close();
    }
}
