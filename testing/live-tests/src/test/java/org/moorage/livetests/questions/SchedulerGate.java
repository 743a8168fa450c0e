// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * Blocks kube-scheduler between two pods while its informers continue: it attempts a pod that needs an extender, which
 * does not respond before the gate opens. No other pod uses the extender.
 */
final class SchedulerGate implements AutoCloseable {
    /** The namespace of all pods of the gate, which are therefore not counted or checked. */
    static final String NAMESPACE = "kube-system";

    /** A node of the gate. */
    static final String NODE = "gate";

    private static final String PODS = "/api/v1/namespaces/" + NAMESPACE + "/pods";
    private static final String NODES = "/api/v1/nodes";

    private static final String HOLDING = """
            {"metadata": {"name": "holding"}, "spec": {"priorityClassName": "system-node-critical",
              "tolerations": [{"operator": "Exists"}], "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "i",
              "resources": {"requests": {"example.com/gate": "1"}, "limits": {"example.com/gate": "1"}}}]}}""";

    private static final String GATED = """
            {"metadata": {"name": "gated"}, "spec": {"schedulingGates": [{"name": "example.com/gate"}],
              "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "i"}]}}""";

    private final Scene scene;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile CountDownLatch reached = new CountDownLatch(1);
    private volatile CountDownLatch open = new CountDownLatch(1);

    SchedulerGate(Scene scene) {
        this.scene = scene;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/filter", this::filter);
        server.start();
    }

    private void filter(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        CountDownLatch opened = open;
        reached.countDown();
        try {
            opened.await();
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
        byte[] answer = "{\"error\": \"the gate is open\"}".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    /** Returns the end of a scheduler's configuration. */
    String config() {
        return """
                extenders:
                - urlPrefix: http://127.0.0.1:%d
                  filterVerb: filter
                  httpTimeout: 1h
                  managedResources: [{name: example.com/gate, ignoredByScheduler: true}]
                """.formatted(server.getAddress().getPort());
    }

    /**
     * Runs an action while the scheduler is blocked. The scheduler continues when it has received all resulting
     * changes.
     */
    void whileClosed(SchedulerProcess scheduler, Runnable work) {
        reached = new CountDownLatch(1);
        open = new CountDownLatch(1);
        scene.api().create(PODS, HOLDING);
        scene.await("the scheduler is held", () -> reached.getCount() == 0);
        try {
            work.run();
            awaitSeen(scheduler);
        } finally {
            scene.api().delete(PODS + "/holding");
            open.countDown();
        }
    }

    /**
     * Waits until the scheduler has received the current state of all pods and nodes. Its informers deliver the changes
     * of a kind in order, so it has received a change once it has received a later creation and deletion.
     */
    void awaitSeen(SchedulerProcess scheduler) {
        scene.api().create(NODES, """
                {"metadata": {"name": "%s"}, "spec": {"unschedulable": true}}""".formatted(NODE));
        scene.api().create(PODS, GATED);
        awaitGated(scheduler, 1);
        awaitNodes(scheduler);
        scene.api().delete(PODS + "/gated");
        scene.api().delete(NODES + "/" + NODE);
        awaitGated(scheduler, 0);
        awaitNodes(scheduler);
    }

    private void awaitGated(SchedulerProcess scheduler, int count) {
        double ignored = scene.await(
                "gated pods that the scheduler has: " + count,
                () -> scheduler.metric("scheduler_pending_pods", "queue=\"gated\""),
                seen -> seen == count);
    }

    private void awaitNodes(SchedulerProcess scheduler) {
        int count = scene.api().items(NODES).size();
        double ignored = scene.await(
                "nodes that the scheduler has: " + count,
                () -> scheduler.metric("scheduler_cache_size", "type=\"nodes\""),
                seen -> seen == count);
    }

    @Override
    public void close() {
        open.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
