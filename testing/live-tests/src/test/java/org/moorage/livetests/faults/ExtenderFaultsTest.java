// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.SchedulerProcess.Kind;
import org.moorage.livetests.scene.Waiting;

/** Tests extenders that hang, fail, return invalid responses, or do not exist. */
class ExtenderFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String REFUSED = "refused";
    private static final List<String> FAULTS = List.of("hang", "status", "garbage", REFUSED);

    @Test
    @Fault(value = 31, injected = "an extender hangs, answers 500, garbage, refuses; ignorable or not")
    void extenders(FaultReport report) throws IOException {
        ExecutorService threads = Executors.newCachedThreadPool();
        HttpServer extender = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        extender.setExecutor(threads);
        extender.createContext("/hang", exchange -> Waiting.pause(Duration.ofSeconds(30)));
        answer(extender, "/status", 500, "injected");
        answer(extender, "/garbage", 200, "<html>no answer</html>");
        extender.start();
        try (FaultScene scene = FaultScene.open(report)) {
            int closed = scene.port();
            scene.nodes("n", 3, "1", 110);
            for (String fault : FAULTS) {
                int port =
                        fault.equals(REFUSED) ? closed : extender.getAddress().getPort();
                for (boolean isIgnorable : List.of(true, false)) {
                    compare(scene, report, fault, config(port, fault, isIgnorable), isIgnorable);
                }
            }
        } finally {
            extender.stop(0);
            threads.shutdownNow();
        }
    }

    private static void answer(HttpServer server, String path, int status, String body) {
        server.createContext(path, exchange -> {
            try (exchange) {
                byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
                exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(status, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
    }

    private static String config(int port, String path, boolean isIgnorable) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%%s", qps: 1000, burst: 1000}
                extenders:
                - {urlPrefix: "http://127.0.0.1:%d/%s", filterVerb: filter, httpTimeout: %ds, ignorable: %b}
                """.formatted(port, path, LIMIT.toSeconds(), isIgnorable);
    }

    private static void compare(
            FaultScene scene, FaultReport report, String fault, String config, boolean isIgnorable) {
        String name = fault + (isIgnorable ? "-ignorable" : "");
        Map<Kind, String> told = new HashMap<>();
        for (Kind kind : Kind.values()) {
            try (SchedulerProcess scheduler =
                    scene.start(scene.commandBeside(kind).config(config))) {
                String pod = "p-" + name;
                long start = System.nanoTime();
                scene.api().create(PODS, FaultScene.pod(pod, "100m", ""));
                Waiting.until(() -> !outcome(scene, pod).isEmpty());
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                report.holds(scheduler.program().isRunning(), name + ": " + kind + " has ended");
                told.put(kind, outcome(scene, pod));
                if (kind == Kind.MOORAGE) {
                    report.took(name, took, LIMIT.plusSeconds(4));
                }
                scene.api().delete(FaultScene.podPath(pod));
                Waiting.until(() -> scene.versions().pods().isEmpty());
            }
        }
        report.holds(
                told.get(Kind.MOORAGE).equals(told.get(Kind.KUBE_SCHEDULER)),
                name + ": " + told.get(Kind.MOORAGE) + " instead of " + told.get(Kind.KUBE_SCHEDULER));
        report.holds(told.get(Kind.MOORAGE).equals("bound") == isIgnorable, name + ": " + told.get(Kind.MOORAGE));
    }

    /** Returns the outcome of a pod: that it is bound, or why it is not; empty if there is no outcome yet. */
    private static String outcome(FaultScene scene, String name) {
        JsonNode pod = scene.api().get(FaultScene.podPath(name));
        if (!PodVersions.nodeName(pod).isEmpty()) {
            return "bound";
        }
        JsonNode condition = PodVersions.podScheduled(pod);
        return condition.isMissingNode()
                ? ""
                : condition.path("reason").asText() + ": "
                        + condition.path("message").asText();
    }
}
