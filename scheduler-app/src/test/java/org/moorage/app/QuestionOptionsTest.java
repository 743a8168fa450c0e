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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The options that questions share: forms of an answer, prices, seeds and snapshots. */
class QuestionOptionsTest {
    private static final String SMALL_AND_LARGE = """
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "small", "labels": {"node.kubernetes.io/instance-type":
             "small"}}, "status": {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "10"}}}
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "large", "labels": {"node.kubernetes.io/instance-type":
             "large"}}, "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "10"}}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "on-small"}, "spec": {"nodeName": "small", "containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "on-large"}, "spec": {"nodeName": "large", "containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "8"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "big"}, "spec": {"containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "7"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "tiny-1"}, "spec": {"containers": [
             {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}]}}
            """;

    // The pod may go to either node; only one of them leaves room for the second one.
    private static final String TIE = """
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a"}, "status": {"allocatable":
             {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "b", "labels": {"disk": "ssd"}}, "status": {"allocatable":
             {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "lost"}, "status": {"allocatable":
             {"cpu": "8", "memory": "16Gi", "pods": "10"}}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "any", "creationTimestamp": "2026-01-01T00:00:00Z",
             "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "any", "uid": "1", "controller": true}]},
             "spec": {"nodeName": "lost", "priority": 10, "containers": [{"name": "c", "image": "i", "resources":
             {"requests": {"cpu": "3"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "ssd", "creationTimestamp": "2026-01-01T00:00:01Z",
             "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "ssd", "uid": "2", "controller": true}]},
             "spec": {"nodeName": "lost", "nodeSelector": {"disk": "ssd"}, "containers": [{"name": "c", "image": "i", "resources":
             {"requests": {"cpu": "3"}}}]}}
            """;

    @TempDir
    private Path folder;

    private static JsonNode json(String text) throws IOException {
        return new JsonMapper().readTree(text);
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    record Named(List<String> question, List<String> names) {}

    static Stream<Named> namedAnswers() {
        return Stream.of(
                new Named(List.of("outage", "zone=a"), List.of("pod/shop/db-0")),
                new Named(List.of("scale-down"), List.of("node/node-4")),
                new Named(List.of("fit", "../examples/what-if/web.yaml"), List.of()),
                new Named(List.of("rebalance", "--fit-pending"), List.of()));
    }

    @ParameterizedTest
    @MethodSource("namedAnswers")
    void namesThePodsOrNodesInQuestion(Named named) {
        List<String> args = new ArrayList<>(named.question);
        args.addAll(List.of("--cluster", CapturedRun.ZONES, "-o", "name"));

        CapturedRun run = CapturedRun.of(args.toArray(String[]::new));

        assertThat(run.out().lines()).allMatch(line -> line.matches("(pod/[a-z0-9-]+|node)/[a-z0-9-]+"));
        assertThat(run.out().lines()).containsAll(named.names);
    }

    @Test
    void refusesOtherFormats() {
        CapturedRun run = CapturedRun.of("drain", "node-1", "-o", "xml", "--cluster", CapturedRun.ZONES);

        assertThat(run.err()).contains("\"xml\" (expected: one of table, wide, name, json, yaml)");
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void showsAllRowsOnAWideTable() {
        String[] question = {"simulate", CapturedRun.FIRST, "-o", "wide"};

        assertThat(CapturedRun.of(question).out()).doesNotContain("more (").contains("default/train");
    }

    @Test
    void quietPrintsNoNotes() {
        String pod = """
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}, "spec": {"schedulerName": "other"}}
                """;

        assertThat(CapturedRun.withInput(pod, "simulate", "-").err()).contains("note: ");
        assertThat(CapturedRun.withInput(pod, "simulate", "-", "-q").err()).isEmpty();
    }

    @Test
    void seedsShowHowMuchIsChance() throws IOException {
        String cluster = file("tie.json", TIE);

        CapturedRun run = CapturedRun.of("outage", "lost", "--seeds", "20", "--cluster", cluster, "-o", "json");

        JsonNode answer = json(run.out());
        assertThat(JsonSchema.problems("outage", answer)).isEmpty();
        assertThat(answer.at("/chance/seeds").asInt()).isEqualTo(20);
        assertThat(answer.at("/chance/succeeded").asInt()).isBetween(1, 19);
        assertThat(answer.at("/chance/figures/pending/min").asInt()).isZero();
        assertThat(answer.at("/chance/figures/pending/max").asInt()).isEqualTo(1);
        assertThat(CapturedRun.of("drain", "lost", "--seeds", "20", "--cluster", cluster)
                        .out())
                .contains("With 20 seeds, the answer is yes for ")
                .contains("pending 0 to 1 (median ");
    }

    @Test
    void refusesSeedsOutOfRange() {
        CapturedRun run = CapturedRun.of("outage", "zone=a", "--seeds", "0", "--cluster", CapturedRun.ZONES);

        assertThat(run.err()).endsWith("error: --seeds: 0 (expected: 1 to 10000)\n");
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void outageAndCompareShowCosts() throws IOException {
        String cluster = file("cluster.json", SMALL_AND_LARGE);
        String prices = file("prices.yaml", "small: 1\nlarge: 3.5\n");

        String outage = CapturedRun.of("outage", "large", "--cluster", cluster, "--prices", prices)
                .out();
        assertThat(outage).contains("The other nodes cost 1.00 of 4.50 per hour; lost: 1 large 3.50.");
        CapturedRun compare = CapturedRun.of(
                "compare",
                "../examples/what-if/spread.yaml",
                "../examples/what-if/packed.yaml",
                "--cluster",
                cluster,
                "--prices",
                prices,
                "-o",
                "json");
        JsonNode answer = json(compare.out());
        assertThat(JsonSchema.problems("compare", answer)).isEmpty();
        assertThat(answer.path("costPerHour").asDouble()).isEqualTo(4.5);
        assertThat(answer.at("/sides/1/costPerHour").asDouble()).isEqualTo(4.5);
    }

    @Test
    void scaleUpFindsAMixOfTypes() throws IOException {
        String cluster = file("cluster.json", SMALL_AND_LARGE);
        String prices = file("prices.yaml", "small: 1\nlarge: 3.5\n");

        CapturedRun run = CapturedRun.of(
                "scale-up",
                "small",
                "large",
                "--max-nodes",
                "5",
                "--cluster",
                cluster,
                "--prices",
                prices,
                "-o",
                "json");

        JsonNode answer = json(run.out());
        assertThat(JsonSchema.problems("scale-up", answer)).isEmpty();
        assertThat(answer.at("/types/0/costPerHour").asDouble()).isEqualTo(7.0);
        assertThat(answer.at("/mix/costPerHour").asDouble()).isEqualTo(4.5);
        assertThat(answer.at("/mix/pending").asInt()).isZero();
        assertThat(answer.at("/mix/nodes")).hasSize(2);
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void comparesTwoSnapshots() throws IOException {
        String before = file("before.json", SMALL_AND_LARGE);
        String after = file(
                "after.json",
                SMALL_AND_LARGE
                        .replace("\"name\": \"small\", \"labels\"", "\"name\": \"other\", \"labels\"")
                        .replace(
                                "{\"name\": \"big\"}, \"spec\": {",
                                "{\"name\": \"big\"}, \"spec\": {\"nodeName\": \"other\", "));

        CapturedRun run = CapturedRun.of("compare", "--cluster", before, "--cluster", after, "-o", "json");

        JsonNode answer = json(run.out());
        assertThat(JsonSchema.problems("compare-snapshots", answer)).isEmpty();
        assertThat(answer.path("addedNodes")).isEqualTo(json("[\"other\"]"));
        assertThat(answer.path("removedNodes")).isEqualTo(json("[\"small\"]"));
        assertThat(answer.at("/noLongerPending/0/pod").asText()).isEqualTo("default/big");
        assertThat(run.exitCode()).isEqualTo(1);
        CapturedRun same = CapturedRun.of("compare", "--cluster", before, "--cluster", before);
        assertThat(same.out()).contains(" have the same nodes and pods.");
        assertThat(same.exitCode()).isZero();
    }
}
