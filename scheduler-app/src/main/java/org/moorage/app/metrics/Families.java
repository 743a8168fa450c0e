// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.metrics;

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

    Counter counter(String name, String help, String... labels) {
        return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    Gauge gauge(String name, String help, String... labels) {
        return Gauge.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    Histogram histogram(String name, String help, double[] buckets, String... labels) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .classicOnly()
                .classicUpperBounds(buckets)
                .register(registry);
    }

    /** A counter whose values are asked for when metrics are read. */
    void counters(String name, String help, Consumer<CounterWithCallback.Callback> values, String... labels) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .callback(values)
                .register(registry);
    }

    /** A gauge whose values are asked for when metrics are read. */
    void gauges(String name, String help, Consumer<GaugeWithCallback.Callback> values, String... labels) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .callback(values)
                .register(registry);
    }
}
