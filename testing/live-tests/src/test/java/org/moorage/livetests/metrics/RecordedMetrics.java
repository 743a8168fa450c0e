// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.metrics;

import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.moorage.livetests.scene.Moorage;

/** The metrics of kube-scheduler at the end of the loads of {@code LiveMetricsTest}. */
public final class RecordedMetrics {
    /** The metric families that kube-scheduler has and Moorage does not, with the reason. */
    public static final Map<String, String> WITHOUT_EQUAL = withoutEqual();

    /** The recorded metrics of the load of pods. */
    public static final Path OF_PODS = file("kube-scheduler.jsonl");

    /** The recorded metrics of the load of groups of pods: the families of groups and of preemption. */
    public static final Path OF_GROUPS = file("kube-scheduler-groups.jsonl");

    private RecordedMetrics() {}

    private static Map<String, String> withoutEqual() {
        Map<String, String> reasons = new TreeMap<>();
        String batches = "each pod is scheduled for itself: there are no batches";
        reasons.put("scheduler_batch_attempts_total", batches);
        reasons.put("scheduler_batch_cache_flushed_total", batches);
        reasons.put("scheduler_get_node_hint_duration_seconds", batches);
        reasons.put("scheduler_store_schedule_results_duration_seconds", batches);
        String queues = "no queue of client-go: kube-scheduler's hold its own certificates and those of callers";
        for (String name : new String[] {
            "adds_total",
            "depth",
            "longest_running_processor_seconds",
            "queue_duration_seconds",
            "retries_total",
            "unfinished_work_seconds",
            "work_duration_seconds"
        }) {
            reasons.put("workqueue_" + name, queues);
        }
        String transports = "no transport of client-go: connections are OkHttp's";
        reasons.put("rest_client_transport_cache_entries", transports);
        reasons.put("rest_client_transport_cert_rotation_gc_calls_total", transports);
        reasons.put("rest_client_transport_create_calls_total", transports);
        String commands = "certificates that credential commands print are not looked into";
        reasons.put("rest_client_exec_plugin_certificate_rotation_age", commands);
        reasons.put("rest_client_exec_plugin_ttl_seconds", commands);
        return reasons;
    }

    private static Path file(String name) {
        return Moorage.root().resolve("testing/conformance").resolve("metrics").resolve(name);
    }

    /** Returns the families of a record that Moorage has, too. */
    public static SortedMap<String, MetricFamily> withEqual(Path record) {
        SortedMap<String, MetricFamily> families = MetricFamily.read(record);
        families.keySet().removeAll(WITHOUT_EQUAL.keySet());
        return families;
    }

    /** Returns the families of both records that Moorage has, too. */
    public static SortedMap<String, MetricFamily> withEqual() {
        SortedMap<String, MetricFamily> families = withEqual(OF_PODS);
        withEqual(OF_GROUPS).forEach(families::putIfAbsent);
        return families;
    }
}
