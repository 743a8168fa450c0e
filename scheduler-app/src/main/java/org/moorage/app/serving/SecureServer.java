// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.serving;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.moorage.app.command.CommandException;
import org.moorage.app.kubernetes.ApiRequests;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves pages over HTTPS to those who may read them. */
public final class SecureServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SecureServer.class);
    private static final int MOST_THREADS = 16;
    private static final int BACKLOG = 64;
    private static final int MOST_BODY_BYTES = 64 << 10;
    private static final int STOP_SECONDS = 1;

    private final HttpsServer server;
    private final ThreadPoolExecutor threads;
    private final Map<String, Page> pages = new TreeMap<>();
    private final ClientAuthorities authorities;
    private final Authentication authentication;
    private final Authorization authorization;

    private SecureServer(
            HttpsServer server,
            ThreadPoolExecutor threads,
            ClientAuthorities authorities,
            Authentication authentication,
            Authorization authorization) {
        this.server = server;
        this.threads = threads;
        this.authorities = authorities;
        this.authentication = authentication;
        this.authorization = authorization;
    }

    /**
     * Has the JDK's server, which reads these settings once, answer at once and give up clients that send nothing. Called before
     * anything else uses that server.
     */
    public static void configureProcess() {
        setIfAbsent("sun.net.httpserver.nodelay", "true");
        setIfAbsent("sun.net.httpserver.maxReqTime", "30");
        setIfAbsent("sun.net.httpserver.maxRspTime", "60");
    }

    private static void setIfAbsent(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /**
     * A server that listens, and answers from {@link #start} on.
     *
     * @param options how to serve
     * @param hostName the machine's name
     * @param authentications the API server that knows tokens
     * @param authorizations the API server that knows what users may do
     * @param clock measures, and never goes back
     * @param threadFactory makes the threads that answer
     * @throws CommandException if the address is taken, or the options make no sense
     */
    public static SecureServer listen(
            ServingOptions options,
            String hostName,
            ApiRequests authentications,
            ApiRequests authorizations,
            InstantSource clock,
            ThreadFactory threadFactory) {
        ServerKeys keys = options.certFile().isPresent()
                ? ServerKeys.ofFiles(
                        new ServerKeys.Files(
                                "--tls-cert-file",
                                options.certFile().get(),
                                "--tls-private-key-file",
                                options.keyFile().orElseThrow()),
                        clock)
                : ServerKeys.selfSigned(hostName, clock);
        ClientAuthorities authorities = new ClientAuthorities(options, authentications, clock);
        HttpsServer server = bind(options);
        server.setHttpsConfigurator(configurator(options, keys));
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(1, MOST_THREADS, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), threadFactory);
        server.setExecutor(threads);
        return new SecureServer(
                server,
                threads,
                authorities,
                new Authentication(authorities, authentications, options.tokenTtl()),
                new Authorization(
                        authorizations,
                        options.alwaysAllowPaths(),
                        options.authorizedTtl(),
                        options.unauthorizedTtl()));
    }

    private static HttpsServer bind(ServingOptions options) {
        InetSocketAddress address = new InetSocketAddress(options.bindAddress(), options.securePort());
        if (address.isUnresolved()) {
            throw new CommandException("--bind-address: \"" + options.bindAddress() + "\" (expected: an IP address)");
        }
        try {
            return HttpsServer.create(address, BACKLOG);
        } catch (IOException e) {
            throw new CommandException(
                    "failed to create listener: failed to listen on " + options.bindAddress() + ":"
                            + options.securePort() + ": " + e.getMessage()
                            + " (expected: a free --secure-port, or 0 to serve nothing)",
                    e);
        }
    }

    private static HttpsConfigurator configurator(ServingOptions options, ServerKeys keys) {
        SSLContext context;
        try {
            context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keys}, new TrustManager[] {new LaterVerification()}, null);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        String[] protocols = options.protocols();
        String[] cipherSuites = cipherSuites(options, context);
        return new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters tls = getSSLContext().getDefaultSSLParameters();
                tls.setProtocols(protocols);
                tls.setCipherSuites(cipherSuites);
                tls.setWantClientAuth(true);
                parameters.setSSLParameters(tls);
            }
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
        // As in Go, those of TLS 1.3 cannot be chosen.
        known.stream().filter(name -> name.matches("TLS_(AES|CHACHA20)_.*")).forEach(name -> {
            if (!chosen.contains(name)) {
                chosen.add(name);
            }
        });
        return chosen.toArray(String[]::new);
    }

    /** Lets clients show any certificate: whether it counts is decided for each request, and one that does not makes nobody. */
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

    /** Serves a page at a path; with a slash at the end of the path, also at all paths below it. */
    public void page(String path, Page page) {
        pages.put(path, page);
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
     * @throws org.moorage.api.plugin.ClusterException if the API server does not tell them, and that is not tolerated
     */
    public void start() {
        authorities.load();
        server.createContext("/", this::handle);
        server.start();
        LOG.info("Serving securely on {}:{}", server.getAddress().getAddress().getHostAddress(), port());
    }

    /** The port that the server listens on. */
    public int port() {
        return server.getAddress().getPort();
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
                reply = Reply.text(500, "internal server error\n");
            }
            exchange.getResponseHeaders().set("Cache-Control", "no-cache, private");
            exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            reply.sendTo(exchange);
        }
    }

    private Reply reply(HttpExchange exchange) throws IOException {
        Optional<User> user = authentication.user(
                chain(exchange), name -> exchange.getRequestHeaders().getOrDefault(name, List.of()));
        if (user.isEmpty()) {
            return Reply.status(401, "Unauthorized", "Unauthorized", false);
        }
        String path = exchange.getRequestURI().getPath();
        if (!authorization.allows(user.get(), exchange.getRequestMethod(), path)) {
            String verb = exchange.getRequestMethod().toLowerCase(Locale.ROOT);
            return Reply.status(
                    403,
                    "Forbidden",
                    "forbidden: User \"" + user.get().name() + "\" cannot " + verb + " path \"" + path + "\"",
                    true);
        }
        Optional<Page> page = page(path);
        if (page.isEmpty()) {
            return Reply.notFound();
        }
        String body = new String(exchange.getRequestBody().readNBytes(MOST_BODY_BYTES), StandardCharsets.UTF_8);
        String accept = String.join(",", exchange.getRequestHeaders().getOrDefault("Accept", List.of()));
        return page.get().reply(Query.of(exchange.getRequestMethod(), exchange.getRequestURI(), accept, body));
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

    private static List<X509Certificate> chain(HttpExchange exchange) {
        List<X509Certificate> chain = new ArrayList<>();
        if (exchange instanceof HttpsExchange secure) {
            try {
                for (Certificate certificate : secure.getSSLSession().getPeerCertificates()) {
                    if (certificate instanceof X509Certificate x509) {
                        chain.add(x509);
                    }
                }
            } catch (SSLPeerUnverifiedException none) {
                return List.of();
            }
        }
        return chain;
    }

    /** Answers what has been asked, and listens no more. */
    @Override
    public void close() {
        server.stop(threads.getActiveCount() > 0 ? STOP_SECONDS : 0);
        threads.shutdownNow();
    }
}
