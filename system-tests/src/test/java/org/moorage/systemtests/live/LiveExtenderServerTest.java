// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The real kube-scheduler places pods by what kube-safe-scheduler's agents, plugins in a jar, answer through {@code moorage extender}. */
@Tag("live")
class LiveExtenderServerTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int PODS = 6;

    /** The agent that is sent whole nodes, and the one that is sent their names. Each has a kube-scheduler of that name. */
    private static final List<String> AGENTS = List.of("whole", "named");

    /** What is free of 8 CPUs, as measured: on the first two nodes the standard deviation is small. */
    private static final String NODES = node("idle", 4300, 100) + node("half", 3000, 1000) + node("hot", 500, 400);

    private static String node(String name, int free, int deviation) {
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: %s, annotations: {mean-free-cpu: "%d", std-free-cpu: "%d"}}
                status:
                  allocatable: {cpu: "8", memory: 16Gi, pods: "110"}
                  capacity: {cpu: "8", memory: 16Gi, pods: "110"}
                """.formatted(name, free, deviation);
    }

    private static String pod(String scheduler, String name, String cpu) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s-%s}
                spec:
                  schedulerName: %s
                  containers: [{name: c, image: i, resources: {requests: {cpu: %s, memory: 64Mi}}}]
                """.formatted(scheduler, name, scheduler, cpu);
    }

    private static String extenders(ControlPlane plane, int wholePort, int namedPort) {
        return """
                apiVersion: moorage.org/v1
                kind: ExtenderConfiguration
                clientConnection: {kubeconfig: "%s"}
                agents:
                - name: whole
                  port: %d
                  plugins:
                  - {name: SafeOverload, maxScore: 10, args: {originalBehavior: true}}
                  - {name: SafeBalance, maxScore: 10, weight: 10, args: {originalBehavior: true}}
                - name: named
                  port: %d
                  nodeCache: true
                  plugins:
                  - {name: SafeOverload}
                  - {name: SafeBalance, weight: 10}
                """.formatted(plane.kubeconfig(), wholePort, namedPort);
    }

    private static String scheduler(ControlPlane plane, String name, int port, String verbs) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
                profiles:
                - schedulerName: %s
                extenders:
                - urlPrefix: http://127.0.0.1:%d/scheduler
                  weight: 10
                  httpTimeout: 10s
                """.formatted(plane.kubeconfig(), name, port) + verbs.indent(2);
    }

    @Test
    void hasPodsFollowTheAnswersWithWholeNodesAndWithNames() throws IOException {
        try (ControlPlane plane = ControlPlane.start()) {
            plane.create(NODES);
            List<Integer> ports = List.of(ExampleProject.freePort(), ExampleProject.freePort());
            try (RunningProgram extender = extender(plane, ports);
                    RunningProgram whole = kubeScheduler(
                            plane,
                            "whole",
                            ports.get(0),
                            "filterVerb: predicates/safe-overload\nprioritizeVerb: priorities/safe-balance\n");
                    RunningProgram named = kubeScheduler(
                            plane,
                            "named",
                            ports.get(1),
                            "filterVerb: filter\nprioritizeVerb: prioritize\npreemptVerb: preempt\n"
                                    + "nodeCacheCapable: true\n")) {
                StringBuilder pods = new StringBuilder();
                for (String agent : AGENTS) {
                    for (int i = 0; i < PODS; i++) {
                        pods.append(pod(agent, "p" + i, "100m"));
                    }
                    pods.append(pod(agent, "demanding", "3900m"));
                }
                plane.create(pods.toString());

                String state = "whole:\n" + whole.log() + "named:\n" + named.log();
                Map<String, String> nodes = until(
                        () -> nodesByPod(plane),
                        seen -> seen.size() == AGENTS.size() * PODS,
                        () -> extender.log() + state);
                assertThat(nodes.values()).as(extender.log()).containsOnly("idle");
                Map<String, String> messages =
                        until(() -> messagesByPod(plane), seen -> seen.size() == AGENTS.size(), () -> extender.log());
                assertThat(messages.keySet()).containsExactly("named-demanding", "whole-demanding");
                assertThat(messages.values())
                        .allSatisfy(message -> assertThat(message)
                                .startsWith("0/3 nodes are available: 1 risk cpu=")
                                .contains(" > 0.30 (mu=0.9500 sigma=0.0125)"));

                assertPodsFollowAChange(plane, extender);
                assertThat(extender.errors()).as("errors in the log").isEmpty();
                assertThat(extender.terminate()).as(extender.log()).isZero();
            }
        }
    }

    private static void assertPodsFollowAChange(ControlPlane plane, RunningProgram extender) {
        plane.kubectl("annotate", "--overwrite", "node", "hot", "mean-free-cpu=8000", "std-free-cpu=0");

        Map<String, String> nodes = until(
                () -> nodesByPod(plane),
                seen -> seen.containsKey("named-demanding") && seen.containsKey("whole-demanding"),
                extender::log);
        assertThat(nodes).containsEntry("named-demanding", "hot").containsEntry("whole-demanding", "hot");
    }

    private static RunningProgram extender(ControlPlane plane, List<Integer> ports) throws IOException {
        Path config = Files.writeString(
                plane.folder().resolve("extender.yaml"), extenders(plane, ports.get(0), ports.get(1)));
        RunningProgram extender = RunningProgram.start(
                plane.folder().resolve("log").resolve("extender.log"),
                ExampleProject.java(
                        List.of(),
                        "org.moorage.app.Main",
                        "extender",
                        "--config=" + config,
                        "--plugin-dir=" + new ExampleProject("safe-agents").pluginDirectory()));
        for (int port : ports) {
            boolean healthy = until(() -> isHealthy(port), seen -> seen, extender::log);
            assertThat(healthy).isTrue();
        }
        return extender;
    }

    private static boolean isHealthy(int port) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/healthz"))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            return CLIENT.send(request, BodyHandlers.ofString()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static RunningProgram kubeScheduler(ControlPlane plane, String name, int port, String verbs)
            throws IOException {
        Path config = Files.writeString(plane.folder().resolve(name + ".yaml"), scheduler(plane, name, port, verbs));
        return RunningProgram.start(
                plane.folder().resolve("log").resolve(name + ".log"),
                List.of(
                        plane.binaries().resolve("kube-scheduler").toString(),
                        "--config=" + config,
                        "--secure-port=0",
                        "--v=2"));
    }

    private static Map<String, String> nodesByPod(ControlPlane plane) {
        Map<String, String> nodes = new TreeMap<>();
        for (JsonNode pod : pods(plane)) {
            if (pod.at("/spec").has("nodeName")) {
                nodes.put(
                        pod.at("/metadata/name").asText(),
                        pod.at("/spec/nodeName").asText());
            }
        }
        return nodes;
    }

    private static Map<String, String> messagesByPod(ControlPlane plane) {
        Map<String, String> messages = new TreeMap<>();
        for (JsonNode pod : pods(plane)) {
            for (JsonNode condition : pod.at("/status/conditions")) {
                if (condition.path("reason").asText().equals("Unschedulable")) {
                    messages.put(
                            pod.at("/metadata/name").asText(),
                            condition.path("message").asText());
                }
            }
        }
        return messages;
    }

    private static JsonNode pods(ControlPlane plane) {
        try {
            return JSON.readTree(plane.kubectl("get", "pods", "-o", "json")).path("items");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    // Each look takes a moment, so there is no need to wait in between.
    private static <T> T until(Supplier<T> look, Predicate<T> done, Supplier<String> state) {
        Instant deadline = Instant.now().plus(LIMIT);
        while (true) {
            T seen = look.get();
            if (done.test(seen)) {
                return seen;
            }
            if (Instant.now().isAfter(deadline)) {
                throw new AssertionError("not there in time, only " + seen + "\n" + state.get());
            }
        }
    }
}
