// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** drain, lose and removable, of the example of a running cluster. */
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
                asked("a budget may be bypassed", 0, "1 moves", "drain", "--force", "--disable-eviction", "node-2"),
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
                        "1 moves, 1 is left alone",
                        "drain",
                        "node-3",
                        "--pod-selector",
                        "app=web"),
                asked("an alias names the zone", 0, "node-5 is drained", "drain", "zone=c"),
                asked("a node is named that is not there", 2, "Maybe node-5.", "drain", "nod-5"),
                asked("no node is named", 2, "no node is named", "drain"),
                asked("a selector selects nothing", 2, "selects none of the 5 nodes", "lose", "zone=x"),
                asked(
                        "a selector is none",
                        2,
                        "expected: a label selector",
                        "drain",
                        "--pod-selector",
                        "a=b=c",
                        "node-5"),
                asked("a zone is lost", 1, "2 nodes are lost", "lose", "zone=a"),
                asked("nodes are lost", 0, "node-5 is lost", "lose", "node-5"),
                asked("nodes can go", 0, "can go alone", "removable"),
                asked("a node cannot go", 1, "0 of 1 node can go alone", "removable", "--nodes", "node-2"),
                asked("a share is none", 2, "--max-utilization: \"2\"", "removable", "--max-utilization", "2"),
                asked("a share is a percentage", 0, "used more than 10%", "removable", "--max-utilization", "10%"));
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
                        + " {\"replicas\": 4, \"selector\": {\"matchLabels\": {\"app\": \"web\"}}, \"template\": {\"metadata\":"
                        + " {\"labels\": {\"app\": \"web\"}}, \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}}}";
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

    @Test
    void tellsWhatIsWrongWithABudget() {
        CapturedRun run = CapturedRun.withInput(
                String.format(BUDGETS, "\"minAvailable\": \"half\"", ""), "drain", "--cluster", "-", "a");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("spec.minAvailable: \"half\" (expected: a number of pods, or a percentage such as 50%)");
    }
}
