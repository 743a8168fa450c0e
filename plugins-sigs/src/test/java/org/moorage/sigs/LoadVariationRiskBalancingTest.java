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
import org.moorage.sigs.LoadVariationRiskBalancing.Args;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class LoadVariationRiskBalancingTest {
    private static final Pod POD =
            Pods.named("p").requests("cpu", "1").requests("memory", "1Gi").build();
    private static final String MEMORY = metric("Memory", "AVG", 0);

    record Case(String name, double margin, double sensitivity, String metrics, long score) {
        @Override
        public String toString() {
            return name;
        }
    }

    // The node has 10 cores and 10Gi.
    static final List<Case> CASES = List.of(
            new Case("half of the mean", 1, 1, metric("CPU", "AVG", 30) + "," + MEMORY, 80),
            new Case("half of the deviation", 1, 1, cpu(30, 20) + "," + MEMORY, 70),
            new Case("the margin multiplies the deviation", 2, 1, cpu(30, 20) + "," + MEMORY, 60),
            new Case("the sensitivity takes the root", 1, 2, cpu(30, 4) + "," + MEMORY, 70),
            new Case("a sensitivity of 0 counts only a full deviation", 1, 0, cpu(30, 100) + "," + MEMORY, 30),
            new Case("a sensitivity of 0 ignores others", 1, 0, cpu(30, 99) + "," + MEMORY, 80),
            new Case("the worse resource counts", 1, 1, cpu(0, 0) + "," + metric("Memory", "AVG", 50), 70),
            new Case("the known resource counts", 1, 1, metric("Memory", "AVG", 50), 70),
            new Case("nothing is known", 1, 1, "", 0));

    @ParameterizedTest
    @FieldSource("CASES")
    void scores(Case each) {
        try (StubLoadWatcher watcher = StubLoadWatcher.of(Map.of("n", each.metrics()));
                TestScheduler scheduler = PluginTester.of(
                                new LoadVariationRiskBalancing.Factory(),
                                new Args(
                                        Optional.of(watcher.address()),
                                        MetricProvider.DEFAULTS,
                                        each.margin(),
                                        each.sensitivity()))
                        .cluster(Nodes.named("n")
                                .allocatable("cpu", "10")
                                .allocatable("memory", "10Gi")
                                .build())
                        .startAt(NOW)) {
            scheduler.pod(POD).scores("n", each.score());
        }
    }

    @Test
    void keepsTheContract() {
        try (StubLoadWatcher watcher = StubLoadWatcher.of(Map.of("n1", cpu(30, 20)))) {
            PluginContract.verify(
                    new LoadVariationRiskBalancing.Factory(),
                    new Args(Optional.of(watcher.address()), MetricProvider.DEFAULTS, 1, 1));
        }
    }

    private static String cpu(double average, double deviation) {
        return metric("CPU", "AVG", average) + "," + metric("CPU", "STD", deviation);
    }
}
