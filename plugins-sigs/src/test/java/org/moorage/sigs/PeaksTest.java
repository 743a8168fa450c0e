// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.sigs.StubLoadWatcher.NOW;
import static org.moorage.sigs.StubLoadWatcher.metric;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Problems;
import org.moorage.sigs.Peaks.Args;
import org.moorage.sigs.Peaks.PowerModel;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class PeaksTest {
    private static final Pod POD = Pods.named("p").requests("cpu", "1").build();
    private static final Map<String, PowerModel> MODELS = Map.of(
            "efficient", new PowerModel(100, 1, 0.01),
            "hungry", new PowerModel(100, 1, 0.05),
            "full", new PowerModel(100, 1, 0.05));

    @Test
    void prefersTheLeastRiseOfPower() {
        try (StubLoadWatcher watcher = StubLoadWatcher.of(Map.of(
                        "efficient", metric("CPU", "AVG", 50),
                        "hungry", metric("CPU", "AVG", 50),
                        "full", metric("CPU", "AVG", 95)));
                TestScheduler scheduler = PluginTester.of(new Peaks.Factory(), new Args(watcher.address(), MODELS))
                        .cluster(node("efficient"), node("hungry"), node("full"), node("unknown"))
                        .startAt(NOW)) {
            // Nodes that the pod overloads, and those that are not known, seem to need no power.
            scheduler
                    .pod(POD)
                    .scores("full", 100)
                    .scores("unknown", 100)
                    .scores("efficient", 98)
                    .scores("hungry", 0);
        }
    }

    @Test
    void leavesTheChoiceToOthersIfNothingIsKnown() {
        try (StubLoadWatcher watcher = StubLoadWatcher.of(Map.of());
                TestScheduler scheduler = PluginTester.of(new Peaks.Factory(), new Args(watcher.address(), MODELS))
                        .cluster(node("efficient"), node("hungry"))
                        .startAt(NOW)) {
            scheduler.pod(POD).scores("efficient", 0).scores("hungry", 0);
        }
    }

    @Test
    void requiresALoadWatcherAndModels() {
        Problems problems = Problems.collector();
        Args.DEFAULTS.validate(problems);

        assertThat(problems.all())
                .extracting(Problems.Problem::toString)
                .containsExactly(
                        "open : no such file or directory (expected: NodePowerModel with a model for each node)",
                        "invalid MetricProvider.Type, got ");
    }

    @Test
    void keepsTheContract() {
        try (StubLoadWatcher watcher = StubLoadWatcher.of(Map.of())) {
            PluginContract.verify(new Peaks.Factory(), new Args(watcher.address(), MODELS));
        }
    }

    private static Node node(String name) {
        return Nodes.named(name).capacity("cpu", "10").allocatable("cpu", "10").build();
    }
}
