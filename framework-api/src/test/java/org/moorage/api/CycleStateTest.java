// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class CycleStateTest {
    private static final StateKey<String> REQUEST = StateKey.of("Test/request");
    private static final StateKey<String> OTHER = StateKey.of("Test/request");

    private interface Steps {
        void run(CycleState state);
    }

    private record Case(String name, Steps steps, String cycle, String node1, String node2) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("an empty state has no value", state -> {}, "-", "-", "-"),
            new Case("a value is for the cycle", state -> state.put(REQUEST, "a"), "a", "-", "-"),
            new Case("a value is for one node", state -> state.put(REQUEST, "n1", "a"), "-", "a", "-"),
            new Case(
                    "a key has a value for the cycle and one for each node",
                    state -> {
                        state.put(REQUEST, "a");
                        state.put(REQUEST, "n1", "b");
                        state.put(REQUEST, "n2", "c");
                    },
                    "a",
                    "b",
                    "c"),
            new Case(
                    "the last value that is put counts",
                    state -> {
                        state.put(REQUEST, "a");
                        state.put(REQUEST, "b");
                        state.put(REQUEST, "n1", "c");
                        state.put(REQUEST, "n1", "d");
                    },
                    "b",
                    "d",
                    "-"),
            new Case(
                    "keys of one name are apart",
                    state -> {
                        state.put(OTHER, "a");
                        state.put(OTHER, "n1", "b");
                    },
                    "-",
                    "-",
                    "-"));

    @ParameterizedTest
    @FieldSource("CASES")
    void keepsValues(Case expected) {
        CycleState state = new CycleState();
        expected.steps.run(state);
        assertThat(contents(state)).containsExactly(expected.cycle, expected.node1, expected.node2);
        assertThat(contents(state.fork())).containsExactly(expected.cycle, expected.node1, expected.node2);
    }

    private static List<String> contents(CycleState state) {
        return List.of(
                state.find(REQUEST).orElse("-"),
                state.find(REQUEST, "n1").orElse("-"),
                state.find(REQUEST, "n2").orElse("-"));
    }

    @Test
    void saysWhichValueIsMissing() {
        assertThatThrownBy(() -> new CycleState().get(REQUEST))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessage("cycle state: no value for Test/request (expected: put at an earlier point)");
    }

    @Nested
    class AForkOfAState {
        private final CycleState original = new CycleState();

        @Test
        void doesNotShowInTheOriginal() {
            original.put(REQUEST, "a");
            original.put(REQUEST, "n1", "b");
            CycleState fork = original.fork();
            fork.put(REQUEST, "c");
            fork.put(REQUEST, "n1", "d");
            fork.put(REQUEST, "n2", "e");
            assertThat(contents(original)).containsExactly("a", "b", "-");
            assertThat(contents(fork)).containsExactly("c", "d", "e");
        }

        @Test
        void doesNotShowWhatTheOriginalGetsLater() {
            original.put(REQUEST, "n1", "a");
            CycleState fork = original.fork();
            original.put(REQUEST, "b");
            original.put(REQUEST, "n1", "c");
            original.put(REQUEST, "n2", "d");
            original.put(OTHER, "n1", "e");
            assertThat(contents(fork)).containsExactly("-", "a", "-");
            assertThat(fork.find(OTHER, "n1")).isEmpty();
        }
    }

    @Test
    void losesNothingThatThreadsPutForDifferentNodesAtOnce() throws InterruptedException, ExecutionException {
        int threads = 4;
        int nodesPerThread = 2_000;
        CycleState state = new CycleState();
        List<Callable<CycleState>> work = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            work.add(() -> {
                for (int i = 0; i < nodesPerThread; i++) {
                    String node = "node-" + (i * threads + thread);
                    state.put(REQUEST, node, node);
                }
                return state.fork();
            });
        }
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            for (Future<CycleState> fork : executor.invokeAll(work)) {
                fork.get().put(REQUEST, "node-0", "changed in a fork");
            }
        } finally {
            executor.shutdownNow();
        }
        for (int i = 0; i < threads * nodesPerThread; i++) {
            assertThat(state.find(REQUEST, "node-" + i)).contains("node-" + i);
        }
    }
}
