// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The real kube-scheduler places pods by what a plugin in a jar answers through {@code moorage extender}. */
@Tag("live")
class LiveExtenderServerTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int PODS = 6;

    /** The agent that is sent whole nodes, and the one that is sent their names. Each has a kube-scheduler of that name. */
    private static final List<String> AGENTS = List.of("whole", "named");

    private static final String NODES = node("hot", 95) + node("warm", 60) + node("cool", 10);

    private static String node(String name, int temperature) {
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: %s, annotations: {temperature: "%d"}}
                status:
                  allocatable: {cpu: "8", memory: 16Gi, pods: "110"}
                  capacity: {cpu: "8", memory: 16Gi, pods: "110"}
                """.formatted(name, temperature);
    }

    private static String pod(String scheduler, String name, int limit) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s-%s, annotations: {limit: "%d"}, labels: {of: %s}}
                spec:
                  schedulerName: %s
                  containers: [{name: c, image: i, resources: {requests: {cpu: 100m, memory: 64Mi}}}]
                """.formatted(scheduler, name, limit, scheduler, scheduler);
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
                  - {name: NodeTemperature}
                - name: named
                  port: %d
                  nodeCache: true
                  plugins:
                  - {name: NodeTemperature}
                  - {name: NodeResourcesFit}
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
            List<Integer> ports = freePorts(2);
            try (RunningProgram extender = extender(plane, ports);
                    RunningProgram whole = kubeScheduler(
                            plane,
                            "whole",
                            ports.get(0),
                            "filterVerb: predicates/node-temperature\nprioritizeVerb: priorities/node-temperature\n");
                    RunningProgram named = kubeScheduler(
                            plane,
                            "named",
                            ports.get(1),
                            "filterVerb: filter\nprioritizeVerb: prioritize\npreemptVerb: preempt\n"
                                    + "nodeCacheCapable: true\n")) {
                StringBuilder pods = new StringBuilder();
                for (String agent : AGENTS) {
                    for (int i = 0; i < PODS; i++) {
                        pods.append(pod(agent, "p" + i, 90));
                    }
                    pods.append(pod(agent, "demanding", 5));
                }
                plane.create(pods.toString());

                String state = "whole:\n" + whole.log() + "named:\n" + named.log();
                Map<String, String> nodes = until(
                        () -> nodesByPod(plane),
                        seen -> seen.size() == AGENTS.size() * PODS,
                        () -> extender.log() + state);
                assertThat(nodes.values()).as(extender.log()).containsOnly("cool");
                Map<String, String> messages =
                        until(() -> messagesByPod(plane), seen -> seen.size() == AGENTS.size(), () -> extender.log());
                assertThat(messages.keySet()).containsExactly("named-demanding", "whole-demanding");
                assertThat(messages.values())
                        .allSatisfy(message -> assertThat(message)
                                .startsWith("0/3 nodes are available: 1 temperature 10 >= 5, 1 temperature 60 >= 5,"
                                        + " 1 temperature 95 >= 5."));

                assertPodsFollowAChange(plane, extender);
                assertThat(extender.errors()).as("errors in the log").isEmpty();
                assertThat(extender.terminate()).as(extender.log()).isZero();
            }
        }
    }

    private static void assertPodsFollowAChange(ControlPlane plane, RunningProgram extender) {
        plane.kubectl("annotate", "--overwrite", "node", "warm", "temperature=1");

        Map<String, String> nodes = until(
                () -> nodesByPod(plane),
                seen -> seen.containsKey("named-demanding") && seen.containsKey("whole-demanding"),
                extender::log);
        assertThat(nodes).containsEntry("named-demanding", "warm").containsEntry("whole-demanding", "warm");
    }

    private static RunningProgram extender(ControlPlane plane, List<Integer> ports) throws IOException {
        Path plugins = Files.createDirectories(plane.folder().resolve("plugins"));
        writeJar(plugins.resolve("node-temperature.jar"));
        Path config = Files.writeString(
                plane.folder().resolve("extender.yaml"), extenders(plane, ports.get(0), ports.get(1)));
        RunningProgram extender = RunningProgram.start(
                plane.folder().resolve("log").resolve("extender.log"),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.moorage.app.Main",
                        "extender",
                        "--config=" + config,
                        "--plugin-dir=" + plugins));
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

    private static void writeJar(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out)) {
            for (Class<?> type : List.of(NodeTemperature.class, NodeTemperature.Factory.class)) {
                String path = type.getName().replace('.', '/') + ".class";
                jar.putNextEntry(new JarEntry(path));
                try (InputStream in = type.getResourceAsStream("/" + path)) {
                    in.transferTo(jar);
                }
            }
            jar.putNextEntry(new JarEntry("META-INF/services/org.moorage.api.plugin.PluginFactory"));
            jar.write(NodeTemperature.Factory.class.getName().getBytes(StandardCharsets.UTF_8));
        }
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                sockets.add(socket);
                ports.add(socket.getLocalPort());
            }
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
        return ports;
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
