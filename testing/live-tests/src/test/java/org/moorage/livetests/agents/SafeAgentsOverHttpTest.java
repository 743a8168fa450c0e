// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.agents.AgentObjects.node;
import static org.moorage.livetests.agents.AgentObjects.pigeonNodes;
import static org.moorage.livetests.agents.AgentObjects.pod;
import static org.moorage.livetests.agents.AgentObjects.safeNode;
import static org.moorage.livetests.agents.AgentObjects.safeNodes;
import static org.moorage.livetests.agents.AgentProgram.left;
import static org.moorage.livetests.agents.AgentProgram.ranks;
import static org.moorage.livetests.agents.AgentProgram.scores;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Ports;

/**
 * Compares the responses of {@code moorage extender} with the example's configuration with those of kube-safe-scheduler
 * over HTTP.
 */
class SafeAgentsOverHttpTest {
    private static final Path CONFIG =
            Path.of(System.getProperty("basedir", "."), "..", "..", "plugins-safe", "extender.yaml");

    private static final Ports PORTS = new Ports();

    @TempDir
    private static Path folder;

    private static AgentProgram program;

    @BeforeAll
    static void start() throws IOException {
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
        Map<String, Integer> ports = new TreeMap<>();
        String agent = "";
        for (String line : config.split("\n")) {
            agent = line.startsWith("- name: ") ? line.substring(8) : agent;
            if (line.startsWith("  port: ")) {
                ports.put(agent, PORTS.next());
                line = "  port: " + ports.get(agent);
            }
            changed.append(line).append('\n');
        }
        // This agent needs a cluster: see RewardBiasOverHttpTest.
        ports.remove("rl");
        program = AgentProgram.start(folder, changed.toString(), Map.of(), ports);
    }

    private static String agent(String name, String plugin, String route, String args) {
        return """
                - name: %s
                  port: 0000
                  plugins:
                  - {name: %s, as: %s, maxScore: 10, args: {originalBehavior: true, %s}}
                """.formatted(name, plugin, route, args);
    }

    @AfterAll
    static void stop() {
        if (program != null) {
            program.close();
        }
        PORTS.close();
    }

    private static JsonNode post(String agent, String path, ObjectNode pod, ObjectNode... nodes) {
        return program.post(agent, path, pod, nodes);
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
        ObjectNode[] nodes = safeNodes();
        ObjectNode pod = pod("p", "1", "1Gi");

        assertThat(left(post(agent, "predicates/safe-overload", pod, nodes))).isEqualTo(accepted);
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

    @Test
    void congestionOfANodeWithoutTheAnnotation() {
        assertThat(scores(post("congestion", "priorities/congestion", pod("p", "1", ""), node("n", "1", "1Gi"))))
                .isEqualTo(Map.of("n", 10));
    }

    @ParameterizedTest
    @CsvSource({"0, 10", "1, 9", "2, 8", "3, 7", "4, 6", "5, 5", "6, 4", "7, 3", "8, 2", "9, 1", "10, 0", "11, 0"})
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
        ObjectNode[] nodes = pigeonNodes();
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
            // The agent has learned that demand varies, so it packs pods rather than spreading them.
            assertThat(ranks(post(agent, "priorities/pigeon-holing", pod("p3", "6m", ""), nodes)))
                    .isEqualTo("0 10 1 0");
        }
    }

    // extender.safe.yaml of kube-safe-scheduler, at the scheduler's end: (10 * 1 + 8 * 10) * 10, and
    // (8 * 1 + 5 * 10) * 10.
    @ParameterizedTest(name = "{0}")
    @CsvSource({"SAFE-2, 7000 200, 14 0.5, 900", "SAFE-5, 4000 1000, '', 580"})
    void safeAsTheTwoExtendersOfAPolicy(String name, String cpu, String memory, long total) {
        String prefix = program.address("safe") + "/scheduler";
        String policy = """
                {"kind": "Policy", "apiVersion": "v1", "predicates": [], "priorities": [], "extenders": [
                  {"urlPrefix": "%s", "filterVerb": "predicates/safe-overload", "prioritizeVerb": "priorities/safe-overload",
                   "preemptVerb": "", "bindVerb": "", "weight": 1, "enableHttps": false, "nodeCacheCapable": false},
                  {"urlPrefix": "%s", "filterVerb": "", "prioritizeVerb": "priorities/safe-balance",
                   "preemptVerb": "", "bindVerb": "", "weight": 10, "enableHttps": false, "nodeCacheCapable": false}]}
                """.formatted(prefix, prefix);
        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        InMemoryCluster cluster = InMemoryCluster.of(List.of(decode(ObjectKind.NODE, safeNode(cpu, memory))));
        try (Scheduler scheduler = Scheduler.builder(ConfigLoader.load(policy, "policy.cfg", plugins), plugins, cluster)
                .build()) {
            scheduler.start();

            assertThat(scheduler
                            .evaluate(decode(ObjectKind.POD, pod("p", "1", "1Gi")))
                            .totals())
                    .isEqualTo(Map.of("n", total));
        }
    }

    // With its JSON text, which extenders are sent.
    private static <T extends ClusterObject> T decode(ObjectKind<T> kind, ObjectNode object) {
        return new TreeDecoder().decode(kind, object, EnumSet.allOf(KeptJson.class));
    }
}
