// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class UnschedulableReasonsTest {
    /** Messages, and what they are together; empty if they have different reasons. */
    record Case(String name, List<String> messages, String together) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        String none = "0/9 nodes are available: ";
        return Stream.of(
                new Case(
                        "numbers become ranges",
                        List.of(none + "3 A, 6 B.", none + "4 A, 5 B.", none + "2 A, 7 B."),
                        none + "2 to 4 A, 5 to 7 B."),
                new Case(
                        "their order does not count",
                        List.of(none + "4 A, 5 B.", none + "10 B, 4 A."),
                        none + "4 A, 5 to 10 B."),
                new Case(
                        "a reason with a comma is one",
                        List.of(none + "4 A, but not B, 5 C.", none + "5 A, but not B, 4 C."),
                        none + "4 to 5 A, but not B, 4 to 5 C."),
                new Case(
                        "so it is with what preemption says",
                        List.of(
                                none + "9 A. preemption: 0/9 nodes are available: 2 P, 7 Q.",
                                none + "9 A. preemption: 0/9 nodes are available: 3 P, 6 Q."),
                        none + "9 A. preemption: 0/9 nodes are available: 2 to 3 P, 6 to 7 Q."),
                new Case(
                        "a reason with a number behind a comma stays as it is",
                        List.of(none + "1 full, 3 slots needed, 8 A.", none + "10 full, 3 slots needed, 5 A."),
                        none + "1 to 10 full, 3 slots needed, 5 to 8 A."),
                new Case(
                        "so do two that end alike",
                        List.of(none + "1 full, 3 slots, 8 old, 3 slots.", none + "2 full, 3 slots, 7 old, 3 slots."),
                        none + "1 to 2 full, 3 slots, 7 to 8 old, 3 slots."),
                new Case("other reasons", List.of(none + "9 A.", none + "9 B."), ""),
                new Case("a reason more", List.of(none + "9 A.", none + "8 A, 1 B."), ""),
                new Case("other texts", List.of("waits for a", "waits for b"), ""),
                new Case("the same text", List.of("waits for 3 pods", "waits for 3 pods"), "waits for 3 pods"),
                new Case(
                        "a number that none has as many nodes as",
                        List.of(none + "99999999999 A.", none + "99999999999 A."),
                        none + "99999999999 A."));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void messagesWithTheSameReasonsAreOne(Case given) {
        List<UnschedulableReasons> reasons =
                given.messages().stream().map(UnschedulableReasons::of).toList();

        if (given.together().isEmpty()) {
            assertThat(reasons).extracting(UnschedulableReasons::key).doesNotHaveDuplicates();
        } else {
            assertThat(reasons)
                    .extracting(UnschedulableReasons::key)
                    .containsOnly(reasons.get(0).key());
            assertThat(reasons.stream().reduce(UnschedulableReasons::with).orElseThrow())
                    .hasToString(given.together());
        }
    }

    record Named(String message, String names) {}

    static Stream<Named> named() {
        String none = "0/9 nodes are available: ";
        return Stream.of(
                new Named(none + "5 B, 4 A.", "A, B"),
                new Named(none + "9 A, but not B. preemption: 0/9 nodes are available: 9 P.", "A, but not B"),
                new Named(none + "claim \"c\" not found.", "claim \"c\" not found"),
                new Named(none + "claim not found. preemption: 0/9 nodes are available: 9 P.", "claim not found"),
                new Named("waits for a. And b.", "waits for a. And b."),
                new Named("", ""));
    }

    @ParameterizedTest
    @MethodSource("named")
    void namesTheReasonsWithoutNumbers(Named given) {
        assertThat(UnschedulableReasons.of(given.message()).names()).isEqualTo(given.names());
    }
}
