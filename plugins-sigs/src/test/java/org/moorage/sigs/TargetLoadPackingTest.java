// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.sigs.StubLoadWatcher.NOW;
import static org.moorage.sigs.StubLoadWatcher.metric;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.IntOrString;
import org.moorage.api.plugin.Problems;
import org.moorage.sigs.TargetLoadPacking.Args;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class TargetLoadPackingTest {
    private final StubLoadWatcher watcher = StubLoadWatcher.of(Map.of("n", metric("CPU", "AVG", 20)));

    @AfterEach
    void end() {
        watcher.close();
    }

    record Case(String name, String metrics, Pod pod, long score) {
        @Override
        public String toString() {
            return name;
        }
    }

    // The node has 10 cores, and the target is 40 percent.
    static final List<Case> CASES = List.of(
            new Case("packs up to the target", metric("CPU", "AVG", 20), cpu("1", "1"), 85),
            new Case("is best at the target", metric("CPU", "AVG", 30), cpu("1", "1"), 100),
            new Case("spreads above the target", metric("CPU", "AVG", 60), cpu("1", "1"), 20),
            new Case("an overloaded node is worst", metric("CPU", "AVG", 95), cpu("1", "1"), 0),
            new Case("a limit counts rather than the request", metric("CPU", "AVG", 20), cpu("500m", "1"), 85),
            new Case("a request counts one and a half times", metric("CPU", "AVG", 25), cpu("1", ""), 100),
            new Case("a container without either counts as a core", metric("CPU", "AVG", 30), cpu("", ""), 100),
            new Case(
                    "the last value counts",
                    metric("CPU", "Latest", 90) + "," + metric("CPU", "AVG", 30) + "," + metric("CPU", "STD", 99),
                    cpu("1", "1"),
                    100),
            new Case("a node without a value of cpu is unknown", metric("Memory", "AVG", 30), cpu("1", "1"), 0),
            new Case("a node without metrics is unknown", "", cpu("1", "1"), 0));

    @ParameterizedTest
    @FieldSource("CASES")
    void scores(Case each) {
        watcher.answer(Map.of("n", each.metrics()));
        try (TestScheduler scheduler = tester().startAt(NOW)) {
            scheduler.pod(each.pod()).scores("n", each.score());
        }
    }

    @Test
    void addsPodsThatWereBoundSinceTheMeasurement() {
        try (TestScheduler scheduler = tester().startAt(NOW)) {
            Pod other = cpu("1", "1").withMetadata(Pods.named("other").build().metadata());
            scheduler.cluster().apply(other.withNode("n"));
            scheduler.pod(cpu("1", "1")).scores("n", 100);

            scheduler.cluster().delete(other);
            scheduler.pod(cpu("1", "1")).scores("n", 85);
        }
    }

    @Test
    void keepsTheFiguresWhileTheLoadWatcherFails() {
        try (TestScheduler scheduler = tester().startAt(NOW)) {
            watcher.answer(500, "broken");
            scheduler.advance(Duration.ofSeconds(31));
            scheduler.pod(cpu("1", "1")).scores("n", 85);
            assertThat(scheduler.logged().toString()).contains("HTTP status 500: broken");
        }
    }

    @Test
    void readsTheLoadAgain() {
        try (TestScheduler scheduler = tester().startAt(NOW)) {
            watcher.answer(Map.of("n", metric("CPU", "AVG", 30)));
            scheduler.advance(Duration.ofSeconds(31));
            scheduler.pod(cpu("1", "1")).scores("n", 100);
        }
    }

    @Test
    void reportsInvalidArguments() {
        Problems problems = Problems.collector();
        ((Args) new Args(Optional.empty(), MetricProvider.DEFAULTS, -1, Map.of("cpu", IntOrString.of("x")), "x")
                        .forFeatures(FeatureGates.DEFAULTS, problems))
                .validate(problems);

        assertThat(problems.all().toString())
                .contains("defaultRequests.cpu: quantities must match the regular expression")
                .contains(
                        "unable to parse DefaultRequestsMultiplier: strconv.ParseFloat: parsing \"x\": invalid syntax")
                .doesNotContain("MetricProvider");
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(new TargetLoadPacking.Factory(), args());
    }

    private Args args() {
        return new Args(
                Optional.of(watcher.address()), MetricProvider.DEFAULTS, 40, Args.DEFAULTS.defaultRequests(), "1.5");
    }

    private PluginTester tester() {
        Node node =
                Nodes.named("n").capacity("cpu", "10").allocatable("cpu", "8").build();
        return PluginTester.of(new TargetLoadPacking.Factory(), args()).cluster(node);
    }

    private static Pod cpu(String request, String limit) {
        Pods pod = Pods.named("p").container("c");
        if (!request.isEmpty()) {
            pod.requests("cpu", request);
        }
        if (!limit.isEmpty()) {
            pod.limits("cpu", limit);
        }
        return pod.build();
    }
}
