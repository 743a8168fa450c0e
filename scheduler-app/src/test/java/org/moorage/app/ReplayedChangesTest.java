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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReplayedChangesTest {
    private static final JsonMapper JSON = new JsonMapper();

    /** A node for two cores, a tainted one, and two pods of which only the first has room. */
    private static final String CLUSTER = node("a", "2", "")
            + node("tainted", "4", "{\"key\": \"k\", \"effect\": \"NoSchedule\"}")
            + pod("first", "2", "", "1")
            + pod("second", "2", "", "2")
            + pod("elsewhere", "1", "\"schedulerName\": \"other\",", "3");

    @TempDir
    Path folder;

    @BeforeEach
    void writeCluster() throws IOException {
        Files.writeString(folder.resolve("cluster.json"), CLUSTER);
    }

    private static String node(String name, String cpu, String taints) {
        return """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%s"}, "spec": {"taints": [%s]},
                 "status": {"allocatable": {"cpu": "%s", "memory": "8Gi", "pods": "10"}}}
                """.formatted(name, taints, cpu);
    }

    private static String pod(String name, String cpu, String spec, String version) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "default",
                 "resourceVersion": "%s"}, "spec": {%s "containers": [
                  {"name": "c", "image": "i", "resources": {"requests": {"cpu": "%s"}}}]}}
                """.formatted(name, version, spec, cpu);
    }

    private static String event(String type, String object) {
        return "{\"type\": \"" + type + "\", \"object\": " + object + "}\n";
    }

    private JsonNode simulate(String changes) throws IOException {
        CapturedRun run = CapturedRun.withInput(
                changes,
                "simulate",
                "-o",
                "json",
                "--events",
                "-",
                folder.resolve("cluster.json").toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        return JSON.readTree(run.out());
    }

    private static JsonNode pod(JsonNode answer, String name) {
        for (JsonNode pod : answer.path("pods")) {
            if (pod.path("pod").asText().equals("default/" + name)) {
                return pod;
            }
        }
        throw new AssertionError("no pod " + name + " in " + answer);
    }

    private static List<String> moves(JsonNode pod) {
        List<String> moves = new ArrayList<>();
        for (JsonNode move : pod.path("movedBy")) {
            moves.add(move.path("change").asText() + " " + move.path("type").asText() + " "
                    + move.path("kind").asText() + " " + move.path("name").asText() + " "
                    + move.path("event").asText());
        }
        return moves;
    }

    /** The result of a pod: its node, outcome, attempts, and the changes that requeued it. */
    record Case(
            String name, String changes, String pod, String outcome, String node, int attempts, List<String> moves) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        String untainted = event("MODIFIED", node("tainted", "4", ""));
        String added = event("ADDED", node("b", "2", ""));
        String bound = pod("first", "2", "\"nodeName\": \"tainted\",", "9");
        return Stream.of(
                new Case(
                        "a node that is added has room",
                        added,
                        "second",
                        "scheduled",
                        "b",
                        2,
                        List.of("1 ADDED Node b NodeAdd")),
                new Case(
                        "a node loses its taint",
                        untainted,
                        "second",
                        "scheduled",
                        "tainted",
                        2,
                        List.of("1 MODIFIED Node tainted NodeUpdateNodeTaint")),
                new Case(
                        "a pod is deleted that the simulation placed",
                        event("DELETED", bound),
                        "second",
                        "scheduled",
                        "a",
                        2,
                        List.of("1 DELETED Pod default/first AssignedPodDelete")),
                new Case(
                        "the deleted pod is said to be", event("DELETED", bound), "first", "deleted", "", 1, List.of()),
                new Case(
                        "a pod ends that the simulation placed",
                        event("MODIFIED", bound.replace("}]}}", "}]}, \"status\": {\"phase\": \"Succeeded\"}}")),
                        "second",
                        "scheduled",
                        "a",
                        2,
                        List.of("1 MODIFIED Pod default/first AssignedPodDelete")),
                new Case(
                        "the hints say no, since the added node is too small and tainted",
                        event("ADDED", node("b", "1", "{\"key\": \"k\", \"effect\": \"NoSchedule\"}")),
                        "second",
                        "unschedulable",
                        "",
                        1,
                        List.of()),
                new Case(
                        "nothing waits for a label of a node",
                        event(
                                "MODIFIED",
                                node("a", "2", "")
                                        .replace("{\"name\": \"a\"}", "{\"name\": \"a\", \"labels\": {\"l\": \"v\"}}")),
                        "second",
                        "unschedulable",
                        "",
                        1,
                        List.of()),
                new Case(
                        "an added object that is there and the same is no change",
                        event("ADDED", pod("second", "2", "", "2")),
                        "second",
                        "unschedulable",
                        "",
                        1,
                        List.of()),
                new Case(
                        "an added object that is there is modified",
                        event("ADDED", node("tainted", "4", "")),
                        "second",
                        "scheduled",
                        "tainted",
                        2,
                        List.of("1 ADDED Node tainted NodeUpdateNodeTaint")),
                new Case(
                        "the first of two changes counts",
                        added + untainted,
                        "second",
                        "scheduled",
                        "b",
                        2,
                        List.of("1 ADDED Node b NodeAdd")),
                new Case(
                        "and in the other order too",
                        untainted + added,
                        "second",
                        "scheduled",
                        "tainted",
                        2,
                        List.of("1 MODIFIED Node tainted NodeUpdateNodeTaint")),
                new Case(
                        "bookmarks count in the numbers and do nothing",
                        event("BOOKMARK", "{\"kind\": \"Pod\"}") + added,
                        "second",
                        "scheduled",
                        "b",
                        2,
                        List.of("2 ADDED Node b NodeAdd")),
                new Case(
                        "a recorded node is not taken over for a pod that is bound elsewhere",
                        event("MODIFIED", bound),
                        "first",
                        "scheduled",
                        "a",
                        1,
                        List.of()),
                new Case(
                        "nor for a pod that has no node here",
                        event("MODIFIED", pod("second", "2", "\"nodeName\": \"a\",", "9")),
                        "second",
                        "unschedulable",
                        "",
                        1,
                        List.of()),
                new Case(
                        "a pod comes later",
                        event("ADDED", pod("third", "2", "", "9")) + untainted,
                        "third",
                        "scheduled",
                        "tainted",
                        2,
                        List.of("2 MODIFIED Node tainted NodeUpdateNodeTaint")),
                new Case(
                        "a pod that is being deleted is not tried again",
                        event(
                                        "MODIFIED",
                                        pod("second", "2", "", "9")
                                                .replace(
                                                        "\"name\": \"second\"",
                                                        "\"name\": \"second\", \"deletionTimestamp\": \"2026-01-01T00:00:00Z\""))
                                + added,
                        "second",
                        "deleting",
                        "",
                        1,
                        List.of()),
                new Case(
                        "a deleted pod that is not there",
                        event("DELETED", pod("none", "1", "", "1")),
                        "second",
                        "unschedulable",
                        "",
                        1,
                        List.of()));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void triesThePodsThatAChangeMoves(Case expected) throws IOException {
        JsonNode pod = pod(simulate(expected.changes()), expected.pod());

        assertThat(moves(pod)).isEqualTo(expected.moves());
        assertThat(pod.path("outcome").asText()).isEqualTo(expected.outcome());
        assertThat(pod.path("node").asText()).isEqualTo(expected.node());
        assertThat(pod.path("attempts").asInt()).isEqualTo(expected.attempts());
    }

    @Test
    void takesTheNodesOfOtherSchedulersPods() throws IOException {
        JsonNode answer = simulate(event(
                "MODIFIED", pod("elsewhere", "1", "\"schedulerName\": \"other\", \"nodeName\": \"tainted\",", "9")));

        assertThat(answer.path("nodes").path(1).path("pods").asInt()).isEqualTo(1);
    }

    @Test
    void readsEventsInAnArrayAndInYaml() throws IOException {
        String added = event("ADDED", node("b", "2", ""));

        assertThat(pod(simulate("[" + added + "]"), "second").path("node").asText())
                .isEqualTo("b");
        assertThat(pod(simulate("---\ntype: BOOKMARK\nobject: {kind: Node}\n---\n" + added), "second")
                        .path("node")
                        .asText())
                .isEqualTo("b");
    }

    @Test
    void warnsOfAWatchThatBrokeOff() {
        CapturedRun run = CapturedRun.withInput(
                event("ERROR", "{\"kind\": \"Status\", \"message\": \"too old resource version\"}"),
                "simulate",
                "--events",
                "-",
                folder.resolve("cluster.json").toString());

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).contains("stdin:1:1: event 1: ERROR: too old resource version. The watch broke off here");
    }

    @Test
    void showsWhichChangesMovedPods() {
        CapturedRun run = CapturedRun.of(
                "simulate",
                "--config",
                CapturedRun.elevenPlugins(),
                "--events",
                CapturedRun.FIRST_CHANGES,
                CapturedRun.FIRST);

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("6 ADDED Node gpu-2 ", "pods were tried again.\n");
        assertThat(run.out()).doesNotContain("ADDED Node web-1");
    }

    /** An input that cannot be used, and what is said of it after the file's name. */
    record BadInput(String changes, String message) {}

    static Stream<BadInput> badInputs() {
        return Stream.of(
                new BadInput("", ": no events (expected: at least one, as kubectl get --watch --output-watch-events"),
                new BadInput("hello", ":1:1: event 1: a text (expected: an object with type and object)"),
                new BadInput(
                        event("BOOKMARK", "{}") + event("CHANGED", node("b", "1", "")),
                        ":2:1: event 2: type: \"CHANGED\" (expected: one of ADDED, MODIFIED, DELETED, BOOKMARK, ERROR)"),
                new BadInput(node("b", "1", ""), ":1:1: event 1 has no \"type\" (expected: one of "),
                new BadInput(
                        "{\"type\": \"ADDED\"}", ":1:1: event 1 has no \"object\" (expected: a Kubernetes object)"),
                new BadInput(event("ADDED", "[1]"), ":1:1: event 1: object: [1] (expected: a Kubernetes object)"),
                new BadInput(
                        event("ADDED", "{\"apiVersion\": \"v1\", \"metadata\": {\"name\": \"b\"}}"),
                        ":1:1: event 1: object.kind: nothing (expected: text)"),
                new BadInput(
                        event("ADDED", "{\"apiVersion\": \"v1\", \"kind\": \"Node\"}"),
                        ":1:1: event 1: object.metadata.name: nothing (expected: text)"),
                new BadInput(event("ADDED", node("b", "many", "")), ":1:1: Node b: status.allocatable"),
                new BadInput("{\"type\": \"ADDED\", ", ": not JSON: Unexpected end-of-input"));
    }

    @ParameterizedTest
    @MethodSource("badInputs")
    void saysWhatIsWrongWithAnInput(BadInput input) throws IOException {
        Path file = Files.writeString(folder.resolve("changes.json"), input.changes());

        CapturedRun run = CapturedRun.of(
                "simulate",
                "--events",
                file.toString(),
                folder.resolve("cluster.json").toString());

        assertThat(run.exitCode()).isNotZero();
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .contains(file.toString())
                .contains(input.message())
                .doesNotContain("\tat ");
        assertThat(run.err().strip().lines()).hasSize(1);
    }

    record BadOptions(List<String> options, String message) {}

    static Stream<BadOptions> badOptions() {
        return Stream.of(
                new BadOptions(
                        List.of("--events", "none.json", CapturedRun.FIRST),
                        "none.json: no such file (expected: a file with the events of a watch, or - for stdin)"),
                new BadOptions(
                        List.of("--events", "-", "-"),
                        "--events: - (expected: a file, since the cluster is read from stdin)"),
                new BadOptions(
                        List.of("--events", "c.json", "--trace", "t.json", CapturedRun.FIRST),
                        "--trace: t.json (expected: not with --events, since a trace has no changes of the cluster)"));
    }

    @ParameterizedTest
    @MethodSource("badOptions")
    void refusesOptionsThatDoNotFit(BadOptions bad) {
        List<String> args = new ArrayList<>(List.of("simulate"));
        args.addAll(bad.options());

        CapturedRun run = CapturedRun.of(args.toArray(String[]::new));

        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err()).contains(bad.message());
        assertThat(run.err().strip().lines()).hasSize(1);
    }
}
