// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.runtime.decision.UnschedulableReasons;

class PodReasonTest {
    /** Reasons of pods, and their merged message; empty if their keys differ. */
    record Case(String name, List<PodReason> reasons, String merged) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static PodReason nodes(int nodes, Map<String, Integer> nodesByReason, String postFilterMessage) {
        return of(new UnschedulableReasons(nodes, new TreeMap<>(nodesByReason), "", postFilterMessage));
    }

    private static PodReason nodes(Map<String, Integer> nodesByReason) {
        return nodes(9, nodesByReason, "");
    }

    private static PodReason ofPreFilter(String message, String postFilterMessage) {
        return of(new UnschedulableReasons(9, new TreeMap<>(), message, postFilterMessage));
    }

    private static PodReason of(UnschedulableReasons reasons) {
        return PodReason.of(reasons.toString(), Optional.of(reasons));
    }

    static Stream<Case> cases() {
        String none = "0/9 nodes are available: ";
        return Stream.of(
                new Case(
                        "numbers become ranges",
                        List.of(
                                nodes(Map.of("A", 3, "B", 6)),
                                nodes(Map.of("A", 4, "B", 5)),
                                nodes(Map.of("A", 2, "B", 7))),
                        none + "2 to 4 A, 5 to 7 B."),
                new Case(
                        "the order of the counts does not matter",
                        List.of(nodes(Map.of("A", 4, "B", 5)), nodes(Map.of("A", 4, "B", 10))),
                        none + "4 A, 5 to 10 B."),
                new Case(
                        "a comma is part of a reason",
                        List.of(nodes(Map.of("A, but not B", 4, "C", 5)), nodes(Map.of("A, but not B", 5, "C", 4))),
                        none + "4 to 5 A, but not B, 4 to 5 C."),
                new Case(
                        "a number is part of a reason",
                        List.of(
                                nodes(Map.of("rack full, 3 slots needed", 1, "A", 8)),
                                nodes(Map.of("rack full, 3 slots needed", 4, "A", 5))),
                        none + "1 to 4 rack full, 3 slots needed, 5 to 8 A."),
                new Case(
                        "two reasons end alike",
                        List.of(
                                nodes(Map.of("full, 3 slots", 1, "old, 3 slots", 8)),
                                nodes(Map.of("full, 3 slots", 2, "old, 3 slots", 7))),
                        none + "1 to 2 full, 3 slots, 7 to 8 old, 3 slots."),
                new Case(
                        "other numbers in reasons are other reasons",
                        List.of(
                                nodes(Map.of("rack full, 3 slots needed", 9)),
                                nodes(Map.of("rack full, 4 slots needed", 9))),
                        ""),
                new Case(
                        "reasons that read alike",
                        List.of(nodes(Map.of("A, 9 B", 9)), nodes(Map.of("A", 9, "B", 9))),
                        ""),
                new Case(
                        "the number of nodes differs",
                        List.of(nodes(Map.of("A", 9)), nodes(10, Map.of("A", 10), "")),
                        "0/9 to 10 nodes are available: 9 to 10 A."),
                new Case(
                        "the same result of preemption is kept",
                        List.of(
                                nodes(9, Map.of("A", 9, "B", 1), "preemption: no"),
                                nodes(9, Map.of("A", 8, "B", 1), "preemption: no")),
                        none + "1 B, 8 to 9 A. preemption: no"),
                new Case(
                        "different results of preemption are omitted",
                        List.of(
                                nodes(9, Map.of("A", 9), "preemption: 0/9 nodes are available: 2 P, 7 Q."),
                                nodes(9, Map.of("A", 9), "preemption: 0/9 nodes are available: 3 P, 6 Q.")),
                        none + "9 A."),
                new Case(
                        "PreFilter rejects all of them",
                        List.of(ofPreFilter("no claim", "preemption: 1"), ofPreFilter("no claim", "preemption: 2")),
                        none + "no claim."),
                new Case(
                        "PreFilter rejects them for different reasons",
                        List.of(ofPreFilter("no claim a", ""), ofPreFilter("no claim b", "")),
                        ""),
                new Case("other reasons", List.of(nodes(Map.of("A", 9)), nodes(Map.of("B", 9))), ""),
                new Case("one more reason", List.of(nodes(Map.of("A", 9)), nodes(Map.of("A", 8, "B", 1))), ""),
                new Case("no nodes and no reasons", List.of(of(UnschedulableReasons.NO_NODES), nodes(Map.of())), ""),
                new Case(
                        "no nodes",
                        List.of(of(UnschedulableReasons.NO_NODES), of(UnschedulableReasons.NO_NODES)),
                        "no nodes available to schedule pods"),
                new Case(
                        "a message that reads like reasons",
                        List.of(nodes(Map.of("A", 9)), PodReason.of(none + "9 A.")),
                        ""),
                new Case("other messages", List.of(PodReason.of("waits for a"), PodReason.of("waits for b")), ""),
                new Case(
                        "the same message",
                        List.of(PodReason.of("waits for 3 pods"), PodReason.of("waits for 3 pods")),
                        "waits for 3 pods"),
                new Case(
                        "messages with the same summary",
                        List.of(
                                PodReason.of("needs 3 and has 1", "needs 3"),
                                PodReason.of("needs 3 and has 2", "needs 3")),
                        "needs 3"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void reasonsWithTheSameKeyAreMerged(Case given) {
        List<PodReason.Key> keys = given.reasons().stream().map(PodReason::key).toList();

        if (given.merged().isEmpty()) {
            assertThat(keys).doesNotHaveDuplicates();
        } else {
            assertThat(keys).containsOnly(keys.get(0));
            assertThat(PodReason.merged(given.reasons())).isEqualTo(given.merged());
        }
    }

    record Summarized(PodReason reason, String summary) {}

    static Stream<Summarized> summaries() {
        return Stream.of(
                new Summarized(nodes(Map.of("B", 5, "A", 4)), "A, B"),
                new Summarized(nodes(9, Map.of("A, but not B", 9), "preemption: no"), "A, but not B"),
                new Summarized(nodes(Map.of("rack full, 3 slots needed", 9)), "rack full, 3 slots needed"),
                new Summarized(ofPreFilter("claim \"c\" not found", "preemption: no"), "claim \"c\" not found"),
                new Summarized(of(UnschedulableReasons.NO_NODES), "no nodes available to schedule pods"),
                new Summarized(PodReason.of("waits for a. And b."), "waits for a. And b."),
                new Summarized(PodReason.of("needs 3 and has 1", "needs 3"), "needs 3"),
                new Summarized(PodReason.NONE, ""));
    }

    @ParameterizedTest
    @MethodSource("summaries")
    void summaryHasNoNumbersOfNodes(Summarized given) {
        assertThat(given.reason().summary()).isEqualTo(given.summary());
    }
}
