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
import org.junit.jupiter.api.Tag;
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

@Tag("any-jvm")
class ScaleUpTest {
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
            "\"affinity\": {\"podAntiAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\":"
                    + " [{\"labelSelector\": {\"matchLabels\": {\"app\": \"w\"}}, \"topologyKey\":"
                    + " \"kubernetes.io/hostname\"}]}},";

    static Stream<Case> cases() {
        return Stream.of(
                new Case(
                        "pods that fit on the existing nodes need no new one",
                        waiting(1, "1", ""),
                        List.of("m5.large", "--max-nodes", "5"),
                        0,
                        List.of("1 pod is pending; the existing nodes have room for it, so that no new node is"
                                + " needed.")),
                new Case(
                        "pods with scheduling gates do not count",
                        waiting(2, "3", "\"schedulingGates\": [{\"name\": \"g\"}],"),
                        List.of("m5.large", "--max-nodes", "5"),
                        0,
                        List.of("No pods are pending.")),
                new Case(
                        "no pods are pending",
                        "",
                        List.of("m5.large", "--max-nodes", "5"),
                        0,
                        List.of("No pods are pending.")),
                new Case(
                        "a cordoned node is copied without its taints, and its DaemonSet's pod takes its room",
                        waiting(7, "1", ""),
                        List.of("a", "--max-nodes", "5"),
                        0,
                        List.of(
                                "7 pods are pending; the existing nodes have room for 1 of them.",
                                "2 a nodes fit all 6 pending pods; with 1, 3 stay pending.")),
                new Case(
                        "each pod has a separate node with anti-affinity",
                        waiting(5, "1", APART),
                        List.of("m5.xlarge", "--max-nodes", "50"),
                        0,
                        List.of("4 m5.xlarge nodes fit all 4 pending pods; with 3, 1 stays pending.")),
                new Case(
                        "pods that do not fit are shown",
                        waiting(2, "3", "") + waiting(1, "6", ""),
                        List.of("m5.large", "--max-nodes", "50"),
                        1,
                        List.of(
                                "2 m5.large nodes fit 2 of the 3 pending pods; adding more does not help.",
                                "Pending with 2 new m5.large nodes:",
                                "such as default/w-6-0: 0/4 nodes are available")),
                new Case(
                        "the limit ends the search",
                        waiting(7, "1", ""),
                        List.of("a", "--max-nodes", "1"),
                        1,
                        List.of(
                                "1 a node fits 3 of the 6 pending pods. The limit of 1 node (--max-nodes) ended the search;"
                                        + " more may help.",
                                "1+")),
                new Case(
                        "an empty node of the limit shows that more do not help",
                        waiting(2, "3", "") + waiting(2, "6", ""),
                        List.of("m5.large", "--max-nodes", "3"),
                        1,
                        List.of("2 m5.large nodes fit 2 of the 4 pending pods; adding more does not help.")),
                new Case(
                        "one node more does not help",
                        waiting(1, "3", "") + waiting(1, "6", ""),
                        List.of("m5.large", "--max-nodes", "3"),
                        1,
                        List.of("1 m5.large node fits 1 of the 2 pending pods; adding a second does not help.")),
                new Case(
                        "a node without room helps no pod",
                        waiting(2, "2", ""),
                        List.of("{empty}", "--max-nodes", "4"),
                        1,
                        List.of(
                                "New empty.yaml nodes do not help the 2 pending pods; 1 was tried.",
                                "Pending with 1 new empty.yaml node:",
                                // The cordoned node, the full one and the new one.
                                "0/3 nodes are available")),
                new Case(
                        "the cheapest of several types comes first",
                        waiting(7, "2", ""),
                        List.of("m5.large", "m5.xlarge", "--max-nodes", "9", "--prices", "{prices}"),
                        0,
                        List.of("2 m5.xlarge nodes fit all 7 pending pods", "PER", "HOUR", "0.80", "7.00")),
                new Case(
                        "the nodes are spread among zones",
                        waiting(4, "3", "\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"west\"},"),
                        List.of("m5.large", "--max-nodes", "20", "--zones", "east,west"),
                        0,
                        List.of("8 m5.large nodes fit all 4 pending pods; with 7, 1 stays pending.")),
                new Case(
                        "a zone that does not help does not end the search",
                        waiting(1, "3", "\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"west\"},"),
                        List.of("m5.large", "--max-nodes", "5", "--zones", "east,north,west"),
                        0,
                        List.of("3 m5.large nodes fit the pending pod; with 2, 1 stays pending.")),
                new Case(
                        "the limit may end the search before each zone has a node",
                        waiting(1, "3", "\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"west\"},"),
                        List.of("m5.large", "--max-nodes", "2", "--zones", "east,north,west"),
                        1,
                        List.of(
                                "2 new m5.large nodes do not help the pending pod. The limit of 2 nodes (--max-nodes)")),
                new Case(
                        "small pods on every node leave none for a large pod",
                        waiting(3, "1", "") + waiting(1, "4", ""),
                        List.of("{four}", "--max-nodes", "9"),
                        0,
                        List.of("3 four.yaml nodes fit all 3 pending pods; with 2, 1 stays pending.")),
                new Case(
                        "a preempted pod that is lost is reported",
                        waiting(1, "5", "\"priority\": 1,"),
                        List.of("m5.large", "--max-nodes", "9"),
                        0,
                        List.of("1 pod is pending; the existing nodes have room for it, so that no new node is needed."
                                + " 1 pod is preempted and not created again.")),
                new Case(
                        "no nodes are added for expendable pods",
                        waiting(2, "3", "\"priority\": -11,") + waiting(1, "4", ""),
                        List.of("m5.xlarge", "--max-nodes", "9"),
                        0,
                        List.of(
                                "2 pods with a priority below -10 stay pending",
                                "1 m5.xlarge node fits the pending pod.")),
                new Case(
                        "the cutoff of expendable pods may be lower",
                        waiting(2, "3", "\"priority\": -11,"),
                        List.of("m5.large", "--max-nodes", "9", "--expendable-pods-priority-cutoff", "-20"),
                        0,
                        List.of("2 m5.large nodes fit all 2 pending pods")),
                new Case(
                        "a pod of a DaemonSet without room is no pod that fits",
                        """
                        {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "log", "ownerReferences": [{"apiVersion": "apps/v1", "kind":
                         "DaemonSet", "name": "log", "uid": "log", "controller": true}]}, "spec": {"containers": [
                         {"name": "c", "image": "i", "resources": {"requests": {"cpu": "5"}}}], "nodeSelector": {"kubernetes.io/hostname": "b"}}}
                        """,
                        List.of("m5.large", "--max-nodes", "9"),
                        1,
                        List.of(
                                "No other pods are pending. New nodes do not help 1 pod that may run on one node only.",
                                "such as default/log: 0/2 nodes are available")),
                new Case(
                        "a startup taint is not copied",
                        waiting(1, "3", ""),
                        List.of("{four}", "--max-nodes", "9", "--startup-taint", "example.com/starting"),
                        0,
                        List.of("1 four.yaml node fits the pending pod.")));
    }

    private List<String> args(Case asked) throws IOException {
        Path empty = Files.writeString(folder.resolve("empty.yaml"), """
                apiVersion: v1
                kind: Node
                metadata: {name: empty}
                """);
        Path four = Files.writeString(folder.resolve("four.yaml"), """
                apiVersion: v1
                kind: Node
                metadata: {name: four}
                spec: {taints: [{key: example.com/starting, effect: "%s"}]}
                status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
                """.formatted(
                        asked.args.contains("--startup-taint") ? "NoSchedule" : "PreferNoSchedule"));
        Path prices = Files.writeString(folder.resolve("prices.yaml"), "m5.large: 1\nm5.xlarge: 0.4\n");
        List<String> args = new ArrayList<>(List.of("scale-up", "--cluster", "-"));
        asked.args.forEach(arg -> args.add(arg.replace("{empty}", empty.toString())
                .replace("{prices}", prices.toString())
                .replace("{four}", four.toString())));
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
        assertThat(JsonSchema.problems("scale-up", tree)).isEmpty();
        assertThat(tree.path("succeeded").asBoolean()).isEqualTo(asked.exitCode == 0);
    }

    record Refused(String name, List<String> args, String file, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Refused> refused() {
        List<String> prices = List.of("m5.large", "--max-nodes", "5", "--prices", "{file}");
        List<String> file = List.of("{file}", "--max-nodes", "5");
        return Stream.of(
                new Refused("no limit", List.of("m5.large"), "", "missing --max-nodes"),
                new Refused(
                        "no node",
                        List.of("m5.large", "--max-nodes", "0"),
                        "",
                        "--max-nodes: 0 (expected: 1 to 100000)"),
                new Refused(
                        "too many", List.of("m5.large", "--max-nodes", "2000000000"), "", "(expected: 1 to 100000)"),
                new Refused("no such type", List.of("m6.large", "--max-nodes", "5"), "", "Did you mean m5.large"),
                new Refused(
                        "a pod in place of a node",
                        file,
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n",
                        "Pod default/p (expected: one Node)"),
                new Refused("no YAML", file, "{{{", "file.yaml"),
                new Refused(
                        "blank zone", List.of("m5.large", "--max-nodes", "5", "--zones", "a,,b"), "", "--zones: a,,b"),
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
    void rejectsInvalidArguments(Refused asked) throws IOException {
        Path file = Files.writeString(folder.resolve("file.yaml"), asked.file);
        List<String> args = new ArrayList<>(List.of("scale-up", "--cluster", "-"));
        asked.args.forEach(arg -> args.add(arg.replace("{file}", file.toString())));

        CapturedRun run = CapturedRun.withInput(CLUSTER + waiting(2, "4", ""), args.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: ").contains(asked.message).doesNotContain("\tat ");
        assertThat(run.out()).isEmpty();
    }

    // Small and large pods, some apart, some too large or for another zone.
    private static String randomPods(SplittableRandom random) {
        String zone = "\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"z%d\"},".formatted(random.nextInt(4));
        return waiting(1 + random.nextInt(8), 100 + random.nextInt(3000) + "m", random.nextBoolean() ? APART : "")
                + waiting(1 + random.nextInt(5), 3001 + random.nextInt(4000) + "m", random.nextInt(3) == 0 ? zone : "")
                + (random.nextInt(3) == 0 ? waiting(1, "9", "") : "");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void agreesWithATrialOfEveryNumber(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        String type = """
                {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "type", "labels": {"kubernetes.io/hostname": "type",
                  "topology.kubernetes.io/zone": "z0"}}, "spec": {"unschedulable": true},
                 "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "%d"}}}
                """.formatted(3 + random.nextInt(10));
        Path file = Files.writeString(folder.resolve("cluster.jsonl"), type + randomPods(random));
        int upto = 1 + random.nextInt(random.nextBoolean() ? 4 : 40);
        List<String> zones = List.of("z0", "z1", "z2").subList(0, random.nextInt(4));
        List<String> args = new ArrayList<>(
                List.of("scale-up", "type", "--max-nodes", String.valueOf(upto), "--cluster", file.toString()));
        if (!zones.isEmpty()) {
            args.addAll(List.of("--zones", String.join(",", zones)));
        }
        args.addAll(List.of("-o", "json"));

        JsonNode answer =
                JSON.readTree(CapturedRun.of(args.toArray(String[]::new)).out());

        String about = "seed " + seed + " " + String.join(" ", args);
        JsonNode first = answer.path("types").path(0);
        int pods = answer.path("pendingBefore").asInt();
        boolean isLimited = first.path("end").asText().equals("limit");
        int most = isLimited ? upto : pods * Math.max(1, zones.size()) + 2;
        int best = 0;
        int least = pods;
        for (int nodes = 1; nodes <= most; nodes++) {
            int left = left(file, nodes, zones);
            if (left < least) {
                least = left;
                best = nodes;
            }
        }
        assertThat(first.path("everyNumberTried").asBoolean()).as(about).isTrue();
        assertThat(first.path("pending").asInt()).as(about).isEqualTo(least);
        assertThat(first.path("nodes").asInt()).as(about).isEqualTo(best);
        assertThat(first.path("end").asText().equals("allFit")).as(about).isEqualTo(least == 0);
        assertThat(answer.path("succeeded").asBoolean()).as(about).isEqualTo(least == 0);
    }

    private static int left(Path file, int nodes, List<String> zones) {
        ClusterDump dump = ClusterDump.read(file);
        Node node = (Node) dump.objects().stream()
                .filter(ObjectKind.NODE.type()::isInstance)
                .findFirst()
                .orElseThrow();
        NodeTemplate type = new NodeTemplate("type", "new-", node, List.of(), List.of(), zones);
        try (WhatIf cluster = Scheduler.whatIf(dump.objects(), CONFIG, PLUGINS)) {
            return dump.pods().size()
                    - cluster.with(type.newNodes(nodes)).place(dump.pods()).placed();
        }
    }

    @Test
    void givesNewNodesThePodsOfDaemonSets() throws IOException {
        String set = """
                {"kind": "DaemonSet", "apiVersion": "apps/v1", "metadata": {"name": "log", "uid": "log"}, "spec": {"selector":
                 {"matchLabels": {"app": "log"}}, "template": {"metadata": {"labels": {"app": "log"}}, "spec": {"containers": [
                 {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}]}}}}
                """;

        CapturedRun run = CapturedRun.withInput(
                CLUSTER + set + waiting(4, "2", ""), "scale-up", "a", "--max-nodes", "9", "--cluster", "-");

        // Each has 4 cpus, of which the pod of the known DaemonSet takes 2.
        assertThat(run.out())
                .contains("5 pods are pending; the existing nodes have room for 1 of them.")
                .contains("4 a nodes fit all 4 pending pods; with 3, 1 stays pending.")
                .contains("New nodes do not help 1 pod that may run on one node only.")
                .contains("such as default/log-");
        // The existing node b has no room for its pod of the DaemonSet.
        assertThat(run.exitCode()).isEqualTo(1);
    }

    private static final String STORAGE = """
            {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "dyn"}, "provisioner": "disk.example.com",
             "volumeBindingMode": "WaitForFirstConsumer"}
            {"kind": "CSIDriver", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "disk.example.com"},
             "spec": {"storageCapacity": true}}
            {"kind": "CSIStorageCapacity", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "c", "namespace": "kube-system"},
             "storageClassName": "dyn", "capacity": "15Gi", "nodeTopology": {"matchLabels": {"disk.example.com/node": "a"}}}
            {"kind": "CSINode", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "a"}, "spec": {"drivers": [
             {"name": "disk.example.com", "nodeID": "a", "topologyKeys": ["disk.example.com/node"]}]}}
            """;

    private static String claiming(int count) {
        StringBuilder pods = new StringBuilder();
        for (int i = 0; i < count; i++) {
            pods.append("""
                    {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "v-%d"}, "spec": {"containers": [
                     {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}], "volumes": [{"name": "x", "ephemeral":
                     {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "dyn",
                     "resources": {"requests": {"storage": "10Gi"}}}}}}]}}
                    """.formatted(i));
        }
        return pods.toString();
    }

    @Test
    void givesNewNodesTheStorageCapacityOfTheNodeThatIsCopied() {
        String cluster = CLUSTER.replace(
                        "\"kubernetes.io/hostname\": \"a\"",
                        "\"kubernetes.io/hostname\": \"a\", \"disk.example.com/node\": \"a\"")
                + STORAGE;

        CapturedRun run = CapturedRun.withInput(
                cluster + claiming(1), "scale-up", "a", "--max-nodes", "9", "--cluster", "-", "-o", "json");

        assertThat(run.out()).as(run.err()).contains("\"node\": \"a-new-1\"");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void givesNewNodesTheStaticPodsAndAnnotatedPodsOfTheNodeThatIsCopied() {
        String pods = """
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "proxy-a", "annotations": {"kubernetes.io/config.mirror": "x"}},
                 "spec": {"nodeName": "a", "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "500m"}}}]}}
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "node-agent",
                  "annotations": {"cluster-autoscaler.kubernetes.io/daemonset-pod": "true"}},
                 "spec": {"nodeName": "a", "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "500m"}}}]}}
                """;

        CapturedRun run = CapturedRun.withInput(
                CLUSTER + pods + waiting(4, "2", ""), "scale-up", "a", "--max-nodes", "9", "--cluster", "-");

        // Of 4 cpus, these take 1, and the pod of the DaemonSet another one.
        assertThat(run.out()).contains("4 a nodes fit all 4 pending pods; with 3, 1 stays pending.");
    }
}
