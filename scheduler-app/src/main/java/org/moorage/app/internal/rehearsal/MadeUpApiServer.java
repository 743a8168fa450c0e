// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.rehearsal;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import org.moorage.api.model.ObjectKind;
import org.moorage.app.internal.serving.ServerKeys;

/** Serves the made-up cluster by TLS on the loopback address: lists, watches, bindings, and an empty success for other writes. */
public final class MadeUpApiServer implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Pattern BINDING = Pattern.compile("/api/v1/namespaces/default/pods/([^/]+)/binding");
    private static final Pattern STATUS_OF_POD = Pattern.compile("/api/v1/namespaces/default/pods/[^/]+/status");
    private static final String KUBECONFIG = """
            apiVersion: v1
            kind: Config
            current-context: made-up
            contexts: [{name: made-up, context: {cluster: made-up, user: made-up}}]
            clusters: [{name: made-up, cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}}]
            users: [{name: made-up, user: {token: made-up}}]
            """;

    private final HttpsServer server;
    private final ExecutorService threads;
    private final Map<String, ObjectNode> unboundPods = new HashMap<>();

    @GuardedBy("unboundPods")
    private int lastVersion = 1;

    private final BlockingQueue<String> podChanges = new LinkedBlockingQueue<>();
    private final CountDownLatch unbound;
    private final CountDownLatch unschedulable;
    private final CountDownLatch closed = new CountDownLatch(1);

    private MadeUpApiServer(HttpsServer server, ThreadFactory factory) throws IOException {
        this.server = server;
        threads = Executors.newCachedThreadPool(factory);
        for (String pod : MadeUpCluster.pods()) {
            ObjectNode tree = (ObjectNode) JSON.readTree(pod);
            unboundPods.put(tree.at("/metadata/name").asText(), tree);
        }
        unbound = new CountDownLatch(unboundPods.size());
        unschedulable = new CountDownLatch(MadeUpCluster.unschedulablePods().size());
        server.setExecutor(threads);
        server.createContext("/", this::handle);
    }

    /** Starts it on a port that is free. */
    public static MadeUpApiServer start(ThreadFactory threads) throws IOException {
        // Read once, when the JDK's server is used first: without it, an answer waits for the client's acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try {
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(new KeyManager[] {ServerKeys.selfSigned("localhost", InstantSource.system())}, null, null);
            server.setHttpsConfigurator(new HttpsConfigurator(tls));
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS is not available: " + e, e);
        }
        MadeUpApiServer made = new MadeUpApiServer(server, threads);
        server.start();
        return made;
    }

    /** How to connect to it. */
    public String kubeconfig() {
        return String.format(KUBECONFIG, server.getAddress().getPort());
    }

    /** The whole cluster as a file of manifests. */
    public static String manifests() {
        return MadeUpCluster.file();
    }

    /** Waits until each pod is bound or reported as unschedulable; false if that takes too long. */
    public boolean awaitDecisions(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        return unbound.await(atMost.toNanos(), TimeUnit.NANOSECONDS)
                && unschedulable.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String query = String.valueOf(exchange.getRequestURI().getQuery());
            byte[] body = exchange.getRequestBody().readAllBytes();
            if (!exchange.getRequestMethod().equals("GET")) {
                write(path, body);
                send(exchange, 201, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}");
            } else if (query.contains("watch=true")) {
                watch(exchange, path.endsWith("/pods"));
            } else {
                list(exchange, path);
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    private static void list(HttpExchange exchange, String path) throws IOException {
        for (ObjectKind<?> kind : ObjectKind.TYPED) {
            String root = kind.apiVersion().contains("/") ? "/apis/" : "/api/";
            if (path.equals(root + kind.apiVersion() + "/" + kind.plural())) {
                send(exchange, 200, MadeUpCluster.list(kind.apiVersion(), kind.kind() + "List", items(kind)));
                return;
            }
        }
        send(
                exchange,
                404,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\"}");
    }

    private static void send(HttpExchange exchange, int code, String json) throws IOException {
        byte[] body = json.getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, body.length);
        exchange.getResponseBody().write(body);
    }

    private static List<String> items(ObjectKind<?> kind) {
        if (kind.equals(ObjectKind.NODE)) {
            return MadeUpCluster.nodes();
        }
        if (kind.equals(ObjectKind.POD_GROUP)) {
            return MadeUpCluster.podGroups();
        }
        return kind.equals(ObjectKind.POD)
                ? Stream.concat(MadeUpCluster.pods().stream(), MadeUpCluster.unschedulablePods().stream())
                        .toList()
                : List.of();
    }

    private void watch(HttpExchange exchange, boolean ofPods) throws IOException, InterruptedException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        out.flush();
        while (ofPods) {
            out.write((podChanges.take() + "\n").getBytes(UTF_8));
            out.flush();
        }
        closed.await();
    }

    private void write(String path, byte[] body) throws IOException {
        Matcher binding = BINDING.matcher(path);
        if (!binding.matches()) {
            if (STATUS_OF_POD.matcher(path).matches()) {
                unschedulable.countDown();
            }
            return;
        }
        synchronized (unboundPods) {
            ObjectNode pod = unboundPods.remove(binding.group(1));
            if (pod != null) {
                ((ObjectNode) pod.get("metadata")).put("resourceVersion", String.valueOf(++lastVersion));
                ((ObjectNode) pod.get("spec"))
                        .put("nodeName", JSON.readTree(body).at("/target/name").asText());
                podChanges.add(JSON.createObjectNode()
                        .put("type", "MODIFIED")
                        .<ObjectNode>set("object", pod)
                        .toString());
                unbound.countDown();
            }
        }
    }

    @Override
    public void close() {
        closed.countDown();
        List<Runnable> ignored = threads.shutdownNow();
        server.stop(0);
    }
}
