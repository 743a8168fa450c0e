// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.prometheus.Prometheus;
import org.moorage.prometheus.PrometheusException;
import org.moorage.prometheus.PrometheusSettings;
import org.moorage.prometheus.Sample;

/**
 * The story of {@code plugins-traffic}: a real Prometheus and real node exporters decide where pods go, also by the article's
 * own query. SafeOverload of {@code plugins-safe} and {@code annotate usage} ask the same Prometheus.
 */
@Tag("live")
class LiveNetworkTrafficTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration LONGEST_START = Duration.ofMinutes(2);
    private static final Duration STEP = Duration.ofMillis(50);
    private static final String TRAFFIC = "sum by (nodename) (rate(node_network_receive_bytes_total{device=\"lo\"}[5s])"
            + " * on(instance) group_left(nodename) max by (instance, nodename) (node_uname_info))";

    @Test
    void sendsPodsToTheNodeWithLessTraffic() throws IOException {
        String prometheusProgram = program("prometheus");
        String exporterProgram = program("prometheus-node-exporter");
        int prometheusPort = RunningProgram.freePort();
        int first = RunningProgram.freePort();
        int second = RunningProgram.freePort();
        try (ControlPlane plane = ControlPlane.start();
                RunningProgram firstExporter = exporter(plane, exporterProgram, first);
                RunningProgram secondExporter = exporter(plane, exporterProgram, second)) {
            Path scrapes = Files.writeString(
                    plane.folder().resolve("prometheus.yaml"),
                    scrapes(Map.of("node01", first, "node02", second), "node02"));
            try (RunningProgram prometheus = RunningProgram.start(
                            plane.folder().resolve("log").resolve("prometheus.log"),
                            List.of(
                                    prometheusProgram,
                                    "--config.file=" + scrapes,
                                    "--storage.tsdb.path=" + plane.folder().resolve("prometheus"),
                                    "--web.listen-address=127.0.0.1:" + prometheusPort));
                    RunningProgram moorage = RunningProgram.start(
                            plane.folder().resolve("log").resolve("moorage.log"),
                            PluginProject.java(
                                    List.of(),
                                    "org.moorage.app.Main",
                                    "--config=" + config(plane, prometheusPort),
                                    "--plugin-dir=" + new PluginProject("plugins-traffic").pluginDirectory(),
                                    "--plugin-dir=" + new PluginProject("plugins-safe").pluginDirectory(),
                                    "--secure-port=0",
                                    "--v=2"))) {
                plane.create(node("node01") + node("node02"));
                String address = "http://127.0.0.1:" + prometheusPort;

                untilBusiest(address, "node02");
                // How soon pods are scheduled is about a scheduler that has started.
                String started =
                        until(LONGEST_START, moorage::log, log -> log.contains("The cluster's objects are known"));
                assertThat(started).doesNotContain("error:");
                plane.create(pod("first", "custom-scheduler") + pod("as-before", "original") + pod("careful", "safe"));
                assertThat(nodeOf(plane, "first")).as(moorage.log()).isEqualTo("node01");
                assertThat(nodeOf(plane, "as-before")).as(moorage.log()).isEqualTo("node01");
                assertThat(nodeOf(plane, "careful")).as(moorage.log()).isEqualTo("node02");
                assertUseIsAnnotated(plane, address, second);

                Files.writeString(scrapes, scrapes(Map.of("node01", first, "node02", second), "node01"));
                prometheus.signal("HUP");
                untilBusiest(address, "node01");
                // Each look takes kubectl longer than an answer is kept.
                String ignored = plane.kubectl("get", "nodes");
                plane.create(pod("second", "custom-scheduler"));
                assertThat(nodeOf(plane, "second")).as(moorage.log()).isEqualTo("node02");

                assertThat(moorage.terminate()).as(moorage.log()).isZero();
                assertThat(moorage.errors()).isEmpty();
                assertThat(firstExporter.isRunning() && secondExporter.isRunning())
                        .isTrue();
            }
        }
    }

    private static void assertUseIsAnnotated(ControlPlane plane, String address, int exporter) {
        try (RunningProgram annotator = RunningProgram.start(
                plane.folder().resolve("log").resolve("annotator.log"),
                PluginProject.java(
                        List.of(),
                        "org.moorage.app.Main",
                        "annotate",
                        "usage",
                        "--once",
                        "--kubeconfig=" + plane.kubeconfig(),
                        "--prometheus=" + address,
                        "--node-exporter-port=" + exporter))) {
            assertThat(annotator.await(SOON)).as(annotator.log()).isZero();
        }
        assertThat(plane.kubectl("get", "node", "node02", "-o", "jsonpath={.metadata.annotations}"))
                .containsPattern("\"mean-free-cpu\":\"\\d+\"")
                .containsPattern("\"mean-free-memory\":\"\\d+\"");
    }

    private static String program(String name) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        name + ": not there (expected: on the path; apt-get install prometheus"
                                + " prometheus-node-exporter)"))
                .toString();
    }

    private static RunningProgram exporter(ControlPlane plane, String program, int port) {
        return RunningProgram.start(
                plane.folder().resolve("log").resolve("exporter-" + port + ".log"),
                List.of(
                        program,
                        "--collector.disable-defaults",
                        "--collector.netdev",
                        "--collector.netdev.device-exclude=none",
                        "--collector.cpu",
                        "--collector.meminfo",
                        "--collector.uname",
                        "--web.listen-address=127.0.0.1:" + port));
    }

    // Both exporters are on one machine and see the same. Of the quiet node, packets count as bytes: of these there are
    // always fewer. Of node01, one byte of memory is free: the value of an information about the exporter.
    private static String scrapes(Map<String, Integer> portByNode, String busy) {
        StringBuilder text = new StringBuilder("global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n");
        portByNode.forEach((node, port) -> {
            text.append("""
                    - job_name: %s
                      static_configs: [{targets: ["127.0.0.1:%d"]}]
                      metric_relabel_configs:
                      - {source_labels: [__name__], regex: node_uname_info, target_label: nodename, replacement: %s}
                    """.formatted(node, port, node));
            if (node.equals("node01")) {
                text.append("""
                          - {source_labels: [__name__], regex: node_memory_MemAvailable_bytes, action: drop}
                          - {source_labels: [__name__], regex: node_exporter_build_info, target_label: __name__,
                             replacement: node_memory_MemAvailable_bytes}
                        """);
            }
            if (!node.equals(busy)) {
                text.append("""
                          - {source_labels: [__name__], regex: node_network_receive_bytes_total, action: drop}
                          - {source_labels: [__name__], regex: node_network_receive_packets_total, target_label: __name__,
                             replacement: node_network_receive_bytes_total}
                        """);
            }
        });
        return text.toString();
    }

    private static Path config(ControlPlane plane, int prometheusPort) throws IOException {
        return Files.writeString(plane.folder().resolve("scheduler.yaml"), """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%1$s"}
                profiles:
                - schedulerName: custom-scheduler
                  plugins:
                    preScore: {disabled: [{name: '*'}], enabled: [{name: NetworkTraffic}]}
                    score: {disabled: [{name: '*'}], enabled: [{name: NetworkTraffic}]}
                  pluginConfig:
                  - name: NetworkTraffic
                    args: {ip: "%2$s", deviceName: lo, timeRange: 5s, cacheTTL: 10ms, missingNode: Error}
                - schedulerName: original
                  plugins:
                    preScore: {disabled: [{name: '*'}], enabled: [{name: NetworkTraffic}]}
                    score: {disabled: [{name: '*'}], enabled: [{name: NetworkTraffic}]}
                  pluginConfig:
                  - name: NetworkTraffic
                    args: {ip: "%2$s", deviceName: lo, timeRange: 60, missingNode: Error, originalBehavior: true}
                - schedulerName: safe
                  plugins: {multiPoint: {enabled: [{name: SafeOverload}]}}
                  pluginConfig:
                  - name: SafeOverload
                    args:
                      source: Prometheus
                      missingStats: Reject
                      prometheus: {address: "%2$s", window: 10s, step: 1s, refresh: 1s}
                """.formatted(
                        plane.kubeconfig(), "http://127.0.0.1:" + prometheusPort));
    }

    // So small that what is free of this machine is more, whatever else it does.
    private static String node(String name) {
        return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {kubernetes.io/hostname: "
                + name
                + "}}, status: {addresses: [{type: InternalIP, address: 127.0.0.1}], allocatable: {cpu: 10m, memory:"
                + " 64Mi, pods: \"110\"}, capacity: {cpu: 10m, memory: 64Mi, pods: \"110\"}}}\n";
    }

    private static String pod(String name, String scheduler) {
        return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {schedulerName: " + scheduler
                + ", containers: [{name: main, image: app}]}}\n";
    }

    private static void untilBusiest(String address, String busiest) {
        Prometheus prometheus = Prometheus.connect(PrometheusSettings.of(address));
        until(
                () -> {
                    Map<String, Double> bytes = new HashMap<>();
                    try {
                        for (Sample sample : prometheus.query(TRAFFIC)) {
                            bytes.put(sample.labels().get("nodename"), sample.value());
                        }
                    } catch (PrometheusException notYet) {
                        return Map.<String, Double>of();
                    }
                    return bytes;
                },
                bytes -> bytes.size() == 2
                        && bytes.entrySet().stream()
                                .allMatch(entry -> entry.getKey().equals(busiest)
                                        || entry.getValue() > 0 && entry.getValue() < bytes.get(busiest)));
    }

    private static String nodeOf(ControlPlane plane, String pod) {
        return until(
                () -> plane.kubectl("get", "pod", pod, "-o", "jsonpath={.spec.nodeName}"), node -> !node.isEmpty());
    }

    private static <T> T until(Supplier<T> look, Predicate<T> done) {
        return until(SOON, look, done);
    }

    private static <T> T until(Duration limit, Supplier<T> look, Predicate<T> done) {
        Instant deadline = Instant.now().plus(limit);
        while (true) {
            T seen = look.get();
            if (done.test(seen)) {
                return seen;
            }
            assertThat(Instant.now()).as("not there in time, only: %s", seen).isBefore(deadline);
            LockSupport.parkNanos(STEP.toNanos());
        }
    }
}
