// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.PluginProject;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.Waiting;
import org.moorage.prometheus.Prometheus;
import org.moorage.prometheus.PrometheusException;
import org.moorage.prometheus.PrometheusSettings;
import org.moorage.prometheus.Sample;

/**
 * Tests {@code plugins-traffic} with a real Prometheus and real node exporters, also with the article's own query.
 * SafeOverload of {@code plugins-safe} and {@code annotate usage} query the same Prometheus.
 */
@Tag("live")
class LiveNetworkTrafficTest {
    /** How long the plugin caches a result of Prometheus. */
    private static final Duration KEPT = Duration.ofMillis(10);

    private static final String TRAFFIC = "sum by (nodename) (rate(node_network_receive_bytes_total{device=\"lo\"}[5s])"
            + " * on(instance) group_left(nodename) max by (instance, nodename) (node_uname_info))";

    @Test
    void sendsPodsToTheNodeWithLessTraffic() throws IOException {
        try (Scene scene = Scene.open()) {
            int first = exporter(scene);
            int second = exporter(scene);
            Map<String, Integer> exporters = Map.of("node01", first, "node02", second);
            Path scrapes = scene.write("prometheus.yaml", scrapes(exporters, "node02"));
            int port = scene.port();
            String address = "http://127.0.0.1:" + port;
            RunningProgram prometheus = scene.start(
                    "prometheus",
                    List.of(
                            program("prometheus"),
                            "--config.file=" + scrapes,
                            "--storage.tsdb.path=" + scene.plane().folder().resolve("prometheus"),
                            "--web.listen-address=127.0.0.1:" + port));
            RunningProgram moorage = scene.scheduler(MOORAGE)
                    .config(config(address))
                    .flags(
                            "--plugin-dir=" + new PluginProject("plugins-traffic").pluginDirectory(),
                            "--plugin-dir=" + new PluginProject("plugins-safe").pluginDirectory())
                    .start()
                    .program();
            scene.create(node("node01") + node("node02"));
            awaitBusiest(scene, address, "node02");
            scene.create(pod("first", "custom-scheduler") + pod("as-before", "original") + pod("careful", "safe"));
            assertThat(scene.awaitNode("first")).as(moorage.log()).isEqualTo("node01");
            assertThat(scene.awaitNode("as-before")).as(moorage.log()).isEqualTo("node01");
            assertThat(scene.awaitNode("careful")).as(moorage.log()).isEqualTo("node02");

            assertUseIsAnnotated(scene, address, second);

            Files.writeString(scrapes, scrapes(exporters, "node01"));
            prometheus.signal("HUP");
            awaitBusiest(scene, address, "node01");
            Waiting.pause(KEPT.multipliedBy(2));
            scene.create(pod("second", "custom-scheduler"));
            assertThat(scene.awaitNode("second")).as(moorage.log()).isEqualTo("node02");
            assertThat(moorage.terminate()).as(moorage.log()).isZero();
            assertThat(moorage.errors()).isEmpty();
        }
    }

    private static void assertUseIsAnnotated(Scene scene, String address, int exporter) {
        RunningProgram annotator = scene.moorage(
                "annotator",
                "annotate",
                "usage",
                "--once",
                "--kubeconfig=" + scene.plane().kubeconfig(),
                "--prometheus=" + address,
                "--node-exporter-port=" + exporter);
        assertThat(annotator.await()).as(annotator.log()).isZero();
        assertThat(scene.api()
                        .get(ApiAccess.NODES + "/node02")
                        .at("/metadata/annotations")
                        .toString())
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

    /** Starts a node exporter and returns its port. */
    private static int exporter(Scene scene) {
        int port = scene.port();
        RunningProgram ignored = scene.start(
                "exporter-" + port,
                List.of(
                        program("prometheus-node-exporter"),
                        "--collector.disable-defaults",
                        "--collector.netdev",
                        "--collector.netdev.device-exclude=none",
                        "--collector.time",
                        "--collector.meminfo",
                        "--collector.uname",
                        "--web.listen-address=127.0.0.1:" + port));
        return port;
    }

    // Both exporters run on one machine and have the same values. For the quiet node, packets are relabeled as bytes,
    // since there are always fewer packets than bytes. For node01, a build info metric with the value 1 is relabeled as
    // free memory, so one byte is free. For each node, the clock is relabeled as the idle time of one processor, so the
    // load of the machine does not matter.
    private static String scrapes(Map<String, Integer> portByNode, String busy) {
        StringBuilder text = new StringBuilder("global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n");
        portByNode.forEach((node, port) -> {
            text.append("""
                    - job_name: %s
                      static_configs: [{targets: ["127.0.0.1:%d"]}]
                      metric_relabel_configs:
                      - {source_labels: [__name__], regex: node_uname_info, target_label: nodename, replacement: %s}
                      - {source_labels: [__name__], regex: node_time_seconds, target_label: mode, replacement: idle}
                      - {source_labels: [__name__], regex: node_time_seconds, target_label: __name__,
                         replacement: node_cpu_seconds_total}
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

    private static String config(String address) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%%s"}
                profiles:
                - schedulerName: custom-scheduler
                  plugins:
                    preScore: {disabled: [{name: '*'}], enabled: [{name: NetworkTraffic}]}
                    score: {disabled: [{name: '*'}], enabled: [{name: NetworkTraffic}]}
                  pluginConfig:
                  - name: NetworkTraffic
                    args: {ip: "%1$s", deviceName: lo, timeRange: 5s, cacheTTL: %2$dms, missingNode: Error}
                - schedulerName: original
                  plugins:
                    preScore: {disabled: [{name: '*'}], enabled: [{name: NetworkTraffic}]}
                    score: {disabled: [{name: '*'}], enabled: [{name: NetworkTraffic}]}
                  pluginConfig:
                  - name: NetworkTraffic
                    args: {ip: "%1$s", deviceName: lo, timeRange: 60, missingNode: Error, originalBehavior: true}
                - schedulerName: safe
                  plugins: {multiPoint: {enabled: [{name: SafeOverload}]}}
                  pluginConfig:
                  - name: SafeOverload
                    args:
                      source: Prometheus
                      missingStats: Reject
                      prometheus: {address: "%1$s", window: 10s, step: 1s, refresh: 1s}
                """.formatted(address, KEPT.toMillis());
    }

    // Smaller than the free part of the machine.
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

    private static void awaitBusiest(Scene scene, String address, String busiest) {
        Prometheus prometheus = Prometheus.connect(PrometheusSettings.of(address));
        Map<String, Double> ignored = scene.await(
                busiest + " has the most traffic",
                () -> {
                    Map<String, Double> bytes = new HashMap<>();
                    try {
                        for (Sample sample : prometheus.query(TRAFFIC)) {
                            bytes.put(sample.labels().get("nodename"), sample.value());
                        }
                    } catch (PrometheusException notYet) {
                        return Map.of();
                    }
                    return bytes;
                },
                bytes -> bytes.size() == 2
                        && bytes.entrySet().stream()
                                .allMatch(entry -> entry.getKey().equals(busiest)
                                        || entry.getValue() > 0 && entry.getValue() < bytes.get(busiest)));
    }
}
