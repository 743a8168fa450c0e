// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.GaugeDataPoint;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import org.moorage.app.internal.serving.HealthCheck;

/** Metrics of the results of health checks, with the names and labels of kube-scheduler's metrics. */
public final class HealthMetrics {
    private final LabeledSeries<GaugeDataPoint> last;
    private final LabeledSeries<CounterDataPoint> answers;

    /**
     * Metrics without values.
     *
     * @param registry where they are found
     */
    public HealthMetrics(PrometheusRegistry registry) {
        Families families = new Families(registry);
        last = families.gauges(
                "kubernetes_healthcheck",
                "[STABLE] This metric records the result of a single healthcheck.",
                "name",
                "type");
        answers = families.counters(
                "kubernetes_healthchecks_total",
                "[STABLE] This metric records the results of all healthcheck.",
                "name",
                "status",
                "type");
        families.shownGauges(
                "process_start_time_seconds",
                "[ALPHA] Start time of the process since unix epoch in seconds.",
                callback -> callback.call(ManagementFactory.getRuntimeMXBean().getStartTime() / 1e3));
    }

    /** The checks of an endpoint, whose answers are counted. */
    public List<HealthCheck> counted(String endpoint, List<HealthCheck> checks) {
        return checks.stream().map(check -> counted(endpoint, check)).toList();
    }

    private HealthCheck counted(String endpoint, HealthCheck check) {
        return new HealthCheck(check.name(), () -> {
            boolean isSuccess = false;
            try {
                Optional<String> failure = check.failure().get();
                isSuccess = failure.isEmpty();
                return failure;
            } finally {
                last.of(check.name(), endpoint).set(isSuccess ? 1 : 0);
                answers.of(check.name(), isSuccess ? "success" : "error", endpoint)
                        .inc();
            }
        });
    }
}
