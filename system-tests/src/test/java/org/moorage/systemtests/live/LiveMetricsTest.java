// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.systemtests.metrics.MetricFamily;
import org.moorage.systemtests.metrics.RecordedMetrics;

/**
 * The metrics that a load leaves behind, beside those that the same load left in kube-scheduler. With the system property
 * {@code metrics.record} they are recorded: see {@code conformance/metrics/record.sh}.
 */
@Tag("live")
class LiveMetricsTest {
    private static final List<String> PREFIXES = List.of(
            "scheduler_",
            "dynamic_resource_allocation_",
            "rest_client_",
            "workqueue_",
            "leader_election_",
            "process_",
            "kubernetes_",
            "version_info");

    /** Families whose values depend on the load alone. */
    private static final Set<String> DETERMINISTIC = Set.of(
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

    /** Of these, series that differ, and why. */
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

    private static final Function<Path, List<String>> KUBE_SCHEDULER =
            programs -> List.of(programs.resolve("kube-scheduler").toString());
    private static final Function<Path, List<String>> MOORAGE = programs -> List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "org.moorage.app.Main");

    @Test
    void areThoseOfKubeScheduler() {
        if (Boolean.getBoolean("metrics.record")) {
            SortedMap<String, MetricFamily> recorded = after(KUBE_SCHEDULER);
            recorded.keySet().removeIf(name -> PREFIXES.stream().noneMatch(name::startsWith));
            MetricFamily.write(RecordedMetrics.file(), recorded, DETERMINISTIC::contains);
        }
        SortedMap<String, MetricFamily> expected = RecordedMetrics.withEqual();
        SortedMap<String, MetricFamily> actual = after(MOORAGE);

        assertThat(definitions(actual, expected.keySet())).isEqualTo(definitions(expected, expected.keySet()));
        assertThat(values(actual)).containsExactlyInAnyOrderElementsOf(values(expected));
    }

    private static SortedMap<String, MetricFamily> after(Function<Path, List<String>> scheduler) {
        try (MetricsLoad load = new MetricsLoad(scheduler)) {
            return load.run();
        }
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

    private static List<String> values(SortedMap<String, MetricFamily> families) {
        List<String> values = new ArrayList<>();
        for (String name : (Iterable<String>) DETERMINISTIC.stream().sorted()::iterator) {
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
