// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("any-jvm")
class JsonSchemaTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String CLUSTER = """
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a", "labels": {"disk": "hdd"}},
             "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10", "example.com/gpu": "2"}}}
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "b"}, "spec": {"unschedulable": true},
             "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "old"}, "spec": {"nodeName": "a", "containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "urgent"}, "spec": {"priority": 10, "containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "large"}, "spec": {"containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "3", "example.com/gpu": "1"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "ssd"}, "spec": {"nodeSelector": {"disk": "ssd"},
             "containers": [{"name": "c", "image": "i"}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "claiming"}, "spec": {"containers": [
             {"name": "c", "image": "i"}], "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "named"}, "spec": {"affinity": {"nodeAffinity": {
             "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [
              {"key": "metadata.name", "operator": "In", "values": ["a"]}]}]}}}, "containers": [
             {"name": "c", "image": "i"}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "gated"}, "spec": {"schedulingGates": [
             {"name": "g"}], "containers": [{"name": "c", "image": "i"}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "foreign"}, "spec": {"schedulerName": "other"}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "leaving", "deletionTimestamp":
             "2026-01-01T00:00:00Z"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
            """;

    private static JsonNode answer(String... args) throws IOException {
        return JSON.readTree(CapturedRun.withInput(CLUSTER, args).out());
    }

    @Test
    void describesWhatSimulateAnswers() throws IOException {
        JsonNode answer = answer("simulate", "-o", "json", "--seed", "3", "-");

        assertThat(JsonSchema.problems("simulate", answer)).isEmpty();
        TreeSet<String> outcomes = new TreeSet<>();
        answer.path("pods").forEach(pod -> outcomes.add(pod.path("outcome").asText()));
        assertThat(outcomes).contains("scheduled", "unschedulable", "preempted", "gated", "otherScheduler", "deleting");
    }

    @Test
    void describesViewsAndPodsThatWereCreatedAgain() throws IOException {
        String owned = CLUSTER.replace("\"name\": \"old\"", """
                "name": "old", "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "set", "uid": "s", "controller": true}]""");
        for (String views : List.of("zone,owner", "type,namespace")) {
            JsonNode answer = JSON.readTree(CapturedRun.withInput(owned, "simulate", "-o", "json", "--by", views, "-")
                    .out());

            assertThat(JsonSchema.problems("simulate", answer)).isEmpty();
            assertThat(answer.path("summary").path("createdAgain").asInt()).isEqualTo(1);
            assertThat(answer.findValuesAsText("createdAgainAs"))
                    .singleElement()
                    .asString()
                    .startsWith("default/set-");
            assertThat(answer.has("zones")).isEqualTo(views.startsWith("zone"));
            assertThat(answer.has("namespaces")).isEqualTo(views.endsWith("namespace"));
        }
    }

    @Test
    void describesWhatSimulateAnswersOfChanges() throws IOException {
        JsonNode answer = JSON.readTree(
                CapturedRun.of("simulate", "-o", "json", "--events", CapturedRun.FIRST_CHANGES, CapturedRun.FIRST)
                        .out());

        assertThat(JsonSchema.problems("simulate", answer)).isEmpty();
        assertThat(answer.path("summary").path("changes").asInt()).isEqualTo(6);
        assertThat(answer.path("pods").findValues("movedBy")).isNotEmpty();
    }

    static Stream<String> explained() {
        return Stream.of("old", "urgent", "large", "ssd", "claiming", "named", "gated", "leaving");
    }

    @ParameterizedTest
    @MethodSource("explained")
    void describesWhatExplainAnswers(String pod) throws IOException {
        assertThat(JsonSchema.problems("explain", answer("explain", "-o", "json", pod, "--cluster", "-")))
                .isEmpty();
        assertThat(JsonSchema.problems("explain", answer("explain", "--now", "-o", "json", pod, "--cluster", "-")))
                .isEmpty();
    }

    static Stream<String> explainedGroups() {
        return Stream.of(
                "podgroup/physics", "podgroup/default/chemistry", "podgroup/biology", "podgroup/nightly", "render-0");
    }

    @ParameterizedTest
    @MethodSource("explainedGroups")
    void describesWhatExplainAnswersOfGroups(String group) throws IOException {
        for (String[] now : new String[][] {{}, {"--now"}}) {
            List<String> args = new ArrayList<>(List.of("explain", "-o", "json"));
            args.addAll(List.of(now));
            args.addAll(List.of("--feature-gates", CapturedRun.GROUP_GATES, group, "--cluster", CapturedRun.GROUPS));
            JsonNode answer =
                    JSON.readTree(CapturedRun.of(args.toArray(String[]::new)).out());

            assertThat(JsonSchema.problems("explain-group", answer)).isEmpty();
            assertThat(answer.path("kind").asText()).isEqualTo("PodGroup");
        }
    }

    @Test
    void describesWhatSimulateAnswersOfGroups() throws IOException {
        JsonNode answer = JSON.readTree(
                CapturedRun.of("simulate", "-o", "json", "--feature-gates", CapturedRun.GROUP_GATES, CapturedRun.GROUPS)
                        .out());

        assertThat(JsonSchema.problems("simulate", answer)).isEmpty();
        assertThat(answer.path("groups")).hasSize(4);
    }

    static Stream<List<String>> questions() {
        return Stream.of(
                List.of("drain", "node-1"),
                List.of("drain", "--force", "--delete-emptydir-data", "zone=a"),
                List.of("outage", "zone=a"),
                List.of("scale-down"));
    }

    @ParameterizedTest
    @MethodSource("questions")
    void describesWhatQuestionsAreAnswered(List<String> question) throws IOException {
        List<String> args = new ArrayList<>(question);
        args.addAll(List.of("--cluster", CapturedRun.ZONES, "-o", "json"));

        JsonNode answer =
                JSON.readTree(CapturedRun.of(args.toArray(String[]::new)).out());

        assertThat(JsonSchema.problems(question.get(0), answer)).isEmpty();
        assertThat(answer.path("nodes")).isNotEmpty();
    }

    static Stream<List<String>> goals() {
        return Stream.of(
                List.of("--free-nodes"),
                List.of("--free-nodes", "--force", "--delete-emptydir-data"),
                List.of("--pack", "nvidia.com/gpu"),
                List.of("--fit", "../examples/clusters/stateful-set.yaml"),
                List.of("--fit-pending"));
    }

    @ParameterizedTest
    @MethodSource("goals")
    void describesWhatRebalanceAnswers(List<String> goal) throws IOException {
        List<String> args = new ArrayList<>(List.of("rebalance", "--cluster", "../examples/clusters/gpus.yaml"));
        args.addAll(goal);
        args.addAll(List.of("-o", "json"));

        JsonNode answer =
                JSON.readTree(CapturedRun.of(args.toArray(String[]::new)).out());

        assertThat(JsonSchema.problems("rebalance", answer)).isEmpty();
        assertThat(answer.path("before").path("podsOnNodes").asInt()).isEqualTo(5);
    }

    @Test
    void refusesAnswersOfOtherTypes() throws IOException {
        ObjectNode answer = (ObjectNode) answer("simulate", "-o", "json", "-");
        ((ObjectNode) answer.path("summary")).remove("pods");
        ((ObjectNode) answer.path("pods").path(0)).put("outcome", "happy").put("attempts", "one");

        assertThat(JsonSchema.problems("simulate", answer))
                .anyMatch(problem -> problem.contains("summary") && problem.contains("'pods'"))
                .anyMatch(problem -> problem.contains("pods[0].outcome"))
                .anyMatch(problem -> problem.contains("pods[0].attempts"))
                .hasSize(3);
    }

    @Test
    void coversOptionalFields() throws IOException {
        assertThat(answer("explain", "--now", "-o", "json", "urgent", "--cluster", "-")
                        .has("preemption"))
                .isTrue();
        assertThat(answer("explain", "-o", "json", "claiming", "--cluster", "-").has("preFilter"))
                .isTrue();
        assertThat(answer("explain", "-o", "json", "named", "--cluster", "-").has("preFilterNodes"))
                .isTrue();
        assertThat(answer("explain", "-o", "json", "ssd", "--cluster", "-").path("changes"))
                .isNotEmpty();
        assertThat(answer("explain", "-o", "json", "gated", "--cluster", "-")
                        .path("outcome")
                        .has("plugin"))
                .isTrue();
    }
}
