// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Metrics of an extender's answers. */
public final class ExtenderMetrics {
    private static final double NANOS = 1e9;

    private final LabeledSeries<CounterDataPoint> answers;
    private final LabeledSeries<DistributionDataPoint> durations;

    /** Metrics without values, in a registry. */
    public ExtenderMetrics(PrometheusRegistry registry) {
        Families families = new Families(registry);
        answers = families.counters(
                "moorage_extender_answers_total",
                "Responses to schedulers, by route, HTTP status, and whether they contain an error.",
                "route",
                "code",
                "error");
        durations = families.histograms(
                "moorage_extender_answer_duration_seconds",
                "Time from the first byte of a request to its answer.",
                Families.exponential(0.001, 2, 15),
                "route");
    }

    /** A request was answered. */
    public void answered(String route, int code, boolean isError, long nanos) {
        answers.of(route, String.valueOf(code), String.valueOf(isError)).inc();
        durations.of(route).observe(nanos / NANOS);
    }
}
