// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.systemtests.live.RunningProgram;

/** What kube-safe-scheduler answered over HTTP, {@code moorage extender} answers with the example's configuration. */
class SafeAgentsOverHttpTest {
    private static final Path CONFIG =
            Path.of(System.getProperty("basedir", "."), "..", "examples", "safe-agents", "extender.yaml");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration START = Duration.ofSeconds(60);
    private static final Map<String, Integer> PORTS = new HashMap<>();

    @TempDir
    private static Path folder;

    private static RunningProgram program;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        String config = Files.readString(CONFIG);
        for (String objective : List.of("LOAD_BALANCE", "CONSOLIDATE")) {
            config += agent(objective, "PigeonHoling", "pigeon-holing", "objective: " + objective);
        }
        for (String objective : List.of("LOAD_BALANCE", "CONSOLIDATE", "A_BINPACK")) {
            String args = "resources: [cpu], objective: " + objective;
            config += agent(objective + "-cpu", "PigeonHoling", "pigeon-holing", args);
        }
        config += agent("congestion-10", "Congestion", "congestion", "max: 10");
        for (String limit : List.of("utilization: 80", "utilization: 100", "utilization: 0")) {
            config += agent(limit.replace(": ", "-"), "SafeOverload", "safe-overload", limit);
        }
        for (String limit : List.of("percentile: 10", "percentile: 100", "percentile: 0")) {
            config += agent(limit.replace(": ", "-"), "SafeOverload", "safe-overload", limit);
        }
        StringBuilder changed = new StringBuilder();
        String agent = "";
        for (String line : config.split("\n")) {
            agent = line.startsWith("- name: ") ? line.substring(8) : agent;
            if (line.startsWith("  port: ")) {
                PORTS.put(agent, freePort());
                line = "  port: " + PORTS.get(agent);
            }
            changed.append(line).append('\n');
        }
        Path file = Files.writeString(folder.resolve("extender.yaml"), changed);
        PORTS.remove("rl");
        program = RunningProgram.start(
                folder.resolve("extender.log"),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.moorage.app.Main",
                        "extender",
                        "--config",
                        file.toString(),
                        "--agents",
                        String.join(",", PORTS.keySet())));
        for (String name : PORTS.keySet()) {
            awaitVersion(name);
        }
    }

    private static String agent(String name, String plugin, String route, String args) {
        return """
                - name: %s
                  port: 0000
                  plugins:
                  - {name: %s, as: %s, maxScore: 10, args: {originalBehavior: true, %s}}
                """.formatted(name, plugin, route, args);
    }

    private static int freePort() throws IOException {
        for (int port = 24_000 + (int) (ProcessHandle.current().pid() % 5000); port < 31_000; port++) {
            if (!PORTS.containsValue(port)) {
                try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                    return socket.getLocalPort();
                } catch (IOException taken) {
                    // The next one may be free.
                }
            }
        }
        throw new AssertionError("no port from 24000 to 31000 is free");
    }

    private static void awaitVersion(String agent) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START.toNanos();
        while (true) {
            try {
                HttpResponse<String> version =
                        HTTP.send(request(agent, "version").GET().build(), BodyHandlers.ofString());
                assertThat(version.statusCode()).isEqualTo(200);
                return;
            } catch (ConnectException notYet) {
                if (System.nanoTime() > deadline || !program.isRunning()) {
                    throw new AssertionError("moorage extender does not answer:\n" + program.log(), notYet);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    @AfterAll
    static void stop() {
        if (program != null) {
            program.close();
        }
    }

    private static HttpRequest.Builder request(String agent, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + PORTS.get(agent) + "/" + path))
                .timeout(Duration.ofSeconds(20));
    }

    private static JsonNode post(String agent, String path, ObjectNode pod, ObjectNode... nodes) {
        ObjectNode body = JSON.createObjectNode();
        body.set("Pod", pod);
        var items = body.putObject("Nodes").putArray("items");
        for (ObjectNode node : nodes) {
            items.add(node);
        }
        try {
            HttpResponse<String> response = HTTP.send(
                    request(agent, "scheduler/" + path)
                            .POST(BodyPublishers.ofString(body.toString()))
                            .build(),
                    BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            return JSON.readTree(response.body());
        } catch (IOException failed) {
            throw new AssertionError(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    private static Map<String, Integer> scores(JsonNode priorities) {
        Map<String, Integer> scores = new TreeMap<>();
        priorities.forEach(
                host -> scores.put(host.get("Host").asText(), host.get("Score").asInt()));
        return scores;
    }

    private static ObjectNode node(String name, String cpu, String memory, String... annotations) {
        ObjectNode node = JSON.createObjectNode();
        ObjectNode metadata = node.putObject("metadata").put("name", name);
        ObjectNode values = metadata.putObject("annotations");
        for (int i = 0; i < annotations.length; i += 2) {
            values.put(annotations[i], annotations[i + 1]);
        }
        node.putObject("status").putObject("allocatable").put("cpu", cpu).put("memory", memory);
        return node;
    }

    private static ObjectNode pod(String name, String cpu, String memory) {
        ObjectNode pod = JSON.createObjectNode();
        pod.putObject("metadata").put("name", name).put("namespace", "default").put("uid", name);
        ObjectNode container =
                pod.putObject("spec").putArray("containers").addObject().put("name", "c");
        ObjectNode requests =
                container.putObject("resources").putObject("requests").put("cpu", cpu);
        if (!memory.isEmpty()) {
            requests.put("memory", memory);
        }
        return pod;
    }

    // Free: mean, deviation and forecast, in thousandths of a CPU and in GiB.
    private static ObjectNode safeNode(String cpu, String memory) {
        List<String> annotations = new ArrayList<>();
        annotate(annotations, "cpu", cpu, 1);
        annotate(annotations, "memory", memory, 1L << 30);
        return node("n", "8", "16Gi", annotations.toArray(new String[0]));
    }

    private static void annotate(List<String> annotations, String resource, String figures, long unit) {
        String[] keys = {"mean-free-", "std-free-", "forcasted-free-"};
        String[] parts = figures.split(" ");
        for (int i = 0; i < parts.length && !figures.isEmpty(); i++) {
            annotations.add(keys[i] + resource);
            annotations.add(parts[i].equals("N/A") ? "N/A" : "" + (long) (Double.parseDouble(parts[i]) * unit));
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "SAFE-1, '', '', '', 0, 0",
        "SAFE-2, 7000 200, 14 0.5, '', 10, 8",
        "SAFE-3, 1500 800, 4 2, risk cpu=0.79 > 0.30 (mu=0.9375 sigma=0.1000), 0, 4",
        "SAFE-4, 500 400, 2 1, risk cpu=1.00 > 0.30 (mu=1.0000 sigma=0.0500), 0, 4",
        "SAFE-5, 4000 1000, '', '', 8, 5",
        "SAFE-6, '', 8 2, '', 9, 5",
        "SAFE-7, 4000, 8, '', 10, 7",
        "SAFE-8, 1500, 8, risk cpu=1.00 > 0.30 (mu=0.9375 sigma=0.0000), 0, 5",
        "SAFE-9, 4000 1000 1000, 8 1 2, '', 6, 5",
        "SAFE-10, 4000 1000, 8 1 N/A, '', 8, 5",
        "SAFE-11, 4000 5000, 8 1, risk cpu=1.00 > 0.30 (mu=0.6250 sigma=0.6250), 0, 3",
    })
    void safe(String name, String cpu, String memory, String reason, int overload, int balance) {
        assertSafe(pod("p", "1", "1Gi"), safeNode(cpu, memory), reason, overload, balance);
    }

    private static void assertSafe(ObjectNode pod, ObjectNode node, String reason, int overload, int balance) {
        JsonNode filtered = post("safe", "predicates/safe-overload", pod, node);
        if (reason.isEmpty()) {
            assertThat(filtered.at("/Nodes/items")).hasSize(1);
            assertThat(filtered.path("FailedNodes")).isEmpty();
        } else {
            assertThat(filtered.at("/Nodes/items")).isEmpty();
            assertThat(filtered.at("/FailedNodes/n").asText()).contains(reason);
        }
        assertThat(filtered.path("Error").asText()).isEmpty();
        assertThat(scores(post("safe", "priorities/safe-overload", pod, node))).isEqualTo(Map.of("n", overload));
        assertThat(scores(post("safe", "priorities/safe-balance", pod, node))).isEqualTo(Map.of("n", balance));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "safe, a b d e f, 8 2 0 9 9 9",
        "utilization-80, a e f, 4 0 0 0 9 9",
        "utilization-100, a b c d e f, 10 10 10 10 10 10",
        "utilization-0, '', 0 0 0 0 0 0",
        "percentile-10, a d e f, 7 0 0 9 9 9",
        "percentile-100, a b c d e f, 9 6 3 9 9 9",
        "percentile-0, '', 0 0 0 0 0 0",
    })
    void safeWithOtherLimits(String agent, String accepted, String scores) {
        String[] figures = {"4000 1000", "2500 700", "2000 600", "1800 0", "8000 0", "9000 100"};
        ObjectNode[] nodes = new ObjectNode[figures.length];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = safeNode(figures[i], "8 1");
            ((ObjectNode) nodes[i].get("metadata")).put("name", "" + (char) ('a' + i));
        }
        ObjectNode pod = pod("p", "1", "1Gi");

        List<String> kept = new ArrayList<>();
        post(agent, "predicates/safe-overload", pod, nodes)
                .at("/Nodes/items")
                .forEach(node -> kept.add(node.at("/metadata/name").asText()));
        assertThat(String.join(" ", kept)).isEqualTo(accepted);
        assertThat(ranks(post(agent, "priorities/safe-overload", pod, nodes))).isEqualTo(scores);
    }

    @Test
    void safeWithInitContainers() {
        ObjectNode pod = pod("p", "100m", "100Mi");
        ObjectNode init = ((ObjectNode) pod.get("spec"))
                .putArray("initContainers")
                .addObject()
                .put("name", "i");
        init.putObject("resources").putObject("requests").put("cpu", "4").put("memory", "1Gi");
        assertSafe(pod, safeNode("7000 200", "14 0.5"), "", 10, 6);
    }

    @Test
    void safeOnTheReadmesNode() {
        ObjectNode node = node(
                "n",
                "4",
                "500Mi",
                "mean-free-memory",
                "155597063",
                "std-free-memory",
                "30372823",
                "mean-free-cpu",
                "2500",
                "std-free-cpu",
                "400",
                "forcasted-free-memory",
                "200000000",
                "forcasted-free-cpu",
                "2000");
        assertSafe(pod("test-pod", "200m", "200Mi"), node, "risk memory=1.00 > 0.30", 0, 4);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 10",
        "-5, 10",
        "12.5, 10",
        "high, 10",
        "10, 9",
        "25, 8",
        "50, 5",
        "95, 1",
        "96, 0",
        "100, 0",
        "500, 0",
    })
    void congestion(String factor, int score) {
        ObjectNode node = node("n", "1", "1Gi", "congestion-factor", factor);
        assertThat(scores(post("congestion", "priorities/congestion", pod("p", "1", ""), node)))
                .isEqualTo(Map.of("n", score));
    }

    @ParameterizedTest
    @CsvSource({"0, 10", "1, 9", "5, 5", "9, 1", "10, 0", "11, 0"})
    void congestionUpToTen(String factor, int score) {
        ObjectNode node = node("n", "1", "1Gi", "congestion-factor", factor);
        assertThat(scores(post("congestion-10", "priorities/congestion", pod("p", "1", ""), node)))
                .isEqualTo(Map.of("n", score));
    }

    @Test
    void foo() {
        ObjectNode node = node("n", "1", "1Gi");
        assertThat(post("foo", "predicates/foo", pod("p", "1", ""), node).at("/Nodes/items"))
                .hasSize(1);
        assertThat(scores(post("foo", "priorities/foo", pod("p", "1", ""), node)))
                .isEqualTo(Map.of("n", 1));
    }

    @ParameterizedTest
    @CsvSource({
        "LOAD_BALANCE, 1 7 10, 0 1 10, 0 1 10",
        "CONSOLIDATE, 10 6 1, 0 10 1, 0 10 1",
        "pigeon, 1 6 10, 0 1 10, 0 1 10",
    })
    void pigeon(String agent, String first, String third, String fourth) {
        ObjectNode[] nodes = {
            node("n1", "4", "8Gi", "requested-cpu", "3000", "requested-memory", "" + (4096L << 20)),
            node("n2", "4", "8Gi", "requested-cpu", "1000", "requested-memory", "" + (2048L << 20)),
            node("n3", "4", "8Gi"),
        };
        assertThat(ranks(post(agent, "priorities/pigeon-holing", pod("p1", "500m", "1Gi"), nodes)))
                .isEqualTo(first);
        assertThat(ranks(post(agent, "priorities/pigeon-holing", pod("p2", "500m", "1Gi"), nodes)))
                .isEqualTo(first);
        assertThat(ranks(post(agent, "priorities/pigeon-holing", pod("p3", "2", "512Mi"), nodes)))
                .isEqualTo(third);
        assertThat(ranks(post(agent, "priorities/pigeon-holing", pod("p4", "1500m", "1Gi"), nodes)))
                .isEqualTo(fourth);
    }

    @ParameterizedTest
    @CsvSource({
        "LOAD_BALANCE-cpu, 1 5 10 0",
        "CONSOLIDATE-cpu, 10 4 1 0",
        "A_BINPACK-cpu, 1 5 10 0",
    })
    void pigeonWithOneResource(String agent, String first) {
        ObjectNode[] nodes = {
            node("a", "10m", "1Gi", "requested-cpu", "8"),
            node("b", "10m", "1Gi", "requested-cpu", "4"),
            node("c", "10m", "1Gi"),
            node("d", "10m", "1Gi", "requested-cpu", "10"),
        };
        for (String name : List.of("p1", "p2")) {
            assertThat(ranks(post(agent, "priorities/pigeon-holing", pod(name, "2m", ""), nodes)))
                    .isEqualTo(first);
        }
        if (agent.startsWith("A_BINPACK")) {
            // It has learnt that demand varies, and packs rather than spreads.
            assertThat(ranks(post(agent, "priorities/pigeon-holing", pod("p3", "6m", ""), nodes)))
                    .isEqualTo("0 10 1 0");
        }
    }

    private static String ranks(JsonNode priorities) {
        List<String> texts = new ArrayList<>();
        scores(priorities).values().forEach(score -> texts.add("" + score));
        return String.join(" ", texts);
    }
}
