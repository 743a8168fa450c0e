// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;

class PodStateTest {
    private static final Instant SINCE = Instant.parse("2026-01-01T00:00:00Z");

    record Case(String name, List<Pods> pods, Map<String, Integer> scores) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a node with a terminating pod has room soon",
                    List.of(terminating("t1", "a"), Pods.named("r1").on("b")),
                    Map.of("a", 100, "b", 0, "c", 0)),
            new Case(
                    "a nominated pod takes room",
                    List.of(Pods.named("q1").nominatedTo("b")),
                    Map.of("a", 100, "b", 0, "c", 100)),
            new Case(
                    "each terminating pod counts, less each nominated one",
                    List.of(
                            terminating("t1", "a"),
                            terminating("t2", "a"),
                            terminating("t3", "b"),
                            Pods.named("q1").nominatedTo("a"),
                            Pods.named("q2").nominatedTo("c")),
                    Map.of("a", 100, "b", 100, "c", 0)),
            new Case(
                    "the pod's own nomination counts too",
                    List.of(Pods.named("p").nominatedTo("a"), terminating("t1", "b")),
                    Map.of("a", 0, "b", 100, "c", 50)),
            new Case(
                    "equal nodes score nothing",
                    List.of(terminating("t1", "a"), terminating("t2", "b"), terminating("t3", "c")),
                    Map.of("a", 0, "b", 0, "c", 0)));

    @ParameterizedTest
    @FieldSource("CASES")
    void scores(Case each) {
        List<ClusterObject> cluster = new ArrayList<>();
        for (String node : List.of("a", "b", "c")) {
            cluster.add(Nodes.named(node).build());
        }
        for (Pods pod : each.pods()) {
            cluster.add(pod.build());
        }
        PodTester tester = PluginTester.of(new PodState.Factory())
                .cluster(cluster)
                .pod(Pods.named("p").build());

        each.scores().forEach(tester::scores);
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(new PodState.Factory());
    }

    private static Pods terminating(String name, String node) {
        return Pods.named(name).on(node).deleting(SINCE);
    }
}
