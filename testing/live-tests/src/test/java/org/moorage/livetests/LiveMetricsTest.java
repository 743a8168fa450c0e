// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.KUBE_SCHEDULER;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.livetests.metrics.MetricFamily;
import org.moorage.livetests.metrics.RecordedMetrics;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * The metrics after a load, compared with those of kube-scheduler after the same load. With the system property
 * {@code metrics.record} they are recorded: see {@code testing/conformance/metrics/record.sh}.
 */
@Tag("live")
class LiveMetricsTest {
    private static final List<String> PREFIXES_OF_PODS = List.of(
            "scheduler_",
            "dynamic_resource_allocation_",
            "rest_client_",
            "workqueue_",
            "leader_election_",
            "process_",
            "kubernetes_",
            "version_info");

    private static final List<String> PREFIXES_OF_GROUPS = List.of(
            "scheduler_podgroup_",
            "scheduler_workload_",
            "scheduler_preemption_",
            "scheduler_placement_",
            "scheduler_generated_");

    /** Families whose values depend on the load alone. */
    private static final Set<String> DETERMINISTIC_OF_PODS = Set.of(
            "kubernetes_feature_enabled",
            "leader_election_master_status",
            "scheduler_async_api_call_execution_duration_seconds",
            "scheduler_async_api_call_execution_total",
            "scheduler_cache_size",
            "scheduler_framework_extension_point_duration_seconds",
            "scheduler_pending_async_api_calls",
            "scheduler_pending_pods",
            "scheduler_pod_scheduled_after_flush_total",
            "scheduler_pod_scheduling_attempts",
            "scheduler_pod_scheduling_sli_duration_seconds",
            "scheduler_preemption_attempts_total",
            "scheduler_preemption_victims",
            "scheduler_queue_incoming_pods_total",
            "scheduler_queueing_hint_execution_duration_seconds",
            "dynamic_resource_allocation_resourceclaim_creates_total",
            "scheduler_schedule_attempts_total",
            "scheduler_scheduling_algorithm_duration_seconds",
            "scheduler_scheduling_attempt_duration_seconds");

    private static final Set<String> DETERMINISTIC_OF_GROUPS = Set.of(
            "scheduler_preemption_execution_duration_seconds",
            "scheduler_preemption_goroutines_duration_seconds",
            "scheduler_preemption_goroutines_execution_total",
            "scheduler_preemption_pdb_violations_total",
            "scheduler_preemption_victims",
            "scheduler_preemption_workload_disruptions",
            "scheduler_workload_preemption_victims");

    /** Series that differ, and why. */
    private static final Map<String, String> EXPLAINED = Map.of(
            "kubernetes_feature_enabled{name=AllAlpha,stage=ALPHA}",
            "a switch for other gates, and no feature",
            "kubernetes_feature_enabled{name=AllBeta,stage=BETA}",
            "as before",
            "scheduler_framework_extension_point_duration_seconds{"
                    + "extension_point=Sign,profile=default-scheduler,status=Success}",
            "there are no batches, whose pods would be signed",
            "scheduler_framework_extension_point_duration_seconds{"
                    + "extension_point=Filter,profile=default-scheduler,status=Success}",
            "a pod's nominated node is filtered without being timed",
            "scheduler_queue_incoming_pods_total{event=AssignedPodDelete,queue=unschedulable}",
            "a preemptor is kept out until its last victim is seen to go, and not looked at when the first one does",
            "scheduler_queueing_hint_execution_duration_seconds{"
                    + "event=AssignedPodDelete,hint=QueueSkip,plugin=DefaultPreemption}",
            "as before");

    /**
     * A load on a scheduler.
     *
     * @param run has the scheduler that is called so bear it, and returns what it counted
     * @param record what kube-scheduler counted
     * @param prefixes what the names of the recorded families begin with
     * @param deterministic families whose values depend on the load alone
     */
    record Load(
            String name,
            Function<SchedulerProcess.Kind, SortedMap<String, MetricFamily>> run,
            Path record,
            List<String> prefixes,
            Set<String> deterministic) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Load> LOADS = List.of(
            new Load("pods", LiveMetricsTest::ofPods, RecordedMetrics.OF_PODS, PREFIXES_OF_PODS, DETERMINISTIC_OF_PODS),
            new Load(
                    "groups of pods",
                    LiveMetricsTest::ofGroups,
                    RecordedMetrics.OF_GROUPS,
                    PREFIXES_OF_GROUPS,
                    DETERMINISTIC_OF_GROUPS));

    private static SortedMap<String, MetricFamily> ofPods(SchedulerProcess.Kind scheduler) {
        try (MetricsLoad load = MetricsLoad.ofPods(scheduler)) {
            return load.runPods();
        }
    }

    private static SortedMap<String, MetricFamily> ofGroups(SchedulerProcess.Kind scheduler) {
        try (MetricsLoad load = MetricsLoad.ofGroups(scheduler)) {
            return load.runGroups();
        }
    }

    @ParameterizedTest
    @FieldSource("LOADS")
    void areThoseOfKubeScheduler(Load load) {
        if (Boolean.getBoolean("metrics.record")) {
            SortedMap<String, MetricFamily> recorded = load.run.apply(KUBE_SCHEDULER);
            recorded.keySet().removeIf(name -> load.prefixes.stream().noneMatch(name::startsWith));
            MetricFamily.write(load.record, recorded, load.deterministic::contains);
        }
        SortedMap<String, MetricFamily> expected = RecordedMetrics.withEqual(load.record);
        SortedMap<String, MetricFamily> actual = load.run.apply(MOORAGE);

        assertThat(definitions(actual, expected.keySet())).isEqualTo(definitions(expected, expected.keySet()));
        assertThat(values(actual, load.deterministic))
                .containsExactlyInAnyOrderElementsOf(values(expected, load.deterministic));
    }

    private static SortedMap<String, MetricFamily> definitions(
            SortedMap<String, MetricFamily> families, Set<String> names) {
        SortedMap<String, MetricFamily> definitions = new TreeMap<>();
        for (String name : names) {
            MetricFamily family = families.get(name);
            if (family != null) {
                definitions.put(name, family.definition());
            }
        }
        return definitions;
    }

    private static List<String> values(SortedMap<String, MetricFamily> families, Set<String> deterministic) {
        List<String> values = new ArrayList<>();
        for (String name : (Iterable<String>) deterministic.stream().sorted()::iterator) {
            MetricFamily family = families.get(name);
            if (family != null) {
                family.series().forEach((labels, value) -> {
                    String series = name + "{" + labels + "}";
                    if (!EXPLAINED.containsKey(series)) {
                        values.add(series + " " + value);
                    }
                });
            }
        }
        return values;
    }
}
