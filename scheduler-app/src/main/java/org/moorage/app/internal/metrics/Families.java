// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.datapoints.GaugeDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Consumer;

/** Makes metrics in a registry, in the one form that all of them have. */
record Families(PrometheusRegistry registry) {
    /** Bounds of buckets, each the one before times a factor. */
    static double[] exponential(double start, double factor, int count) {
        double[] bounds = new double[count];
        double bound = start;
        for (int i = 0; i < count; i++) {
            bounds[i] = bound;
            bound *= factor;
        }
        return bounds;
    }

    /** A counter; it shows 0 until it is counted in. */
    Counter counter(String name, String help) {
        return Counter.builder().name(name).help(help).register(registry);
    }

    /** A counter with labels. */
    LabeledSeries<CounterDataPoint> counters(String name, String help, String... labels) {
        Counter counter =
                Counter.builder().name(name).help(help).labelNames(labels).register(registry);
        return new LabeledSeries<>(counter::labelValues);
    }

    /** A gauge with labels. */
    LabeledSeries<GaugeDataPoint> gauges(String name, String help, String... labels) {
        Gauge gauge = Gauge.builder().name(name).help(help).labelNames(labels).register(registry);
        return new LabeledSeries<>(gauge::labelValues);
    }

    /** A histogram; it shows 0 until something is observed. */
    Histogram histogram(String name, String help, double[] buckets) {
        return histogramOf(name, help, buckets);
    }

    /** A histogram with labels. */
    LabeledSeries<DistributionDataPoint> histograms(String name, String help, double[] buckets, String... labels) {
        Histogram histogram = histogramOf(name, help, buckets, labels);
        return new LabeledSeries<>(histogram::labelValues);
    }

    private Histogram histogramOf(String name, String help, double[] buckets, String... labels) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .classicOnly()
                .classicUpperBounds(buckets)
                .register(registry);
    }

    /** Registers a counter whose values are computed when metrics are read. */
    void shownCounters(String name, String help, Consumer<CounterWithCallback.Callback> values, String... labels) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .callback(values)
                .register(registry);
    }

    /** Registers a gauge whose values are computed when metrics are read. */
    void shownGauges(String name, String help, Consumer<GaugeWithCallback.Callback> values, String... labels) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .callback(values)
                .register(registry);
    }
}
