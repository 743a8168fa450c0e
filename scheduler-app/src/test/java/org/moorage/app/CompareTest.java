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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("any-jvm")
class CompareTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String CLUSTER = """
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a"},
             "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "b"},
             "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "w1", "uid": "w1", "ownerReferences": [{"apiVersion": "apps/v1",
             "kind": "ReplicaSet", "name": "web", "uid": "web", "controller": true}]}, "spec": {"nodeName": "a", "containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "w2", "uid": "w2", "ownerReferences": [{"apiVersion": "apps/v1",
             "kind": "ReplicaSet", "name": "web", "uid": "web", "controller": true}]}, "spec": {"nodeName": "b", "containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "bare"}, "spec": {"nodeName": "a", "containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "waits"}, "spec": {"containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "huge"}, "spec": {"containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "9"}}}]}}
            """;
    private static final String SPREAD = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            """;
    private static final String PACKED = SPREAD + """
            profiles:
            - schedulerName: default-scheduler
              pluginConfig:
              - name: NodeResourcesFit
                args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
              plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}, {name: PodTopologySpread}]}}
            """;
    private static final String BOTH = PACKED.replace("schedulerName: default-scheduler", "schedulerName: packed")
            + "- schedulerName: default-scheduler\n";

    private static final String MANY =
            IntStream.rangeClosed(0, 100).mapToObj(Integer::toString).collect(Collectors.joining(","));

    @TempDir
    private Path folder;

    private List<String> args(List<String> args) throws IOException {
        Files.writeString(folder.resolve("spread.yaml"), SPREAD);
        Files.writeString(folder.resolve("packed.yaml"), PACKED);
        Files.writeString(folder.resolve("both.yaml"), BOTH);
        Files.writeString(
                folder.resolve("wrong.yaml"), SPREAD + "profiles: [{plugins: {score: {enabled: [{name: Nope}]}}}]\n");
        List<String> all = new ArrayList<>(List.of("compare", "--cluster", "-"));
        args.forEach(arg -> all.add(arg.endsWith(".yaml") ? folder.resolve(arg).toString() : arg));
        return all;
    }

    private record Case(String name, List<String> args, int exitCode, List<String> said) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case(
                        "pending pods that go to other nodes are listed",
                        List.of("spread.yaml", "packed.yaml"),
                        1,
                        List.of(
                                "1 of 2 pods goes to another node",
                                "Scheduled: the pending pods (--rebalance",
                                "spread.yaml: b 1",
                                "packed.yaml: a 1",
                                "0/2 nodes are available: 2 Insufficient cpu.")),
                new Case(
                        "pods are stripped and scheduled anew, but for those without a controller",
                        List.of("spread.yaml", "packed.yaml", "--rebalance"),
                        1,
                        List.of("Scheduled: 2 that were taken off their nodes first, and 2 pending.", "empty nodes")),
                new Case(
                        "two profiles of one configuration are compared",
                        List.of("both.yaml", "--profiles", "default-scheduler,packed"),
                        1,
                        List.of("default-scheduler: b 1", "packed: a 1")),
                new Case(
                        "one configuration is compared with itself in another version",
                        List.of("spread.yaml", "--other-emulated-version", "1.35"),
                        0,
                        List.of("Both schedule all pods to the same nodes.", "spread.yaml   spread.yaml (1.35)")),
                new Case(
                        "one file is compared with itself",
                        List.of("spread.yaml", "spread.yaml"),
                        0,
                        List.of("Both schedule all pods to the same nodes.", "spread.yaml   spread.yaml (again)")),
                new Case(
                        "one other weight is compared as another configuration is",
                        List.of("packed.yaml", "--weight", "NodeResourcesBalancedAllocation=100"),
                        1,
                        List.of(
                                "1 of 2 pods goes to another node by NodeResourcesBalancedAllocation=100 than by packed.yaml.",
                                "packed.yaml: a 1",
                                "NodeResourcesBalancedAllocation=100: b 1")),
                new Case(
                        "no other weight is one of the same configuration",
                        List.of("spread.yaml", "--weight", "ImageLocality=1"),
                        0,
                        List.of("Both schedule all pods to the same nodes.")),
                new Case(
                        "the default configuration is compared with other features",
                        List.of("--other-feature-gates", "GenericWorkload=true"),
                        0,
                        List.of(
                                "Both schedule all pods to the same nodes.",
                                "default   default (GenericWorkload=true)")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void answers(Case asked) throws IOException {
        List<String> args = args(asked.args);

        CapturedRun run = CapturedRun.withInput(CLUSTER, args.toArray(String[]::new));

        assertThat(run.out().replace(folder + "/", "") + run.err()).contains(asked.said);
        assertThat(run.exitCode()).isEqualTo(asked.exitCode);
        args.addAll(List.of("-o", "json"));
        JsonNode tree = JSON.readTree(
                CapturedRun.withInput(CLUSTER, args.toArray(String[]::new)).out());
        assertThat(JsonSchema.problems("compare", tree)).isEmpty();
        assertThat(tree.path("succeeded").asBoolean()).isEqualTo(asked.exitCode == 0);
    }

    @Test
    void showsTheUtilizationOfNodes() throws IOException {
        List<String> args = args(List.of("spread.yaml", "packed.yaml", "-o", "json"));

        JsonNode tree = JSON.readTree(
                CapturedRun.withInput(CLUSTER, args.toArray(String[]::new)).out());

        // Node a has 2 of 4 cpus requested, node b 1 of 4; then each 2, or 3 and 1.
        assertThat(tree.at("/now/resources/milliCpu/imbalance").asDouble()).isEqualTo(12.5);
        assertThat(tree.at("/sides/0/resources/milliCpu/imbalance").asDouble()).isZero();
        assertThat(tree.at("/sides/1/resources/milliCpu/imbalance").asDouble()).isEqualTo(25);
        // Of 5 pods one requests 9 cpus, which fit nowhere.
        assertThat(tree.at("/sides/0/resources/milliCpu/fragmentation").asDouble())
                .isEqualTo(20);
        assertThat(tree.at("/sides/0/emptyNodes").asInt()).isZero();
        assertThat(tree.at("/differentPods/0/owner").asText()).isEqualTo("default/waits");
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 200})
    void findsNoDifferenceBetweenAConfigurationAndItself(int nodes) throws IOException {
        Path cluster = Files.writeString(folder.resolve("cluster.jsonl"), GeneratedCluster.of(nodes));
        Path config = Files.writeString(folder.resolve("packed.yaml"), PACKED);

        CapturedRun run = CapturedRun.of(
                "compare", config.toString(), config.toString(), "--rebalance", "--cluster", cluster.toString());

        assertThat(run.out()).startsWith("Both schedule all pods to the same nodes.");
        assertThat(run.exitCode()).isZero();
    }

    private static JsonNode combination(JsonNode tree, String plugin, int weight) {
        for (JsonNode combination : tree.path("combinations")) {
            if (combination.path("weights").path(plugin).asInt(-1) == weight) {
                return combination;
            }
        }
        throw new IllegalArgumentException(tree + " (expected: a combination with " + plugin + "=" + weight + ")");
    }

    @Test
    void everyCombinationOfWeightsIsComparedWithTheConfigurationAsItIs() throws IOException {
        List<String> args = args(List.of(
                "packed.yaml",
                "--weight",
                "NodeResourcesBalancedAllocation=0,100,0",
                "--weight",
                "ImageLocality=0,1,7",
                "--sort",
                "imbalance"));

        CapturedRun table = CapturedRun.withInput(CLUSTER, args.toArray(String[]::new));
        args.addAll(List.of("-o", "json"));
        JsonNode tree = JSON.readTree(
                CapturedRun.withInput(CLUSTER, args.toArray(String[]::new)).out());

        assertThat(table.exitCode()).isEqualTo(1);
        assertThat(table.out())
                .startsWith("3 of 6 combinations schedule pods to other nodes than packed.yaml.")
                .contains("those of packed.yaml", "NodeResourcesBalancedAllocation=100, ImageLocality=7");
        assertThat(JsonSchema.problems("compare-weights", tree)).isEmpty();
        assertThat(tree.path("combinations")).hasSize(6);
        assertThat(tree.path("combinations"))
                .extracting(combination -> combination.path("moved").asInt())
                .containsExactly(1, 1, 1, 0, 0, 0);
        assertThat(combination(tree, "NodeResourcesBalancedAllocation", 0).path("resources"))
                .isEqualTo(tree.path("unchanged").path("resources"));
        assertThat(combination(tree, "NodeResourcesBalancedAllocation", 100)
                        .at("/resources/milliCpu/imbalance")
                        .asDouble())
                .isZero();
    }

    @Test
    void onlyTheNamedProfileHasTheWeights() throws IOException {
        List<String> grid = List.of("both.yaml", "--weight", "NodeResourcesFit=1,2", "--weight", "ImageLocality=0,1");
        String pod = CLUSTER.replace("{\"containers\"", "{\"schedulerName\": \"packed\", \"containers\"");
        for (String profile : List.of("default-scheduler", "packed")) {
            List<String> args = args(List.of(
                    "both.yaml",
                    "--weight",
                    "NodeResourcesBalancedAllocation=0,100",
                    "--profile",
                    profile,
                    "-o",
                    "json"));

            JsonNode tree = JSON.readTree(
                    CapturedRun.withInput(pod, args.toArray(String[]::new)).out());

            assertThat(combination(tree, "NodeResourcesBalancedAllocation", 100)
                            .path("moved")
                            .asInt())
                    .isEqualTo(profile.equals("packed") ? 1 : 0);
        }
        assertThat(CapturedRun.withInput(CLUSTER, args(grid).toArray(String[]::new))
                        .out())
                .startsWith("All 4 combinations schedule all pods to the same nodes.");
    }

    @Test
    void aGridCanBeAPage() throws IOException {
        Path page = folder.resolve("page.html");
        List<String> args = args(List.of("spread.yaml", "--weight", "ImageLocality=0,1", "--report", page.toString()));

        CapturedRun run = CapturedRun.withInput(CLUSTER, args.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("the page is in " + page);
        assertThat(page).isNotEmptyFile();
    }

    record Refused(String name, List<String> args, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Refused> refused() {
        return Stream.of(
                new Refused("nothing to compare", List.of(), "CONFIG: 0 of them"),
                new Refused("nothing to compare with", List.of("spread.yaml"), "CONFIG: 1 of them"),
                new Refused("no such file", List.of("none.yaml", "spread.yaml"), "none.yaml"),
                new Refused("a configuration that is refused", List.of("spread.yaml", "wrong.yaml"), "\"Nope\""),
                new Refused(
                        "a weight of no plugin",
                        List.of("--weight", "NodeResourceFit=1"),
                        "--weight: \"NodeResourceFit\" (expected: a registered plugin). Did you mean NodeResourcesFit?"),
                new Refused(
                        "a weight of a plugin that does not score",
                        List.of("--weight", "NodeName=0,1"),
                        "--weight NodeName=1: profiles[0].plugins.score.enabled[0].name: plugin \"NodeName\" does not extend"),
                new Refused("no weight", List.of("--weight", "NodeResourcesFit"), "--weight: \"NodeResourcesFit\""),
                new Refused(
                        "a weight below 0",
                        List.of("--weight", "NodeResourcesFit=1,-1"),
                        "--weight: \"NodeResourcesFit=1,-1\": \"-1\" (expected: a weight from 0"),
                new Refused(
                        "a weight that no configuration can have",
                        List.of("--weight", "NodeResourcesFit=2147483648"),
                        "\"2147483648\" (expected: a weight from 0, for not at all, to 2147483647)"),
                new Refused(
                        "the same plugin twice",
                        List.of("--weight", "NodeResourcesFit=1", "--weight", "NodeResourcesFit=2"),
                        "--weight: NodeResourcesFit is given twice"),
                new Refused(
                        "too many combinations",
                        List.of("--weight", "NodeResourcesFit=" + MANY, "--weight", "ImageLocality=" + MANY),
                        "--weight: 10201 combinations (expected: 10000 at most)"),
                new Refused(
                        "weights of a profile that is not there",
                        List.of("both.yaml", "--weight", "ImageLocality=1", "--profile", "packet"),
                        "--profile: \"packet\" (expected: of packed, default-scheduler). Did you mean packed?"),
                new Refused(
                        "a profile for no weights",
                        List.of("spread.yaml", "packed.yaml", "--profile", "packed"),
                        "--profile: packed (expected: with --weight)"),
                new Refused(
                        "weights of two configurations",
                        List.of("spread.yaml", "packed.yaml", "--weight", "ImageLocality=1"),
                        "--weight: of two configurations (expected: one configuration"),
                new Refused("one profile", List.of("--profiles", "a"), "--profiles: a"),
                new Refused(
                        "no such profile",
                        List.of("both.yaml", "--profiles", "default-scheduler,packet"),
                        "--profiles: \"packet\""),
                new Refused(
                        "no such version",
                        List.of("spread.yaml", "--other-emulated-version", "1.2"),
                        "--emulated-version"),
                new Refused(
                        "no such feature",
                        List.of("spread.yaml", "--other-feature-gates", "No=true"),
                        "unrecognized feature gate: No"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesWhatMakesNoSense(Refused asked) throws IOException {
        CapturedRun run = CapturedRun.withInput(CLUSTER, args(asked.args).toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: ").contains(asked.message).doesNotContain("\tat ");
        assertThat(run.out()).isEmpty();
    }
}
