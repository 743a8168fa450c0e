// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.moorage.api.Status;
import org.moorage.api.plugin.PodGroupPostFilterResult;
import org.moorage.testkit.Pods;

class PodGroupMetricsTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusMetrics metrics = new PrometheusMetrics(registry, InstantSource.fixed(Instant.EPOCH));

    private List<String> lines() {
        return List.of(new String(new MetricsText(registry, Set.of()).read("").body(), UTF_8).split("\n"));
    }

    @Test
    void areThereOnceAGroupWasTried() {
        assertThat(lines()).noneMatch(line -> line.contains("podgroup_") || line.contains("workload_"));

        metrics.groupAlgorithmRan(TimeUnit.MILLISECONDS.toNanos(3));
        metrics.groupAttempted("default-scheduler", "scheduled", TimeUnit.MILLISECONDS.toNanos(5));
        metrics.placementsGenerated("default-scheduler", 3);
        metrics.placementEvaluated("default-scheduler", false, TimeUnit.MILLISECONDS.toNanos(1));

        assertThat(lines())
                .contains(
                        "scheduler_podgroup_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 1.0",
                        "scheduler_podgroup_scheduling_attempt_duration_seconds_sum{profile=\"default-scheduler\",result=\"scheduled\"}"
                                + " 0.005",
                        "scheduler_podgroup_scheduling_algorithm_duration_seconds_count 1",
                        "scheduler_generated_placements_total{profile=\"default-scheduler\"} 3.0",
                        "scheduler_placement_evaluations_total{profile=\"default-scheduler\",result=\"infeasible\"} 1.0");
    }

    @Test
    void countWhoLeavesForAGroup() {
        metrics.podGroupPostFilterRan(
                "DefaultPreemption",
                PodGroupPostFilterResult.nominated(
                                Map.of(),
                                List.of(Pods.named("a").build(), Pods.named("b").build()),
                                "")
                        .withCounts(1, 2),
                TimeUnit.MILLISECONDS.toNanos(2));
        metrics.podGroupPostFilterRan(
                "DynamicResources", PodGroupPostFilterResult.rejected(Status.unschedulable("no")), 1);

        assertThat(lines())
                .contains(
                        "scheduler_workload_preemption_attempts_total{result=\"Success\"} 1.0",
                        "scheduler_workload_preemption_victims_sum 2.0",
                        "scheduler_preemption_workload_disruptions_sum{preemptor=\"podgroup\"} 1.0",
                        "scheduler_preemption_pdb_violations_total{preemptor=\"podgroup\"} 2.0");
    }
}
