// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.Code;
import org.moorage.app.command.OwnPlugins;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.config.ConfigLoader;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** The metrics of a short run beside those of kube-scheduler, recorded under a load of the same kind. */
class PrometheusMetricsTest {
    /** What kube-scheduler has and a scheduler here does not: it schedules each pod for itself, without batches. */
    private static final Set<String> WITHOUT_EQUAL = Set.of(
            "scheduler_batch_attempts_total",
            "scheduler_batch_cache_flushed_total",
            "scheduler_get_node_hint_duration_seconds",
            "scheduler_store_schedule_results_duration_seconds");

    private static final Pattern SAMPLE = Pattern.compile("([a-z_]+)(?:\\{(.*)})? \\S+");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");

    /** One metric of a text. */
    private static final class Metric {
        String type = "";
        String help = "";
        final Set<String> labels = new TreeSet<>();
        final Set<Double> buckets = new TreeSet<>();

        @Override
        public String toString() {
            return type + " " + labels + " " + buckets + " " + help;
        }
    }

    private static Map<String, Metric> parse(String text) {
        Map<String, Metric> metrics = new TreeMap<>();
        Metric metric = new Metric();
        for (String line : text.split("\n")) {
            if (line.startsWith("# HELP ")) {
                String[] parts = line.split(" ", 4);
                metric = metrics.computeIfAbsent(parts[2], name -> new Metric());
                metric.help = parts[3];
            } else if (line.startsWith("# TYPE ")) {
                String[] parts = line.split(" ", 4);
                metric = metrics.computeIfAbsent(parts[2], name -> new Metric());
                metric.type = parts[3];
            } else {
                addSample(line, metric);
            }
        }
        return metrics;
    }

    private static void addSample(String line, Metric metric) {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        Matcher label = LABEL.matcher(Objects.requireNonNullElse(sample.group(2), ""));
        while (label.find()) {
            if (!label.group(1).equals("le")) {
                metric.labels.add(label.group(1));
            } else if (!label.group(2).equals("+Inf")) {
                metric.buckets.add(Double.valueOf(label.group(2)));
            }
        }
    }

    private static Map<String, Metric> recorded() {
        try (InputStream in = PrometheusMetricsTest.class.getResourceAsStream("kube-scheduler-metrics.txt")) {
            return parse(new String(Objects.requireNonNull(in).readAllBytes(), UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final Map<String, Metric> OURS = parse(afterAShortRun());

    private static String afterAShortRun() {
        PrometheusRegistry registry = new PrometheusRegistry();
        PrometheusMetrics metrics = new PrometheusMetrics(registry, InstantSource.system());
        metrics.showLeadership("kube-scheduler", () -> true);
        MetricsText text = new MetricsText(registry, Set.of());
        InMemoryCluster cluster = InMemoryCluster.of(List.of());
        PluginRegistry plugins = PluginRegistry.of(OwnPlugins.all());
        try (Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(plugins), plugins, cluster)
                .metrics(metrics)
                .bindingExecutor(Runnable::run)
                .build()) {
            metrics.show(scheduler::gauges);
            scheduler.start();
            cluster.apply(Nodes.named("n")
                    .allocatable("cpu", "8")
                    .allocatable("pods", "110")
                    .build());
            cluster.apply(Nodes.named("m")
                    .allocatable("cpu", "8")
                    .allocatable("pods", "110")
                    .build());
            for (int i = 0; i < 60; i++) {
                cluster.apply(Pods.named("p" + i).requests("cpu", "10m").build());
            }
            cluster.apply(Pods.named("big").requests("cpu", "100").build());
            schedule(scheduler);
            cluster.apply(Nodes.named("n")
                    .allocatable("cpu", "9")
                    .allocatable("pods", "110")
                    .build());
            schedule(scheduler);
            cluster.apply(Pods.named("high").priority(10).requests("cpu", "9").build());
            schedule(scheduler);
            // Calls of single plugins are timed in one of ten runs of an extension point.
            metrics.pluginRan("NodeName", "Filter", Code.SUCCESS, 1000);
            metrics.permitWaited(Code.SUCCESS, 1000);
            scheduler.gauges();
            return new String(text.read("").body(), UTF_8);
        }
    }

    private static void schedule(Scheduler scheduler) {
        while (scheduler.scheduleNext().isPresent()) {
            // The next one.
        }
    }

    static Stream<String> recordedNames() {
        return recorded().keySet().stream().filter(name -> !WITHOUT_EQUAL.contains(name));
    }

    @ParameterizedTest
    @MethodSource("recordedNames")
    void isAsInKubeScheduler(String name) {
        Metric expected = Objects.requireNonNull(recorded().get(name));
        Metric actual = OURS.getOrDefault(name, new Metric());

        assertThat(actual).hasToString(expected.toString());
    }

    @Test
    void areReadInTheFormatThatIsAskedFor() {
        MetricsText text = new MetricsText(new PrometheusRegistry(), Set.of("jvm_info", "process_cpu_seconds_total"));

        assertThat(text.read("").contentType()).startsWith("text/plain; version=0.0.4");
        assertThat(text.read("application/openmetrics-text;version=1.0.0").contentType())
                .startsWith("application/openmetrics-text");
        List<String> lines = new ArrayList<>(List.of(new String(text.read("").body(), UTF_8).split("\n")));
        assertThat(lines).anyMatch(line -> line.startsWith("jvm_memory_used_bytes{"));
        assertThat(lines).anyMatch(line -> line.startsWith("process_start_time_seconds "));
        assertThat(lines).noneMatch(line -> line.startsWith("jvm_info") || line.startsWith("process_cpu_seconds"));
    }
}
