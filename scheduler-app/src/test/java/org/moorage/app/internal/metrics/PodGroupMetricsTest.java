// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.moorage.api.Code;
import org.moorage.api.feature.FeatureGates;

class PodGroupMetricsTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusMetrics metrics = new PrometheusMetrics(registry, InstantSource.fixed(Instant.EPOCH));

    private List<String> lines() {
        return List.of(new String(new MetricsText(registry, Set.of()).read("").body(), UTF_8).split("\n"));
    }

    @Test
    void areThereWhereGroupsAreScheduled() {
        metrics.showFor(FeatureGates.DEFAULTS.with(FeatureGates.GENERIC_WORKLOAD, true));
        assertThat(lines())
                .contains(
                        "scheduler_podgroup_scheduling_algorithm_duration_seconds_count 0",
                        "scheduler_workload_preemption_victims_count 0");

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
    void tellWhoLeavesForPodsAndGroups() {
        metrics.showFor(FeatureGates.DEFAULTS.with(FeatureGates.GENERIC_WORKLOAD, true));
        metrics.podGroupPostFilterRan("DefaultPreemption", Code.SUCCESS, TimeUnit.MILLISECONDS.toNanos(2));
        metrics.preempted("DefaultPreemption", "compositepodgroup", 2, 1, 2);
        metrics.preemptionExecuted("compositepodgroup", "error", TimeUnit.MILLISECONDS.toNanos(4));
        metrics.podGroupPostFilterRan("DynamicResources", Code.UNSCHEDULABLE, 1);
        metrics.postFilterRan("DynamicResources", Code.UNSCHEDULABLE, 1);
        metrics.postFilterRan("DefaultPreemption", Code.ERROR, TimeUnit.MILLISECONDS.toNanos(8));
        metrics.preempted("DefaultPreemption", "pod", 3, 0, 0);
        metrics.preemptionExecuted("pod", "success", TimeUnit.MILLISECONDS.toNanos(16));

        assertThat(lines())
                .contains(
                        "scheduler_workload_preemption_attempts_total{result=\"Success\"} 1.0",
                        "scheduler_workload_preemption_victims_sum 2.0",
                        "scheduler_preemption_attempts_total 1.0",
                        "scheduler_preemption_victims_sum 3.0",
                        "scheduler_preemption_workload_disruptions_sum{preemptor=\"compositepodgroup\"} 1.0",
                        "scheduler_preemption_pdb_violations_total{preemptor=\"compositepodgroup\"} 2.0",
                        "scheduler_preemption_evaluation_duration_seconds_sum{preemptor=\"podgroup\",result=\"Success\"} 0.002",
                        "scheduler_preemption_evaluation_duration_seconds_sum{preemptor=\"pod\",result=\"Error\"} 0.008",
                        "scheduler_preemption_execution_duration_seconds_sum{preemptor=\"compositepodgroup\",result=\"error\"} 0.004",
                        "scheduler_preemption_execution_duration_seconds_sum{preemptor=\"pod\",result=\"success\"} 0.016",
                        "scheduler_preemption_goroutines_execution_total{result=\"error\"} 1.0")
                .noneMatch(line -> line.startsWith("scheduler_preemption_workload_disruptions_sum{preemptor=\"pod\"")
                        || line.startsWith("scheduler_preemption_pdb_violations_total{preemptor=\"pod\""));
    }

    @Test
    void areNotThereWithoutGroups() {
        metrics.showFor(FeatureGates.DEFAULTS);
        metrics.postFilterRan("DefaultPreemption", Code.SUCCESS, 1);
        metrics.preempted("DefaultPreemption", "pod", 3, 0, 1);
        metrics.preemptionExecuted("pod", "success", 1);

        assertThat(lines())
                .contains("scheduler_preemption_victims_sum 3.0")
                .noneMatch(
                        line -> line.matches("scheduler_(podgroup|workload|preemption_(evaluation|execution|pdb)).*"));
    }

    @Test
    void countNothingInTheBackgroundWherePreemptionWaits() {
        metrics.showFor(FeatureGates.DEFAULTS.with(FeatureGates.SCHEDULER_ASYNC_PREEMPTION, false));
        metrics.preemptionExecuted("pod", "success", 1);

        assertThat(lines()).noneMatch(line -> line.startsWith("scheduler_preemption_goroutines"));
    }
}
