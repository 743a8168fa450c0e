// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.process.CommandException;
import org.moorage.http.Handler;
import org.moorage.http.HandlerResult;
import org.moorage.http.HttpServer;
import org.moorage.http.Overload;
import org.moorage.http.ReadBody;
import org.moorage.http.Request;
import org.moorage.http.Response;
import org.moorage.kubernetes.ApiRequests;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves pages over HTTPS to those who may read them. */
public final class SecureServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SecureServer.class);
    private static final int MOST_THREADS = 16;
    private static final int MOST_BODY_BYTES = 64 << 10;
    private static final int MOST_JSON_BYTES = 1 << 20;
    private static final Duration BODY_TIME = Duration.ofSeconds(5);
    private static final Set<String> HEALTH = Set.of("/healthz", "/livez", "/readyz");
    private static final Set<String> READS = Set.of("GET", "HEAD");
    private static final Map<String, String> HEADERS =
            Map.of("Cache-Control", "no-cache, private", "X-Content-Type-Options", "nosniff");

    private final HttpServer server;
    private final Map<String, Page> pages = new TreeMap<>();
    private final Set<String> writable = new HashSet<>();
    private final Set<String> json = new HashSet<>();
    private final Access access;

    private SecureServer(
            ServingOptions options,
            Supplier<SSLEngine> tls,
            Access access,
            InstantSource clock,
            ThreadFactory threads) {
        this.access = access;
        server = bind(
                options,
                new HttpServer.Settings(Optional.of(tls), HttpServer.Limits.DEFAULTS, MOST_THREADS, clock, threads),
                new Requests());
    }

    /**
     * Creates a server that listens; it answers after {@link #start}.
     *
     * @param options how to serve
     * @param hostName the machine's name
     * @param authentications the API server that reviews tokens
     * @param authorizations the API server that reviews what users may do
     * @param clock a monotonic clock
     * @param threadFactory creates the threads that answer
     * @throws CommandException if the address is in use, or the options are invalid
     */
    public static SecureServer listen(
            ServingOptions options,
            String hostName,
            ApiRequests authentications,
            ApiRequests authorizations,
            InstantSource clock,
            ThreadFactory threadFactory) {
        Access reviewed = new ReviewedAccess(options, authentications, authorizations, clock);
        return new SecureServer(options, tls(options, keys(options, hostName, clock)), reviewed, clock, threadFactory);
    }

    /**
     * Creates a server like {@link #listen}, for an address that only this machine reaches: all clients may read
     * everything.
     *
     * @throws CommandException if it is another address or in use, or the options are invalid
     */
    public static SecureServer listenOnLoopback(
            ServingOptions options, String hostName, InstantSource clock, ThreadFactory threadFactory) {
        InetSocketAddress address = new InetSocketAddress(options.bindAddress(), options.securePort());
        if (!address.isUnresolved() && !address.getAddress().isLoopbackAddress()) {
            throw new CommandException("--bind-address: " + options.bindAddress()
                    + " (expected: an address of this machine alone such as 127.0.0.1, or --kubeconfig for the API server"
                    + " that says who may read)");
        }
        return new SecureServer(
                options, tls(options, keys(options, hostName, clock)), Access.OPEN, clock, threadFactory);
    }

    private static ServerKeys keys(ServingOptions options, String hostName, InstantSource clock) {
        return options.certFile().isPresent()
                ? ServerKeys.ofFiles(
                        new ServerKeys.Files(
                                "--tls-cert-file",
                                options.certFile().get(),
                                "--tls-private-key-file",
                                options.keyFile().orElseThrow()),
                        clock)
                : ServerKeys.selfSigned(hostName, clock);
    }

    private static HttpServer bind(ServingOptions options, HttpServer.Settings settings, Handler handler) {
        InetSocketAddress address = new InetSocketAddress(options.bindAddress(), options.securePort());
        if (address.isUnresolved()) {
            throw new CommandException("--bind-address: \"" + options.bindAddress() + "\" (expected: an IP address)");
        }
        try {
            return HttpServer.listen(address, settings, handler);
        } catch (IOException e) {
            throw new CommandException(
                    "failed to create listener: failed to listen on " + options.bindAddress() + ":"
                            + options.securePort() + ": " + e.getMessage()
                            + " (expected: a free --secure-port, or 0 to serve nothing)",
                    e);
        }
    }

    private static Supplier<SSLEngine> tls(ServingOptions options, ServerKeys keys) {
        SSLContext context;
        try {
            context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keys}, new TrustManager[] {new LaterVerification()}, null);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        SSLParameters parameters = context.getDefaultSSLParameters();
        parameters.setProtocols(options.protocols());
        parameters.setCipherSuites(cipherSuites(options, context));
        parameters.setWantClientAuth(true);
        return () -> {
            SSLEngine engine = context.createSSLEngine();
            engine.setUseClientMode(false);
            engine.setSSLParameters(parameters);
            return engine;
        };
    }

    private static String[] cipherSuites(ServingOptions options, SSLContext context) {
        String[] supported = context.getSupportedSSLParameters().getCipherSuites();
        if (options.cipherSuites().isEmpty()) {
            return context.getDefaultSSLParameters().getCipherSuites();
        }
        List<String> known = Arrays.asList(supported);
        for (String name : options.cipherSuites()) {
            if (!known.contains(name)) {
                throw new CommandException("--tls-cipher-suites: \"" + name
                        + "\" (expected: names such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256)");
            }
        }
        List<String> chosen = new ArrayList<>(options.cipherSuites());
        // As in Go, the cipher suites of TLS 1.3 cannot be chosen.
        known.stream().filter(name -> name.matches("TLS_(AES|CHACHA20)_.*")).forEach(name -> {
            if (!chosen.contains(name)) {
                chosen.add(name);
            }
        });
        return chosen.toArray(String[]::new);
    }

    /**
     * Accepts any client certificate during the handshake: each request decides whether it is valid, and without a
     * valid one the client is anonymous.
     */
    private static final class LaterVerification extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            throw new UnsupportedOperationException("checkServerTrusted (expected: only of clients)");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket) {
            checkServerTrusted(chain, authType);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine) {
            checkServerTrusted(chain, authType);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Serves a page to be read at a path; with a slash at the end of the path, also at all paths below it. */
    public void page(String path, Page page) {
        pages.put(path, page);
    }

    /** Serves a page that gets the bodies of requests, of any method. */
    public void writablePage(String path, Page page) {
        pages.put(path, page);
        writable.add(path);
    }

    /**
     * Serves a page that gets JSON of up to 1 MiB, of any method. Requests of pages of other servers, which a browser
     * sends, are refused before their body is read.
     */
    public void jsonPage(String path, Page page) {
        writablePage(path, page);
        json.add(path);
    }

    /** Serves a health endpoint, and each of its checks below it. */
    public void health(String name, List<HealthCheck> checks) {
        health(name, checks, List::of);
    }

    /** As {@link #health(String, List)}, with lines that are shown where a check fails and where more is asked for. */
    public void health(String name, List<HealthCheck> checks, Supplier<List<String>> notes) {
        Page page = new HealthEndpoint(name, checks, notes);
        page("/" + name, page);
        page("/" + name + "/", page);
    }

    /** The paths of the pages. */
    public List<String> paths() {
        return pages.keySet().stream().filter(path -> !path.endsWith("/")).toList();
    }

    /**
     * Learns who signs clients' certificates, and begins to answer.
     *
     * @throws CommandException if a file with such authorities cannot be read
     * @throws org.moorage.api.plugin.cluster.ClusterException if the API server does not return them, and
     *     that is not tolerated
     */
    public void start() {
        access.load();
        server.start();
        LOG.info("Serving securely on {}:{}", server.address().getAddress().getHostAddress(), port());
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

    /** Answers requests with pages. */
    private final class Requests implements Handler {
        // A request that neither shows credentials nor needs them is answered without asking the API server.
        @Override
        public boolean isHealth(Request request) {
            return HEALTH.contains(request.path()) && access.isFree(request);
        }

        @Override
        public HandlerResult answer(Request request) {
            Optional<Reply> refusal = access.refusal(request);
            if (refusal.isPresent()) {
                return refusal.get().response(HEADERS);
            }
            Optional<Page> page = page(request.path());
            if (page.isEmpty()) {
                return Reply.notFound().response(HEADERS);
            }
            if (READS.contains(request.method())) {
                return response(page.get(), request, "");
            }
            if (!writable.contains(request.path())) {
                return Reply.methodNotAllowed("GET, HEAD").response(HEADERS);
            }
            boolean isJson = json.contains(request.path());
            Optional<Reply> foreign = isJson ? JsonRequests.refusal(request, access == Access.OPEN) : Optional.empty();
            if (foreign.isPresent()) {
                return foreign.get().response(HEADERS);
            }
            return new ReadBody(
                    isJson ? MOST_JSON_BYTES : MOST_BODY_BYTES,
                    BODY_TIME,
                    body -> response(page.get(), request, new String(body.readAllBytes(), StandardCharsets.UTF_8)));
        }

        private static Response response(Page page, Request request, String body) {
            try {
                return Compression.of(request, page.reply(Query.of(request, body)))
                        .response(HEADERS);
            } catch (RuntimeException unexpected) {
                log(request, unexpected);
                return Reply.text(500, "internal server error\n").response(HEADERS);
            }
        }

        private static void log(Request request, Throwable thrown) {
            LOG.atError().addKeyValue("path", request.path()).setCause(thrown).log("Request failed");
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
            LOG.atWarn().addKeyValue("port", port()).log("Too many clients: {}", overload);
        }
    }

    private Optional<Page> page(String path) {
        Page exact = pages.get(path);
        if (exact != null) {
            return Optional.of(exact);
        }
        for (Map.Entry<String, Page> entry : pages.entrySet()) {
            if (entry.getKey().endsWith("/") && path.startsWith(entry.getKey())) {
                return Optional.of(entry.getValue());
            }
        }
        return Optional.empty();
    }

    /** Stops listening, and answers the requests that were received. */
    @Override
    public void close() {
        server.close();
    }
}
