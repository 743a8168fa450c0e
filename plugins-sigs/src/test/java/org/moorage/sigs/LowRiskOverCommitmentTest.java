// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.moorage.sigs.StubLoadWatcher.NOW;
import static org.moorage.sigs.StubLoadWatcher.metric;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.Pod;
import org.moorage.sigs.LowRiskOverCommitment.Args;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class LowRiskOverCommitmentTest {
    private static final String IDLE = metric("CPU", "AVG", 0);

    record Case(String name, Pod onNode, Pod pod, String metrics, long score) {
        @Override
        public String toString() {
            return name;
        }
    }

    // The node has 10 cores and 10Gi; the weight of limits is 0.5.
    static final List<Case> CASES = List.of(
            new Case("no risk without overcommitment", cpu("q", "1", "2"), cpu("p", "1", "2"), IDLE, 100),
            new Case("limits beyond the capacity", cpu("q", "2", "6"), cpu("p", "4", "8"), IDLE, 75),
            new Case("a load beyond the requests", cpu("q", "2", "20"), cpu("p", "0", "1m"), load(50, 0), 22),
            new Case("a load that varies", cpu("q", "5", "10"), cpu("p", "1m", "1m"), load(50, 10), 75),
            new Case("a pod without requests and limits", cpu("q", "1", "2"), none(), IDLE, 0),
            new Case("an unknown load", cpu("q", "1", "2"), cpu("p", "1", "2"), "", 0));

    @ParameterizedTest
    @FieldSource("CASES")
    void scores(Case each) {
        try (StubLoadWatcher watcher = StubLoadWatcher.of(Map.of("n", each.metrics()));
                TestScheduler scheduler = PluginTester.of(
                                new LowRiskOverCommitment.Factory(),
                                new Args(Optional.of(watcher.address()), MetricProvider.DEFAULTS, 5, Map.of()))
                        .cluster(
                                Nodes.named("n")
                                        .allocatable("cpu", "10")
                                        .allocatable("memory", "10Gi")
                                        .build(),
                                each.onNode().withNode("n"))
                        .startAt(NOW)) {
            scheduler.pod(each.pod()).scores("n", each.score());
        }
    }

    @Test
    void keepsTheContract() {
        try (StubLoadWatcher watcher = StubLoadWatcher.of(Map.of("n1", load(30, 20)))) {
            PluginContract.verify(
                    new LowRiskOverCommitment.Factory(),
                    new Args(Optional.of(watcher.address()), MetricProvider.DEFAULTS, 5, Map.of()));
        }
    }

    private static String load(double average, double deviation) {
        return metric("CPU", "AVG", average) + "," + metric("CPU", "STD", deviation);
    }

    private static Pod none() {
        return Pods.named("p").container("c").build();
    }

    private static Pod cpu(String name, String request, String limit) {
        return Pods.named(name)
                .uid(name)
                .container("c")
                .requests("cpu", request)
                .limits("cpu", limit)
                .build();
    }
}
