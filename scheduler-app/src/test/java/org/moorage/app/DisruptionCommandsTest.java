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
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** drain, outage and scale-down of the example of a running cluster. */
@Tag("any-jvm")
class DisruptionCommandsTest {
    private static final String BUDGETS = """
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a"},
             "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "b"},
             "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
            {"kind": "PodDisruptionBudget", "apiVersion": "policy/v1", "metadata": {"name": "web"},
             "spec": {%s, "selector": {"matchLabels": {"app": "web"}}}}
            %s
            """;

    private static CapturedRun ask(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--cluster", CapturedRun.ZONES));
        return CapturedRun.of(all.toArray(String[]::new));
    }

    record Case(String name, List<String> args, int exitCode, String said) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case asked(String name, int exitCode, String said, String... args) {
        return new Case(name, List.of(args), exitCode, said);
    }

    static Stream<Case> cases() {
        return Stream.of(
                asked("a node is drained", 0, "node-5 is drained", "drain", "node-5"),
                asked("kubectl's options are taken", 0, "is drained", "drain", "--ignore-daemonsets", "node-5"),
                asked("local storage keeps a node", 1, "use --delete-emptydir-data to override", "drain", "node-1"),
                asked("a bare pod keeps a node", 1, "use --force to override", "drain", "node-2"),
                asked(
                        "a budget blocks",
                        1,
                        "The disruption budget db needs 1 healthy pods and has 1 currently",
                        "drain",
                        "--force",
                        "node-2"),
                asked(
                        "a budget may be bypassed",
                        0,
                        "1 is rescheduled",
                        "drain",
                        "--force",
                        "--disable-eviction",
                        "node-2"),
                asked(
                        "nodes are selected",
                        0,
                        "node-5 is drained",
                        "drain",
                        "-l",
                        "topology.kubernetes.io/zone in (c)"),
                asked(
                        "pods are selected",
                        1,
                        "1 is rescheduled, 1 is not selected",
                        "drain",
                        "node-3",
                        "--pod-selector",
                        "app=web"),
                asked("an alias names the zone", 0, "node-5 is drained", "drain", "zone=c"),
                asked("a node is named that is not there", 2, "Did you mean node-5?", "drain", "nod-5"),
                asked("no node is named", 2, "no node is named", "drain"),
                asked("a selector selects nothing", 2, "selects none of the 5 nodes", "outage", "zone=x"),
                asked(
                        "a selector is none",
                        2,
                        "expected: a label selector",
                        "drain",
                        "--pod-selector",
                        "a=b=c",
                        "node-5"),
                asked("a zone is lost", 1, "2 nodes are lost", "outage", "zone=a"),
                asked("nodes are lost", 0, "node-5 is lost", "outage", "node-5"),
                asked("nodes can go", 0, "can be removed individually", "scale-down"),
                asked("a node cannot go", 1, "0 of 1 node can be removed individually.", "scale-down", "node-2"),
                asked("a share is none", 2, "--max-utilization: \"2\"", "scale-down", "--max-utilization", "2"),
                asked(
                        "a share is a percentage",
                        0,
                        "utilization of 10% or more",
                        "scale-down",
                        "--max-utilization",
                        "10%"),
                asked(
                        "a timeout is none",
                        2,
                        "--blocking-system-pod-distruption-timeout: \"soon\"",
                        "scale-down",
                        "--blocking-system-pod-distruption-timeout",
                        "soon"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void answers(Case asked) {
        CapturedRun run = ask(asked.args.toArray(String[]::new));

        assertThat(run.out() + run.err()).contains(asked.said);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(asked.exitCode);
    }

    private static String pod(int number, String node, String owner) {
        return ("{'kind': 'Pod', 'apiVersion': 'v1', 'metadata': {'name': 'web-" + number
                        + "', 'labels': {'app': 'web'}, 'ownerReferences': [{'apiVersion': '"
                        + owner + "', 'name': 'web', 'uid': 'web', 'controller': true}]}, 'spec': {'nodeName': '" + node
                        + "', 'containers': [{'name': 'c', 'image': 'i'}]}}\n")
                .replace('\'', '"');
    }

    record Budget(String name, String allows, String owner, String replicas, int allowed) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Budget> budgets() {
        String replicaSet = "apps/v1', 'kind': 'ReplicaSet";
        String four =
                "{\"kind\": \"ReplicaSet\", \"apiVersion\": \"apps/v1\", \"metadata\": {\"name\": \"web\"}, \"spec\":"
                        + " {\"replicas\": 4, \"selector\": {\"matchLabels\": {\"app\": \"web\"}}, \"template\":"
                        + " {\"metadata\": {\"labels\": {\"app\": \"web\"}}, \"spec\": {\"containers\": [{\"name\": \"c\","
                        + " \"image\": \"i\"}]}}}}";
        return Stream.of(
                new Budget("a number must be there", "\"minAvailable\": 1", replicaSet, "", 2),
                new Budget("a share must be there", "\"minAvailable\": \"50%\"", replicaSet, "", 1),
                new Budget("the share is of the replicas", "\"minAvailable\": \"50%\"", replicaSet, four, 1),
                new Budget("a number may be missing", "\"maxUnavailable\": 2", replicaSet, "", 2),
                new Budget("the missing one counts", "\"maxUnavailable\": 2", replicaSet, four, 1),
                new Budget("of a Job nothing is known", "\"maxUnavailable\": 2", "batch/v1', 'kind': 'Job", "", 0));
    }

    @ParameterizedTest
    @MethodSource("budgets")
    void countsWhatABudgetWithoutAStatusAllows(Budget budget) {
        String objects = String.format(BUDGETS, budget.allows, budget.replicas)
                + pod(1, "a", budget.owner)
                + pod(2, "a", budget.owner)
                + pod(3, "b", budget.owner);

        CapturedRun run = CapturedRun.withInput(objects, "drain", "--cluster", "-", "-o", "json", "a");

        assertThat(run.out()).as(run.err()).contains("\"allowed\": " + budget.allowed + ",");
    }

    // A DaemonSet with its pod, and a pod whose DaemonSet is missing.
    private static final String ORPHAN = """
            {"kind": "DaemonSet", "apiVersion": "apps/v1", "metadata": {"name": "known", "namespace": "kube-system", "uid": "k"}, "spec":
             {"selector": {"matchLabels": {"app": "known"}}, "template": {"metadata": {"labels": {"app": "known"}}, "spec": {"containers": [
             {"name": "c", "image": "i"}]}}}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "known-a", "namespace": "kube-system", "labels": {"app": "known"},
             "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "known", "uid": "k", "controller": true}]},
             "spec": {"nodeName": "a", "containers": [{"name": "c", "image": "i"}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "ghost-a", "namespace": "%s", "ownerReferences": [
             {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "%s", "uid": "g", "controller": true}]},
             "spec": {"nodeName": "a", "containers": [{"name": "c", "image": "i"}]}}
            """;

    static Stream<Arguments> orphans() {
        String refused = "cannot delete daemonsets.apps \"ghost\" not found";
        return Stream.of(
                Arguments.of("kube-system", "ghost", 1, refused, List.of("drain", "a")),
                Arguments.of(
                        "kube-system",
                        "ghost",
                        0,
                        "1 is lost, 1 is a DaemonSet or static pod",
                        List.of("drain", "a", "--force")),
                Arguments.of("kube-system", "known", 0, "2 are DaemonSet or static pods", List.of("drain", "a")),
                Arguments.of(
                        "default",
                        "known",
                        1,
                        "cannot delete daemonsets.apps \"known\" not found",
                        List.of("drain", "a")),
                Arguments.of(
                        "kube-system",
                        "ghost",
                        1,
                        "pods of a DaemonSet that no longer exists",
                        List.of("scale-down", "a")),
                Arguments.of(
                        "kube-system",
                        "ghost",
                        0,
                        "1 of 1 node can be removed",
                        List.of("scale-down", "a", "--skip-nodes-with-custom-controller-pods=false")));
    }

    @ParameterizedTest
    @MethodSource("orphans")
    void treatsPodsOfAMissingDaemonSetAsKubectlDoes(
            String namespace, String daemonSet, int exitCode, String said, List<String> asked) {
        List<String> args = new ArrayList<>(asked);
        args.addAll(List.of("--cluster", "-"));
        String objects = String.format(BUDGETS, "\"minAvailable\": 1", "") + ORPHAN.formatted(namespace, daemonSet);

        CapturedRun run = CapturedRun.withInput(objects, args.toArray(String[]::new));

        assertThat(run.out()).as(run.err()).contains(said);
        assertThat(run.exitCode()).isEqualTo(exitCode);
    }

    @Test
    void scaleDownShowsWhatItSaves(@TempDir Path folder) throws IOException {
        String prices = Files.writeString(
                        folder.resolve("prices.yaml"),
                        "{node-1: 0.1, node-2: 0.1, node-3: 0.2, node-4: 0.3, node-5: 0.4}")
                .toString();
        List<String> args = List.of("scale-down", "--prices", prices, "--cluster", CapturedRun.ZONES);
        List<String> json = new ArrayList<>(args);
        json.addAll(List.of("-o", "json"));

        assertThat(CapturedRun.of(args.toArray(String[]::new)).out())
                .contains("COST PER HOUR", "Removing this node saves 0.30 of 1.10 per hour: 1 node-4 0.30.");
        JsonNode tree = new JsonMapper()
                .readTree(CapturedRun.of(json.toArray(String[]::new)).out());
        assertThat(tree.at("/summary/savedPerHour").asDouble()).isEqualTo(0.3);
        assertThat(tree.at("/summary/costPerHour").asDouble()).isEqualTo(1.1);
        assertThat(JsonSchema.problems("scale-down", tree)).isEmpty();
    }

    @Test
    void scaleDownNeedsThePriceOfEachNode(@TempDir Path folder) throws IOException {
        Path prices = Files.writeString(folder.resolve("prices.yaml"), "{node-1: 0.1}");

        CapturedRun run = CapturedRun.of("scale-down", "--prices", prices.toString(), "--cluster", CapturedRun.ZONES);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: " + prices + ": no price of \"node-2\"");
    }

    @Test
    void printsLongNamesOnANarrowTerminal(@TempDir Path folder) throws IOException {
        String node = "gke-cluster-1-default-pool-0123456789-abcd-";
        String objects = String.format(BUDGETS, "\"minAvailable\": 1", "")
                        .replace("\"name\": \"a\"", "\"name\": \"" + node + "a\"")
                        .replace("\"name\": \"b\"", "\"name\": \"" + node + "b\"")
                + pod(1, node + "a", "apps/v1', 'kind': 'ReplicaSet")
                        .replace("web-1", "metrics-server-5d7f8b9c6d-abcde")
                + pod(2, node + "b", "apps/v1', 'kind': 'ReplicaSet");
        Path file = Files.writeString(folder.resolve("cluster.jsonl"), objects);

        for (String command : List.of("outage", "drain")) {
            String screen = CapturedRun.onTerminal(80, command, node + "a", node + "b", "--cluster", file.toString())
                    .out()
                    .replaceAll("\u001b\\[[0-9;]*m", "");

            assertThat(screen).contains("metrics-server-5d7f8b9c6d-abcde");
            assertThat(screen.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        }
    }

    @Test
    void takesADaemonSetAsExistingIfNoneIsKnown() {
        String pod = ORPHAN.substring(ORPHAN.lastIndexOf("{\"kind\": \"Pod\"")).formatted("kube-system", "ghost");

        CapturedRun run = CapturedRun.withInput(
                String.format(BUDGETS, "\"minAvailable\": 1", "") + pod, "drain", "a", "--cluster", "-");

        assertThat(run.out()).contains("a is drained: of 1 pod 1 is a DaemonSet or static pod.");
    }

    @Test
    void reportsErrorsOfABudget() {
        CapturedRun run = CapturedRun.withInput(
                String.format(BUDGETS, "\"minAvailable\": \"half\"", ""), "drain", "--cluster", "-", "a");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("spec.minAvailable: \"half\" (expected: a number of pods, or a percentage such as 50%)");
    }
}
