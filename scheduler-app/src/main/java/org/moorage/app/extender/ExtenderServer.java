// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.extender;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
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
 * process: one that cannot be read is answered with 400, one that is too long with 413, one too many with 503.
 */
public final class ExtenderServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderServer.class);

    /** Enough for 10,000 whole nodes. */
    private static final int MOST_BYTES = 128 << 20;
    // Each may hold a body of that size; kube-scheduler asks for one pod at a time.
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
            Reply reply;
            try {
                reply = reply(exchange);
            } catch (RuntimeException unexpected) {
                LOG.atError()
                        .addKeyValue("path", exchange.getRequestURI().getPath())
                        .setCause(unexpected)
                        .log("Request failed");
                reply = reply(ExtenderAgent.Answer.failure(500, "internal error"));
            }
            reply.sendTo(exchange);
        }
    }

    private static Reply reply(ExtenderAgent.Answer answer) {
        return new Reply(answer.status(), JSON, answer.body());
    }

    private Reply reply(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        Optional<Reply> page = page(path, exchange);
        if (page.isPresent()) {
            return isRead(exchange) ? page.get() : notAllowed(exchange, "GET, HEAD");
        }
        String below = config.prefix() + "/";
        String route = path.startsWith(below) ? path.substring(below.length()) : "";
        if (!agent.routes().contains(route)) {
            return Reply.text(404, "404 page not found\n");
        }
        if (!exchange.getRequestMethod().equals("POST")) {
            return notAllowed(exchange, "POST");
        }
        long start = System.nanoTime();
        ExtenderAgent.Answer answer = ask(route, exchange);
        metrics.answered(route, answer.status(), !answer.error().isEmpty(), System.nanoTime() - start);
        if (!answer.error().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("agent", config.name())
                    .addKeyValue("route", route)
                    .addKeyValue("status", answer.status())
                    .addKeyValue("err", answer.error())
                    .log("Request answered with an error");
        }
        return reply(answer);
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
            byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
            if (body.length > MOST_BYTES) {
                return ExtenderAgent.Answer.failure(
                        413, "body of more than " + (MOST_BYTES >> 20) + " MB (expected: a shorter one)");
            }
            log("Request", route, body);
            ExtenderAgent.Answer answer = agent.answer(route, body);
            log("Answer", route, answer.body());
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

    private void log(String what, String route, byte[] body) {
        if (LOG.isDebugEnabled()) {
            String text = new String(body, 0, Math.min(body.length, LONGEST_LOGGED), UTF_8);
            LOG.atDebug()
                    .addKeyValue("agent", config.name())
                    .addKeyValue("route", route)
                    .addKeyValue("bytes", body.length)
                    .addKeyValue("body", body.length > LONGEST_LOGGED ? text + "…" : text)
                    .log(what);
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
