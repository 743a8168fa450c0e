// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.annotate;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.prometheus.Point;
import org.moorage.prometheus.Prometheus;
import org.moorage.prometheus.PrometheusException;
import org.moorage.prometheus.Sample;
import org.moorage.prometheus.Series;

/**
 * An annotator that writes the free CPU and memory that Prometheus measured on each node: mean and standard deviation
 * over a day, in thousandths of a CPU and in bytes, and a forecast if requested. Where nothing was measured the
 * annotations are removed, so that old figures are not mistaken for current ones.
 *
 * <p>kube-safe-scheduler's annotator wrote the deviation of a counter as that of free CPU, over five minutes only.
 * {@code originalQueries} selects its queries.
 */
public final class UsageAnnotator implements NodeAnnotator {
    private static final Duration WINDOW = Duration.ofDays(1);
    private static final Duration MEMORY_STEP = Duration.ofSeconds(15);
    private static final Duration CPU_STEP = Duration.ofMinutes(1);
    private static final String NO_FORECAST = "N/A";

    private final ClusterNodes cluster;
    private final Prometheus prometheus;
    private final Settings settings;
    private final InstantSource clock;

    /** The annotations to write.
     *
     * @param exporterPort the port of the node exporter, which is part of the label {@code instance}
     * @param forecast whether to forecast
     * @param onlyRequested whether use counts up to what pods request only
     * @param originalQueries whether to ask for CPU as the original did
     */
    public record Settings(int exporterPort, boolean forecast, boolean onlyRequested, boolean originalQueries) {}

    /** An annotator of a cluster's nodes. */
    public UsageAnnotator(ClusterNodes cluster, Prometheus prometheus, Settings settings, InstantSource clock) {
        this.cluster = cluster;
        this.prometheus = prometheus;
        this.settings = settings;
        this.clock = clock;
    }

    @Override
    public int annotate(Lines out) {
        Map<String, Quantity> requestedByNode = new HashMap<>();
        for (Pod pod : cluster.boundPods()) {
            if (!pod.status().isTerminal()) {
                requestedByNode.merge(pod.nodeName(), Quantity.of(pod.requests().memory()), Quantity::plus);
            }
        }
        int failures = 0;
        for (ClusterNodes.AddressedNode node : cluster.addressedNodes()) {
            String name = node.name();
            if (node.internalIp().isEmpty()) {
                out.failed("Node " + name + ": no address (expected: one of type InternalIP)");
                failures++;
                continue;
            }
            try {
                String instance = node.internalIp().get() + ":" + settings.exporterPort();
                annotate(
                        node,
                        instance,
                        requestedByNode.getOrDefault(name, Quantity.ZERO).value(),
                        out);
            } catch (ClusterException | PrometheusException failed) {
                out.failed("Node " + name + ": " + failed.getMessage());
                failures++;
            }
        }
        return failures;
    }

    private void annotate(ClusterNodes.AddressedNode node, String instance, long requested, Lines out) {
        long allocatable =
                node.allocatable().getOrDefault("memory", Quantity.ZERO).value();
        Measured memory = memory(instance, allocatable - requested);
        Measured cpu = settings.originalQueries() ? originalCpu(instance) : cpu(instance);
        Map<String, Optional<String>> annotations = new LinkedHashMap<>();
        annotations.put("mean-free-memory", text(memory.mean()));
        annotations.put("std-free-memory", text(memory.deviation()));
        annotations.put("forcasted-free-memory", forecast(memory));
        annotations.put("mean-free-cpu", text(cpu.mean()));
        annotations.put("std-free-cpu", text(cpu.deviation()));
        if (settings.forecast()) {
            annotations.put("forcasted-free-cpu", forecast(cpu));
        }
        annotations.put("free_memory", text(memory.latest()));
        annotations.put("min_free_memory", text(memory.least()));
        annotations.put("reqested_memory", Optional.of(Long.toString(requested)));
        annotations.put("allocatable_memory", Optional.of(Long.toString(allocatable)));
        cluster.annotate(node.name(), annotations);
        out.done("node " + node.name() + " annotated: cpu " + shown(cpu) + ", memory " + shown(memory));
    }

    private static String shown(Measured measured) {
        return measured.mean().isEmpty()
                ? "not measured"
                : text(measured.mean()).orElse("") + " +- "
                        + text(measured.deviation()).orElse("");
    }

    // Without a measurement there is no forecast either, so its annotation is removed with the others.
    private Optional<String> forecast(Measured measured) {
        return measured.mean().isEmpty()
                ? Optional.empty()
                : text(measured.forecast()).or(() -> Optional.of(NO_FORECAST));
    }

    // Whole numbers: a thousandth of a CPU and a byte are small enough.
    private static Optional<String> text(OptionalDouble value) {
        return value.isPresent() ? Optional.of(Long.toString(Math.round(value.getAsDouble()))) : Optional.empty();
    }

    private Measured memory(String instance, long atLeast) {
        double[] values = range("node_memory_MemAvailable_bytes{instance=\"" + instance + "\"}", MEMORY_STEP);
        double latest = values.length == 0 ? Double.NaN : values[values.length - 1];
        if (settings.onlyRequested()) {
            for (int i = 0; i < values.length; i++) {
                values[i] = Math.max(values[i], (double) atLeast);
            }
        }
        return Measured.of(values, latest, settings.forecast());
    }

    private Measured cpu(String instance) {
        double[] values = range(
                "sum by (instance) (rate(node_cpu_seconds_total{instance=\"" + instance
                        + "\",mode=\"idle\"}[5m])) * 1000",
                CPU_STEP);
        double latest = values.length == 0 ? Double.NaN : values[values.length - 1];
        return Measured.of(values, latest, settings.forecast());
    }

    private Measured originalCpu(String instance) {
        String idle = "node_cpu_seconds_total{instance=\"" + instance + "\",mode=\"idle\"}[5m]";
        OptionalDouble mean = now("sum by (instance)(irate(" + idle + "))*1000");
        OptionalDouble deviation = now("sum by (instance) (stddev_over_time(" + idle + ")/(5*60))*1000");
        return new Measured(mean, deviation, mean, mean, OptionalDouble.empty());
    }

    private OptionalDouble now(String query) {
        List<Sample> samples = prometheus.query(query);
        return samples.isEmpty() || !Double.isFinite(samples.get(0).value())
                ? OptionalDouble.empty()
                : OptionalDouble.of(samples.get(0).value());
    }

    private double[] range(String query, Duration step) {
        Instant end = clock.instant();
        List<Series> series = prometheus.queryRange(query, end.minus(WINDOW), end, step);
        if (series.isEmpty()) {
            return new double[0];
        }
        List<Point> points = series.get(0).points();
        double[] values = new double[points.size()];
        int count = 0;
        for (Point point : points) {
            if (Double.isFinite(point.value())) {
                values[count] = point.value();
                count++;
            }
        }
        return Arrays.copyOf(values, count);
    }
}
