// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.conformance.CaseResult.Correctness;
import org.moorage.conformance.DecisionComparison.Situation;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.testkit.Pods;

final class DecisionComparisonTest {
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final Pod POD = Pods.named("p").build();
    private static final PluginStatus FULL =
            new PluginStatus("NodeResourcesFit", Status.unschedulable("Insufficient cpu"));
    private static final PluginStatus NO_DEVICE =
            new PluginStatus("NodeResourcesFit", Status.unresolvable("Insufficient example.com/gpu"));

    /** Our answer; each method adds to it. */
    private static final class Answer {
        private Optional<PluginStatus> preFilterRejection = Optional.empty();
        private Optional<Set<String>> preFilterNodes = Optional.empty();
        private final Map<String, PluginStatus> rejections = new LinkedHashMap<>();
        private final Map<String, Map<String, Long>> scores = new LinkedHashMap<>();
        private final Map<String, Long> totals = new LinkedHashMap<>();
        private final List<Pod> evicted = new ArrayList<>();
        private String message = "";
        private Optional<PluginStatus> postFilter = Optional.empty();

        static Answer empty() {
            return new Answer();
        }

        Answer preFilter(PluginStatus rejection) {
            preFilterRejection = Optional.of(rejection);
            return this;
        }

        Answer onlyNodes(String... names) {
            preFilterNodes = Optional.of(Set.of(names));
            return this;
        }

        Answer rejects(String node, PluginStatus rejection) {
            rejections.put(node, rejection);
            return this;
        }

        Answer scores(String node, long score) {
            scores.put(node, Map.of("NodeAffinity", score));
            totals.put(node, score);
            return this;
        }

        Answer says(String text) {
            message = text;
            return this;
        }

        Answer postFilter(PluginStatus answer) {
            postFilter = Optional.of(answer);
            return this;
        }

        Answer evicts(String pod, String node) {
            evicted.add(Pods.named(pod).build().withNode(node));
            return this;
        }

        Evaluation evaluation() {
            return new Evaluation(
                    POD,
                    3,
                    preFilterRejection,
                    preFilterNodes,
                    rejections,
                    Map.of(),
                    List.copyOf(totals.keySet()),
                    scores,
                    totals,
                    message,
                    postFilter,
                    evicted.isEmpty()
                            ? Optional.empty()
                            : Optional.of(
                                    new Evaluation.Preemption(evicted.get(0).nodeName(), evicted)));
        }
    }

    record Case(
            String name,
            String expect,
            Answer answer,
            Set<String> missing,
            Correctness correctness,
            String comparison) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case right(String name, String expect, Answer answer, String... missing) {
        return new Case(name, expect, answer, Set.of(missing), Correctness.RIGHT, "");
    }

    private static Case open(String name, String expect, Answer answer, String... missing) {
        return new Case(name, expect, answer, Set.of(missing), Correctness.OPEN, "");
    }

    private static Case wrong(String name, String comparison, String expect, Answer answer, String... missing) {
        return new Case(name, expect, answer, Set.of(missing), Correctness.WRONG, comparison);
    }

    private static final String TWO_NODES = """
            preFilter: {code: Success}
            preFilterNodes: null
            feasible: [n0, n1]
            scores: {n0: {NodeAffinity: 100}, n1: {NodeAffinity: 40}}
            totals: {n0: 100, n1: 40}
            best: [n0]
            """;

    private static final String ONE_LEFT = """
            preFilter: {code: Success}
            preFilterNodes: null
            feasible: [n0]
            best: [n0]
            """;

    private static final String WITH_MISSING_SCORES = """
            preFilter: {code: Success}
            preFilterNodes: null
            feasible: [n0, n1]
            scores: {n0: {NodeAffinity: 100, Other: %d}, n1: {NodeAffinity: 40, Other: 0}}
            totals: {n0: %d, n1: 40}
            best: [n0]
            """;

    private static final String NONE_FEASIBLE = """
            preFilter: {code: Success}
            preFilterNodes: null
            filter: {n0: {code: Unschedulable, plugin: NodeResourcesFit, reasons: [Insufficient cpu]}}
            feasible: []
            message: '0/1 nodes are available: 1 Insufficient cpu.'
            """;

    private static final String REJECTED_BY_OTHER = """
            preFilter: {code: Success}
            preFilterNodes: null
            filter: {n0: {code: Unschedulable, plugin: Other, reasons: [no]}}
            feasible: [n1]
            scores: {n1: {NodeAffinity: 40}}
            totals: {n1: 40}
            best: [n1]
            """;

    private static final String PREEMPTS = NONE_FEASIBLE + """
                    postFilter: {code: Success}
                    preemptions: [{node: n0, victims: [default/a]}, {node: n0, victims: [default/b]}]
                    """;

    private static final String JOINED = NONE_FEASIBLE + """
                    postFilter: {code: Unschedulable, plugin: Other, reasons: [mine, 'preemption: not eligible']}
                    """;

    static Stream<Case> cases() {
        PluginStatus ineligible =
                new PluginStatus("DefaultPreemption", Status.unschedulable("preemption: not eligible"));
        PluginStatus success = new PluginStatus("DefaultPreemption", Status.success());
        String message = "0/1 nodes are available: 1 Insufficient cpu.";
        return Stream.of(
                right(
                        "everything is equal",
                        TWO_NODES,
                        Answer.empty().scores("n0", 100).scores("n1", 40)),
                right(
                        "the only node left could not be asked for its scores",
                        ONE_LEFT,
                        Answer.empty().scores("n0", 100)),
                wrong(
                        "another node is the only one left",
                        "feasible: n1 (expected: n0)",
                        ONE_LEFT,
                        Answer.empty().scores("n1", 100)),
                wrong(
                        "a score differs",
                        "score n1 NodeAffinity: 50 (expected: 40)",
                        TWO_NODES,
                        Answer.empty().scores("n0", 100).scores("n1", 50)),
                wrong(
                        "the recorded best node is not the one with our highest total",
                        "best: n0 (expected: n1)",
                        TWO_NODES.replace("best: [n0]", "best: [n1]"),
                        Answer.empty().scores("n0", 100).scores("n1", 40)),
                wrong(
                        "a node is rejected that should pass",
                        "filter n1: Unschedulable by NodeResourcesFit: \"Insufficient cpu\" (expected: passes)",
                        TWO_NODES,
                        Answer.empty().scores("n0", 100).rejects("n1", FULL)),
                wrong(
                        "a node passes that should not",
                        "filter n0: passes (expected: Unschedulable by NodeResourcesFit: \"Insufficient cpu\")",
                        NONE_FEASIBLE,
                        Answer.empty().scores("n0", 0)),
                wrong(
                        "the message differs",
                        "message: other words (expected: " + message + ")",
                        NONE_FEASIBLE,
                        Answer.empty().rejects("n0", FULL).says("other words")),
                wrong(
                        "PreFilter rejects",
                        "preFilter: Unschedulable by NodeResourcesFit: \"Insufficient cpu\" (expected: Success)",
                        TWO_NODES,
                        Answer.empty().preFilter(FULL)),
                wrong(
                        "PreFilter leaves other nodes",
                        "preFilterNodes: n0 (expected: all)",
                        TWO_NODES,
                        Answer.empty().onlyNodes("n0").scores("n0", 100).scores("n1", 40)),
                right(
                        "a missing plugin scored 0",
                        WITH_MISSING_SCORES.formatted(0, 100),
                        Answer.empty().scores("n0", 100).scores("n1", 40),
                        "Other"),
                open(
                        "a missing plugin scored",
                        WITH_MISSING_SCORES.formatted(7, 107),
                        Answer.empty().scores("n0", 100).scores("n1", 40),
                        "Other"),
                wrong(
                        "a missing plugin scored, and ours differ",
                        "score n0 NodeAffinity: 90 (expected: 100)",
                        WITH_MISSING_SCORES.formatted(7, 107),
                        Answer.empty().scores("n0", 90).scores("n1", 40),
                        "Other"),
                wrong(
                        "a registered plugin does not score",
                        "score n0 Other: no say (expected: 7)",
                        WITH_MISSING_SCORES.formatted(7, 107),
                        Answer.empty().scores("n0", 100).scores("n1", 40)),
                open(
                        "a node that a missing plugin rejected passes, so scores are of other nodes",
                        REJECTED_BY_OTHER,
                        Answer.empty().scores("n0", 100).scores("n1", 3),
                        "Other"),
                open(
                        "a node that a missing plugin rejected is rejected by another",
                        REJECTED_BY_OTHER,
                        Answer.empty().rejects("n0", FULL).scores("n1", 40),
                        "Other"),
                wrong(
                        "next to a node that a missing plugin rejected, a score differs",
                        "score n1 NodeAffinity: 3 (expected: 40)",
                        REJECTED_BY_OTHER,
                        Answer.empty().rejects("n0", FULL).scores("n1", 3),
                        "Other"),
                wrong(
                        "next to a node that a missing plugin rejected, another one is rejected",
                        "filter n1: Unschedulable by NodeResourcesFit: \"Insufficient cpu\" (expected: passes)",
                        REJECTED_BY_OTHER,
                        Answer.empty().scores("n0", 0).rejects("n1", FULL),
                        "Other"),
                open(
                        "a missing plugin rejected in PreFilter",
                        "{preFilter: {code: Unschedulable, plugin: Other, reasons: [no]}, feasible: []}",
                        Answer.empty().scores("n0", 100),
                        "Other"),
                open(
                        "a missing plugin had its part in leaving no node",
                        """
                        preFilter:
                          code: UnschedulableAndUnresolvable
                          reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity Other] simultaneously"]
                        feasible: []
                        """,
                        Answer.empty().onlyNodes("n0").scores("n0", 100),
                        "Other"),
                open(
                        "fewer nodes are left where VolumeBinding may have named them",
                        """
                        preFilter: {code: Success}
                        preFilterNodes: [n0]
                        feasible: [n0]
                        """,
                        Answer.empty().scores("n0", 100).scores("n1", 40),
                        "VolumeBinding"),
                open(
                        "a resource stands for devices that no plugin allocates yet",
                        TWO_NODES,
                        Answer.empty().rejects("n0", NO_DEVICE).rejects("n1", NO_DEVICE),
                        "DynamicResources"),
                wrong(
                        "a resource stands for devices that are allocated",
                        "filter n0: UnschedulableAndUnresolvable by NodeResourcesFit: \"Insufficient example.com/gpu\""
                                + " (expected: passes)",
                        TWO_NODES,
                        Answer.empty().rejects("n0", NO_DEVICE).rejects("n1", NO_DEVICE)),
                right(
                        "no pod is preempted",
                        NONE_FEASIBLE + "postFilter: {code: Unschedulable}",
                        Answer.empty().rejects("n0", FULL).says(message)),
                right(
                        "the second of the recorded victims leaves",
                        PREEMPTS,
                        Answer.empty()
                                .rejects("n0", FULL)
                                .says(message)
                                .postFilter(success)
                                .evicts("b", "n0")),
                wrong(
                        "another victim leaves",
                        "preemption: default/c leave n0 (expected: default/a leave n0, or default/b leave n0)",
                        PREEMPTS,
                        Answer.empty()
                                .rejects("n0", FULL)
                                .says(message)
                                .postFilter(success)
                                .evicts("c", "n0")),
                wrong(
                        "the right victim leaves without the text that goes with it",
                        "preemption: default/a leave n0 (expected: default/a leave n0, \"makes room\")",
                        NONE_FEASIBLE + """
                        postFilter: {code: Success, reasons: [makes room]}
                        preemptions: [{node: n0, victims: [default/a], message: makes room}]
                        """,
                        Answer.empty()
                                .rejects("n0", FULL)
                                .says(message)
                                .postFilter(success)
                                .evicts("a", "n0")),
                open(
                        "preemption is missing",
                        PREEMPTS,
                        Answer.empty().rejects("n0", FULL).says(message),
                        "DefaultPreemption"),
                open(
                        "a missing plugin spoke before preemption",
                        JOINED,
                        Answer.empty().rejects("n0", FULL).says(message).postFilter(ineligible),
                        "Other"),
                wrong(
                        "a missing plugin spoke before preemption, which says something else",
                        "postFilter reasons: \"Insufficient cpu\" (expected: \"mine\", \"preemption: not eligible\")",
                        JOINED,
                        Answer.empty()
                                .rejects("n0", FULL)
                                .says(message)
                                .postFilter(new PluginStatus(FULL.plugin(), FULL.status())),
                        "Other"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void compares(Case given) throws IOException {
        CaseResult result = result(
                comparison(given.expect(), given.missing()).of(given.answer().evaluation(), Map.of()));

        assertThat(result.correctness()).as("%s", result.comparisons()).isEqualTo(given.correctness());
        if (given.correctness() == Correctness.WRONG) {
            assertThat(result.differences()).first().hasToString(given.comparison());
        }
    }

    @Test
    void failingWithTheRecordedErrorIsRight() throws IOException {
        String expect = "{preFilter: {code: Success}, filter: {n0: {code: Error, plugin: Other, reasons: [it broke]}}}";
        RuntimeException failure = new IllegalStateException("it broke");

        assertThat(result(comparison(expect, Set.of()).ofFailure(failure)).correctness())
                .isEqualTo(Correctness.RIGHT);
        assertThat(result(comparison(expect, Set.of("Other")).ofFailure(failure))
                        .correctness())
                .isEqualTo(Correctness.OPEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CEL runtime error: ",
                "evaluate derived attribute a/b on device gpu.example.com/n0/gpu-0 failed: "
            })
    void whatTheCelLibrarySaysMayDiffer(String before) throws IOException {
        String expect = "{preFilter: {code: Success}, filter: {n0: {code: Error, plugin: Other, reasons: ['" + before
                + "no such key: numa']}}}";
        String another = expect.replace(before, before + "operation cancelled: ");

        assertThat(result(comparison(expect, Set.of())
                                .ofFailure(new IllegalStateException("Other: " + before + "key 'numa' is missing")))
                        .correctness())
                .isEqualTo(Correctness.RIGHT);
        assertThat(result(comparison(another, Set.of())
                                .ofFailure(new IllegalStateException("Other: " + before + "key 'numa' is missing")))
                        .correctness())
                .isEqualTo(Correctness.WRONG);
    }

    @Test
    void failingWhereKubeSchedulerDoesNotIsWrong() throws IOException {
        CaseResult result = result(comparison(TWO_NODES, Set.of()).ofFailure(new IllegalStateException("it broke")));

        assertThat(result.correctness()).isEqualTo(Correctness.WRONG);
        assertThat(result.differences()).first().hasToString("decision: failed: it broke (expected: no failure)");
    }

    private static DecisionComparison comparison(String expect, Set<String> missing) throws IOException {
        JsonNode tree = YAML.readTree(expect);
        return new DecisionComparison(
                tree, missing, new Situation(Set.of("example.com/gpu"), true), UnaryOperator.identity());
    }

    private static CaseResult result(List<Comparison> comparisons) {
        return new CaseResult(new Vector("a case", VectorKind.DECISION, YAML.createObjectNode()), comparisons);
    }
}
