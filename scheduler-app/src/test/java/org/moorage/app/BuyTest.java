// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.whatif.NodeTemplate;

class BuyTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String CLUSTER = """
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a", "labels": {"topology.kubernetes.io/zone": "east",
              "kubernetes.io/hostname": "a", "node.kubernetes.io/instance-type": "m5.large"}},
             "spec": {"unschedulable": true, "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
              {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]},
             "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "b", "labels": {"node.kubernetes.io/instance-type": "m5.xlarge"}},
             "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "10"}}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "full"}, "spec": {"nodeName": "b", "containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "7"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "agent", "ownerReferences": [{"apiVersion": "apps/v1", "kind":
             "DaemonSet", "name": "agent", "uid": "agent", "controller": true}]}, "spec": {"nodeName": "a", "containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}
            """;

    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig CONFIG = ConfigLoader.defaults(PLUGINS);

    @TempDir
    private Path folder;

    private static String waiting(int count, String cpu, String more) {
        StringBuilder pods = new StringBuilder();
        for (int i = 0; i < count; i++) {
            pods.append("""
                    {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "w-%s-%d", "labels": {"app": "w"}}, "spec": {%s
                     "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "%s"}}}]}}
                    """.formatted(cpu, i, more, cpu));
        }
        return pods.toString();
    }

    private record Case(String name, String pods, List<String> args, int exitCode, List<String> said) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String APART =
            "\"affinity\": {\"podAntiAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\": ["
                    + "{\"labelSelector\": {\"matchLabels\": {\"app\": \"w\"}}, \"topologyKey\": \"kubernetes.io/hostname\"}]}},";

    static Stream<Case> cases() {
        return Stream.of(
                new Case(
                        "what fits on the nodes that are there needs none",
                        waiting(1, "1", ""),
                        List.of("m5.large", "--upto", "5"),
                        0,
                        List.of("1 pod waits, and no node needs to be bought")),
                new Case(
                        "pods with scheduling gates are left out",
                        waiting(2, "3", "\"schedulingGates\": [{\"name\": \"g\"}],"),
                        List.of("m5.large", "--upto", "5"),
                        0,
                        List.of("No pod waits.")),
                new Case("nothing waits", "", List.of("m5.large", "--upto", "5"), 0, List.of("No pod waits.")),
                new Case(
                        "a cordoned node is copied without its taints, and its DaemonSet's pod takes its room",
                        waiting(7, "1", ""),
                        List.of("a", "--upto", "5"),
                        0,
                        List.of(
                                "7 pods wait; the nodes that are there have room for 1, so that new ones are for 6.",
                                "2 nodes of a place all of them. 1 leaves 3.")),
                new Case(
                        "each pod has a node of its own with anti-affinity",
                        waiting(5, "1", APART),
                        List.of("m5.xlarge", "--upto", "50"),
                        0,
                        List.of("4 nodes of m5.xlarge place all of them. 3 leave 1.")),
                new Case(
                        "what cannot be placed is told",
                        waiting(2, "3", "") + waiting(1, "6", ""),
                        List.of("m5.large", "--upto", "50"),
                        1,
                        List.of(
                                "2 nodes of m5.large place 2 of them. 1 leaves 2. More place no more; 3 were tried.",
                                "Left with 2 of m5.large:",
                                "such as default/w-6-0")),
                new Case(
                        "too few are allowed",
                        waiting(7, "1", ""),
                        List.of("a", "--upto", "1"),
                        1,
                        List.of("1 node of a places 3 of them.")),
                new Case(
                        "a node without room places nothing",
                        waiting(2, "2", ""),
                        List.of("{empty}", "--upto", "4"),
                        1,
                        List.of("place none of them; 2 were tried")),
                new Case(
                        "the cheapest of several types comes first",
                        waiting(7, "2", ""),
                        List.of("m5.large", "m5.xlarge", "--upto", "9", "--prices", "{prices}"),
                        0,
                        List.of("2 nodes of m5.xlarge place all of them.", "AN HOUR", "0.80", "7.00")),
                new Case(
                        "the nodes are spread among zones",
                        waiting(4, "3", "\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"west\"},"),
                        List.of("m5.large", "--upto", "20", "--zones", "east,west"),
                        1,
                        List.of("4 nodes of m5.large place 2 of them.")));
    }

    private List<String> args(Case asked) throws IOException {
        Path empty = Files.writeString(folder.resolve("empty.yaml"), """
                apiVersion: v1
                kind: Node
                metadata: {name: empty}
                """);
        Path prices = Files.writeString(folder.resolve("prices.yaml"), "m5.large: 1\nm5.xlarge: 0.4\n");
        List<String> args = new ArrayList<>(List.of("buy", "--cluster", "-"));
        asked.args.forEach(
                arg -> args.add(arg.replace("{empty}", empty.toString()).replace("{prices}", prices.toString())));
        return args;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void answers(Case asked) throws IOException {
        List<String> args = args(asked);

        CapturedRun run = CapturedRun.withInput(CLUSTER + asked.pods, args.toArray(String[]::new));

        assertThat(run.out() + run.err()).contains(asked.said);
        assertThat(run.exitCode()).isEqualTo(asked.exitCode);
        args.addAll(List.of("-o", "json"));
        JsonNode tree = JSON.readTree(CapturedRun.withInput(CLUSTER + asked.pods, args.toArray(String[]::new))
                .out());
        assertThat(JsonSchema.problems("buy", tree)).isEmpty();
        assertThat(tree.path("enough").asBoolean()).isEqualTo(asked.exitCode == 0);
    }

    record Refused(String name, List<String> args, String file, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Refused> refused() {
        List<String> prices = List.of("m5.large", "--upto", "5", "--prices", "{file}");
        List<String> file = List.of("{file}", "--upto", "5");
        return Stream.of(
                new Refused("no limit", List.of("m5.large"), "", "missing --upto"),
                new Refused("no node", List.of("m5.large", "--upto", "0"), "", "--upto: 0 (expected: 1 to 100000)"),
                new Refused("too many", List.of("m5.large", "--upto", "2000000000"), "", "(expected: 1 to 100000)"),
                new Refused("no such type", List.of("m6.large", "--upto", "5"), "", "Maybe m5.large"),
                new Refused(
                        "a pod in place of a node",
                        file,
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n",
                        "Pod default/p (expected: one Node)"),
                new Refused("no YAML", file, "{{{", "file.yaml"),
                new Refused("blank zone", List.of("m5.large", "--upto", "5", "--zones", "a,,b"), "", "--zones: a,,b"),
                new Refused("prices in a list", prices, "[1, 2]", "file.yaml: no prices"),
                new Refused("a price below nothing", prices, "m5.large: -1", "m5.large: -1 (expected: a number from 0"),
                new Refused("a price that is none", prices, "m5.large: .nan", "file.yaml"),
                new Refused("a price without end", prices, "m5.large: 1e400", "(expected: a number from 0 to 1e9)"),
                new Refused("a price in words", prices, "m5.large: cheap", "m5.large: \"cheap\" (expected: a number"),
                new Refused("two prices", prices, "m5.large: 1\nm5.large: 2", "file.yaml"),
                new Refused("another price", prices, "m5.larg: 1", "no price of \"m5.large\""),
                new Refused("nothing", prices, "", "file.yaml"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesWhatMakesNoSense(Refused asked) throws IOException {
        Path file = Files.writeString(folder.resolve("file.yaml"), asked.file);
        List<String> args = new ArrayList<>(List.of("buy", "--cluster", "-"));
        asked.args.forEach(arg -> args.add(arg.replace("{file}", file.toString())));

        CapturedRun run = CapturedRun.withInput(CLUSTER + waiting(2, "4", ""), args.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: ").contains(asked.message).doesNotContain("\tat ");
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void findsTheLeastNumberOfNodesThatPlacesAll(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        String type = """
                {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "type", "labels": {"kubernetes.io/hostname": "type"}},
                 "spec": {"unschedulable": true},
                 "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "%d"}}}
                """.formatted(3 + random.nextInt(10));
        String pods =
                waiting(1 + random.nextInt(20), 100 + random.nextInt(3000) + "m", random.nextBoolean() ? APART : "")
                        + waiting(1 + random.nextInt(20), 3001 + random.nextInt(4000) + "m", "");
        Path file = Files.writeString(folder.resolve("cluster.jsonl"), type + pods);

        JsonNode answer =
                JSON.readTree(CapturedRun.of("buy", "type", "--upto", "100", "--cluster", file.toString(), "-o", "json")
                        .out());

        int nodes = answer.path("types").path(0).path("nodes").asInt();
        assertThat(answer.path("enough").asBoolean()).as("seed %d", seed).isTrue();
        assertThat(isEnough(file, nodes)).as("seed %d: %d nodes", seed, nodes).isTrue();
        assertThat(isEnough(file, nodes - 1))
                .as("seed %d: %d nodes", seed, nodes - 1)
                .isFalse();
    }

    private static boolean isEnough(Path file, int nodes) {
        ClusterDump dump = ClusterDump.read(file);
        Node node = (Node) dump.objects().stream()
                .filter(ObjectKind.NODE.type()::isInstance)
                .findFirst()
                .orElseThrow();
        NodeTemplate type = new NodeTemplate("type", "new-", node, List.of(), List.of(), List.of());
        try (WhatIf cluster = Scheduler.whatIf(dump.objects(), CONFIG, PLUGINS)) {
            return cluster.with(type.newNodes(nodes)).place(dump.pods()).isComplete();
        }
    }

    @Test
    void givesNewNodesThePodsOfDaemonSets() throws IOException {
        String set = """
                {"kind": "DaemonSet", "apiVersion": "apps/v1", "metadata": {"name": "log", "uid": "log"}, "spec": {"selector":
                 {"matchLabels": {"app": "log"}}, "template": {"metadata": {"labels": {"app": "log"}}, "spec": {"containers": [
                 {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}]}}}}
                """;

        CapturedRun run =
                CapturedRun.withInput(CLUSTER + set + waiting(4, "2", ""), "buy", "a", "--upto", "9", "--cluster", "-");

        // Each has 4 cpus, of which the pod of the known DaemonSet takes 2.
        assertThat(run.out())
                .contains("5 pods wait; the nodes that are there have room for 1, so that new ones are for 4.")
                .contains("4 nodes of a place all of them. 3 leave 1.");
        assertThat(run.exitCode()).isZero();
    }
}
