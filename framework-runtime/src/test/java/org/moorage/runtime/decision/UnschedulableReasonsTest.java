// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class UnschedulableReasonsTest {
    private static UnschedulableReasons reasons(
            int nodes, Map<String, Integer> nodesByReason, String preFilterMessage, String postFilterMessage) {
        return new UnschedulableReasons(nodes, new TreeMap<>(nodesByReason), preFilterMessage, postFilterMessage);
    }

    static Stream<Arguments> messages() {
        return Stream.of(
                Arguments.of(UnschedulableReasons.NO_NODES, "no nodes available to schedule pods"),
                Arguments.of(reasons(9, Map.of(), "", ""), "0/9 nodes are available:"),
                Arguments.of(reasons(9, Map.of("A", 9), "", ""), "0/9 nodes are available: 9 A."),
                // Numbers are sorted as text.
                Arguments.of(reasons(12, Map.of("A", 2, "B", 10), "", ""), "0/12 nodes are available: 10 B, 2 A."),
                Arguments.of(
                        reasons(9, Map.of("rack full, 3 slots needed", 9), "", "preemption: no"),
                        "0/9 nodes are available: 9 rack full, 3 slots needed. preemption: no"),
                Arguments.of(reasons(9, Map.of(), "no claim", ""), "0/9 nodes are available: no claim."),
                Arguments.of(
                        reasons(9, Map.of(), "no claim", "preemption: no"),
                        "0/9 nodes are available: no claim. preemption: no"));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void textIsTheMessageOfKubeScheduler(UnschedulableReasons reasons, String message) {
        assertThat(reasons).hasToString(message);
    }
}
