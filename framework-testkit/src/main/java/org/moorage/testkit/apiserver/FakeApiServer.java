// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.apiserver;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectFields;

/**
 * An API server for tests, in the process of the test and on a free port of the loopback address. It keeps the objects
 * that a test puts into it, and serves lists, watches, bindings and other changes of them to any client:
 *
 * <pre>{@code
 * try (FakeApiServer server = FakeApiServer.start()) {
 *     server.put("{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, pods: 110}}}");
 *     server.put("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c}]}}");
 *     // Connect the scheduler or controller under test to server.address(), or through server.kubeconfig().
 *     server.await("/api/v1/namespaces/default/pods/web", pod -> pod.string("spec", "nodeName").isPresent());
 * }
 * }</pre>
 *
 * <p>Leases, Events and every kind that has a type in the object model are served, and every other kind from its first
 * object on; the rest is {@code 404 Not Found}. Lists have pages ({@code limit}, {@code continue}). Watches start at
 * any version that has not {@linkplain #expire expired}, and end after their {@code timeoutSeconds}. Objects are
 * created, replaced, patched and deleted, with conflicts where a request names a former {@code resourceVersion} or
 * another {@code uid}. The subresources are {@code status} and a pod's {@code binding}.
 *
 * <p>Unlike an API server, it does not validate or complete objects, sets no times, ignores selectors, deletes pods
 * immediately, and runs no controllers; a strategic merge patch merges lists by {@code type} or {@code name}, and JSON
 * patches are rejected. It speaks HTTP/1.1. It has no discovery, so {@code kubectl} cannot use it.
 *
 * <p>{@link #on} replaces the response to some requests, to test failures. {@link #requests} and {@link #takeRequest}
 * return the requests that came. Methods that wait do so until their condition holds; after a minute they throw an
 * {@link AssertionError}, so that a broken test ends. May be used by several threads.
 */
public final class FakeApiServer implements AutoCloseable {
    static {
        // Read when the JDK's server is first used: without it, small responses are delayed by 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private static final long LIMIT_SECONDS = 60;
    private static final int SHOWN_REQUESTS = 10;
    private static final String KUBECONFIG = """
            apiVersion: v1
            kind: Config
            clusters: [{name: fake, cluster: {server: "%s"%s}}]
            users: [{name: fake, user: {token: fake}}]
            contexts: [{name: fake, context: {cluster: fake, user: fake}}]
            current-context: fake
            """;

    private record Rule(String method, String path, Function<Request, Response> handler) {
        boolean matches(Request request) {
            return method.equals(request.method())
                    && (path.endsWith("*")
                            ? request.path().startsWith(path.substring(0, path.length() - 1))
                            : request.path().equals(path));
        }
    }

    private final @Nullable SSLContext tls;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "fake-api-server");
        thread.setDaemon(true);
        return thread;
    });

    /** Also the lock of what is below. */
    private final ServerState objects = new ServerState();

    @GuardedBy("objects")
    private final List<Rule> rules = new ArrayList<>();

    @GuardedBy("objects")
    private final List<Request> requests = new ArrayList<>();

    @GuardedBy("objects")
    private int taken;

    @GuardedBy("objects")
    private HttpServer server;

    private final int port;

    private FakeApiServer(@Nullable SSLContext tls) {
        this.tls = tls;
        server = listen(0);
        port = server.getAddress().getPort();
    }

    /** Starts a server that speaks HTTP. */
    public static FakeApiServer start() {
        return new FakeApiServer(null);
    }

    /**
     * Starts a server that speaks HTTPS.
     *
     * @param tls has the key and certificate of the server
     */
    public static FakeApiServer start(SSLContext tls) {
        return new FakeApiServer(tls);
    }

    private HttpServer listen(int onPort) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), onPort);
        try {
            HttpServer opened;
            if (tls == null) {
                opened = HttpServer.create(address, 0);
            } else {
                HttpsServer secure = HttpsServer.create(address, 0);
                secure.setHttpsConfigurator(new HttpsConfigurator(tls));
                opened = secure;
            }
            opened.setExecutor(threads);
            opened.createContext("/", this::handle);
            opened.start();
            return opened;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the URL of the server, without a path. It stays the same when the server is
     * {@linkplain #restart restarted}.
     */
    public String address() {
        return (tls == null ? "http" : "https") + "://127.0.0.1:" + port;
    }

    /** Returns the text of a kubeconfig for the server, with a token. A client does not verify the certificate. */
    public String kubeconfig() {
        return KUBECONFIG.formatted(address(), tls == null ? "" : ", insecure-skip-tls-verify: true");
    }

    /**
     * Creates objects, or replaces those that exist.
     *
     * @param manifests the objects in YAML or JSON, one after the other or in lists, each with {@code apiVersion} and
     *     {@code kind}; their {@code resourceVersion} is the server's
     */
    public void put(String manifests) {
        objects.put(manifests);
    }

    /**
     * Deletes an object, and sends the event to its watches.
     *
     * @param path for example {@code /api/v1/namespaces/default/pods/web}
     * @throws IllegalArgumentException if there is no such object
     */
    public void delete(String path) {
        if (!objects.delete(path)) {
            throw new IllegalArgumentException("path: " + path + " (expected: the path of an object)");
        }
    }

    /** Returns the fields of the object at a path, for example {@code /api/v1/nodes/n1}; empty if there is none. */
    public Optional<ObjectFields> object(String path) {
        return objects.json(path).map(ObjectFields::of);
    }

    /**
     * Waits until there is an object at a path that meets a condition, and returns its fields.
     *
     * @throws AssertionError if that takes more than a minute
     * @throws InterruptedException if the thread is interrupted
     */
    public ObjectFields await(String path, Predicate<ObjectFields> condition) throws InterruptedException {
        return await(path, () -> object(path).filter(condition));
    }

    /** Makes all current versions too old: watches end with {@code 410 Gone}, and a client has to list again. */
    public void expire() {
        objects.expire();
    }

    /** Sends a bookmark to each watch that asks for them. */
    public void sendBookmarks() {
        objects.sendBookmarks();
    }

    /**
     * Responds otherwise to some requests. Where several rules match a request, the last one counts. A handler may
     * respond as the server would, by {@link #respond}; an exception of it is a response of code 500.
     *
     * @param method the HTTP method
     * @param path the path, without the query; a {@code *} at the end matches any suffix
     * @param handler the response, on a thread of the request
     */
    public void on(String method, String path, Function<Request, Response> handler) {
        synchronized (objects) {
            rules.add(0, new Rule(method, path, handler));
        }
    }

    /**
     * Returns the response to a request by the objects of the server, regardless of {@link #on}. Changes are made by
     * this call.
     */
    public Response respond(Request request) {
        return objects.respond(request);
    }

    /** Returns all requests that came, in their order. */
    public List<Request> requests() {
        synchronized (objects) {
            return List.copyOf(requests);
        }
    }

    /**
     * Waits for a request that has not been taken yet, and returns the first one.
     *
     * @throws AssertionError if that takes more than a minute
     * @throws InterruptedException if the thread is interrupted
     */
    public Request takeRequest() throws InterruptedException {
        return takeRequest(request -> true);
    }

    /**
     * Waits for a request that has not been taken yet and meets a condition, and returns the first one. The requests
     * before it are taken too.
     *
     * @throws AssertionError if that takes more than a minute
     * @throws InterruptedException if the thread is interrupted
     */
    public Request takeRequest(Predicate<Request> condition) throws InterruptedException {
        return await("a request", () -> {
            synchronized (objects) {
                for (int i = taken; i < requests.size(); i++) {
                    if (condition.test(requests.get(i))) {
                        taken = i + 1;
                        return Optional.of(requests.get(i));
                    }
                }
                return Optional.empty();
            }
        });
    }

    private <T> T await(String what, Supplier<Optional<T>> state) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        synchronized (objects) {
            Optional<T> found = state.get();
            while (found.isEmpty()) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new AssertionError(what + ": not as expected after " + LIMIT_SECONDS + " s; last requests: "
                            + requests.subList(Math.max(0, requests.size() - SHOWN_REQUESTS), requests.size()));
                }
                TimeUnit.NANOSECONDS.timedWait(objects, left);
                found = state.get();
            }
            return found.get();
        }
    }

    /** Stops listening, and closes all connections. The objects are kept. */
    public void stop() {
        synchronized (objects) {
            server.stop(0);
        }
    }

    /** Listens on the same port again, after {@link #stop}. */
    public void restart() {
        synchronized (objects) {
            server = listen(port);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Request request = read(exchange);
            Response response = answer(request);
            response.awaitRelease();
            if (response.isConnectionKept()) {
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                response.headers().forEach(exchange.getResponseHeaders()::set);
                exchange.sendResponseHeaders(response.code(), 0);
                response.body().writeTo(exchange.getResponseBody());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Response answer(Request request) {
        Optional<Rule> rule;
        synchronized (objects) {
            requests.add(request);
            objects.notifyAll();
            rule = rules.stream().filter(each -> each.matches(request)).findFirst();
        }
        try {
            return rule.isPresent() ? rule.get().handler.apply(request) : respond(request);
        } catch (RuntimeException | AssertionError e) {
            return Response.status(500, "InternalError", e.toString());
        }
    }

    private static Request read(HttpExchange exchange) throws IOException {
        Map<String, String> query = new HashMap<>();
        String text = exchange.getRequestURI().getRawQuery();
        for (String parameter : text == null ? new String[0] : text.split("&")) {
            String[] parts = parameter.split("=", 2);
            query.put(parts[0], parts.length == 1 ? "" : URLDecoder.decode(parts[1], UTF_8));
        }
        Map<String, String> headers = new HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
        return new Request(
                exchange.getRequestMethod(),
                exchange.getRequestURI().getPath(),
                query,
                headers,
                new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    }

    /** Stops the server, and the threads of its responses. */
    @Override
    public void close() {
        stop();
        List<Runnable> ignored = threads.shutdownNow();
    }
}
