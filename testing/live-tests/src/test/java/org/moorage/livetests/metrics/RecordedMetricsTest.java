// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.Code;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.PodGroup;
import org.moorage.app.internal.metrics.ApiServerMetrics;
import org.moorage.app.internal.metrics.HealthMetrics;
import org.moorage.app.internal.metrics.MetricsText;
import org.moorage.app.internal.metrics.ProcessMetrics;
import org.moorage.app.internal.metrics.PrometheusMetrics;
import org.moorage.app.internal.serving.HealthCheck;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Compares the metrics of a short run with those of kube-scheduler: names, help texts, types, labels and buckets. */
class RecordedMetricsTest {
    private static final FeatureGates GROUPS = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true);
    private static final SortedMap<String, MetricFamily> OURS = ours();

    private static SortedMap<String, MetricFamily> ours() {
        SortedMap<String, MetricFamily> families = MetricFamily.parse(afterAShortRun());
        MetricFamily.parse(afterAHealthCheck()).forEach(families::putIfAbsent);
        return families;
    }

    private static String afterAHealthCheck() {
        PrometheusRegistry registry = new PrometheusRegistry();
        List<HealthCheck> checks = new HealthMetrics(registry).counted("livez", List.of(HealthCheck.PING));
        assertThat(checks.get(0).failure().get()).isEmpty();
        return new String(new MetricsText(registry, Set.of()).read("").body(), UTF_8);
    }

    private static String afterAShortRun() {
        PrometheusRegistry registry = new PrometheusRegistry();
        PrometheusMetrics metrics = new PrometheusMetrics(registry, InstantSource.system());
        metrics.showLeadership("kube-scheduler", () -> true);
        ProcessMetrics.register(registry, "0.1.0", "v1.37.2", FeatureGates.DEFAULTS);
        requests(new ApiServerMetrics(registry));
        MetricsText text = new MetricsText(registry, Set.of());
        InMemoryCluster cluster = InMemoryCluster.of(List.of());
        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        metrics.showFor(GROUPS);
        try (Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(plugins, GROUPS), plugins, cluster)
                .listener(metrics)
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
            preemptAGroupForAnother(cluster);
            schedule(scheduler);
            // Calls of single plugins are measured in one of ten runs of an extension point.
            metrics.pluginRan("NodeName", "Filter", Code.SUCCESS, 1000);
            return new String(text.read("").body(), UTF_8);
        }
    }

    // Preempts in the only existing domain, and violates a disruption budget.
    private static void preemptAGroupForAnother(InMemoryCluster cluster) {
        cluster.apply(Nodes.named("m")
                .label("zone", "a")
                .allocatable("cpu", "8")
                .allocatable("pods", "110")
                .build());
        cluster.apply(new PodDisruptionBudget(
                meta("budget"), Optional.of(new LabelSelector(Map.of("app", "whole"), List.of())), 0, Set.of()));
        cluster.apply(
                PodGroup.of(meta("whole")).disruptionMode(DisruptionMode.ALL).build());
        cluster.apply(Pods.named("whole-0")
                .label("app", "whole")
                .podGroup("whole")
                .requests("cpu", "7")
                .on("m")
                .build());
        cluster.apply(PodGroup.of(meta("urgent"))
                .priority(100)
                .gang(1)
                .topologyKeys(List.of("zone"))
                .build());
        cluster.apply(Pods.named("urgent-0")
                .podGroup("urgent")
                .priority(100)
                .requests("cpu", "7")
                .build());
    }

    private static ObjectMeta meta(String name) {
        return ObjectMeta.named(name).namespace("default").uid(name).build();
    }

    private static void schedule(Scheduler scheduler) {
        while (scheduler.scheduleNext().isPresent()) {
            // The next one.
        }
    }

    private static void requests(ApiServerMetrics metrics) {
        metrics.rateLimited("POST", "api:6443", 1000);
        metrics.sent("POST", "api:6443", 100);
        metrics.answered("POST", "api:6443", "201", false);
        metrics.received("POST", "api:6443", 100);
        metrics.ended("POST", "api:6443", 1000);
        metrics.podCallStarted("pod_binding");
        metrics.podCallEnded("pod_binding", true, 1000);
        metrics.claimCreated(true);
    }

    static Stream<String> recordedNames() {
        return RecordedMetrics.withEqual().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("recordedNames")
    void isAsInKubeScheduler(String name) {
        MetricFamily expected = RecordedMetrics.withEqual().get(name);

        assertThat(OURS).containsKey(name);
        assertThat(OURS.get(name).definition()).isEqualTo(expected.definition());
    }

    @Test
    void leavesOutNothingThatIsThere() {
        assertThat(OURS)
                .doesNotContainKeys(RecordedMetrics.WITHOUT_EQUAL.keySet().toArray(String[]::new));
        assertThat(MetricFamily.read(RecordedMetrics.OF_PODS))
                .containsKeys(RecordedMetrics.WITHOUT_EQUAL.keySet().toArray(String[]::new));
    }

    @Test
    void tellsWhatKubernetesComparesVersionsBy() {
        Map<String, Double> series = OURS.get("kubernetes_build_info").series();

        assertThat(series.keySet())
                .singleElement()
                .asString()
                .contains("git_version=v1.37.2+moorage-0.1.0", "minor=37");
    }
}
