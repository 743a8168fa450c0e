// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.KUBE_SCHEDULER;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * Shadow of the real kube-scheduler: each of its decisions is equal or a tie, and with another configuration they are
 * not.
 */
@Tag("live")
class LiveShadowTest {
    private static final int NODES = 60;
    private static final int PODS = 200;
    private static final long SEED = 30;

    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
            percentageOfNodesToScore: 100
            """;
    private static final String OTHER_PROFILE = """
            profiles:
            - schedulerName: default-scheduler
              pluginConfig:
              - name: NodeResourcesFit
                args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
            """;

    private static final String NODE = """
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-%1$d", "labels": {
               "kubernetes.io/hostname": "node-%1$d", "topology.kubernetes.io/zone": "zone-%2$d"}},
             "spec": {"taints": [%3$s]},
             "status": {"allocatable": {"cpu": "%4$d", "memory": "32Gi", "pods": "110"}}}""";
    private static final String POD = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod-%1$d", "namespace": "default", "labels": {"app": "%2$s"}},
             "spec": {%3$s, "containers": [{"name": "main", "image": "example.com/app:1",
               "resources": {"requests": {"cpu": "%4$dm", "memory": "64Mi"}}}]}}""";
    private static final String TERM =
            "{\"topologyKey\": \"%1$s\", \"labelSelector\": {\"matchLabels\": {\"app\": \"%2$s\"}}}";

    private final Random random = new Random(SEED);

    private static RunningProgram shadow(Scene scene, String name, String config) {
        String kubeconfig = scene.plane().kubeconfig().toString();
        return scene.moorage(
                name,
                "shadow",
                "--kubeconfig=" + kubeconfig,
                "--config=" + scene.write(name + ".yaml", config.replace("%s", kubeconfig)),
                "-o",
                "json");
    }

    private String nodes() {
        ObjectNode list = list();
        ArrayNode items = list.putArray("items");
        for (int i = 0; i < NODES; i++) {
            String taint = i % 10 == 0 ? "{\"key\": \"dedicated\", \"value\": \"x\", \"effect\": \"NoSchedule\"}" : "";
            add(items, String.format(Locale.ROOT, NODE, i, i % 3, taint, 4 << random.nextInt(3)));
        }
        return list.toString();
    }

    private String pods() {
        ObjectNode list = list();
        ArrayNode items = list.putArray("items");
        for (int i = 0; i < PODS; i++) {
            String app = "app-" + random.nextInt(6);
            String spec = switch (random.nextInt(6)) {
                case 0 ->
                    "\"affinity\": {\"podAntiAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\": ["
                            + String.format(Locale.ROOT, TERM, "kubernetes.io/hostname", app) + "]}}";
                case 1 ->
                    "\"affinity\": {\"podAffinity\": {\"preferredDuringSchedulingIgnoredDuringExecution\": [{\"weight\": 20,"
                            + "\"podAffinityTerm\": "
                            + String.format(Locale.ROOT, TERM, "topology.kubernetes.io/zone", app) + "}]}}";
                case 2 ->
                    "\"topologySpreadConstraints\": [{\"maxSkew\": 2, \"topologyKey\": \"topology.kubernetes.io/zone\","
                            + "\"whenUnsatisfiable\": \"DoNotSchedule\", \"labelSelector\": {\"matchLabels\": {\"app\": \""
                            + app + "\"}}}]";
                case 3 -> "\"tolerations\": [{\"key\": \"dedicated\", \"operator\": \"Exists\"}]";
                default -> "\"restartPolicy\": \"Always\"";
            };
            int cpu = i % 50 == 0 ? 64_000 : 50 + 50 * random.nextInt(10);
            add(items, String.format(Locale.ROOT, POD, i, app, spec, cpu));
        }
        return list.toString();
    }

    private static ObjectNode list() {
        return ApiAccess.JSON.createObjectNode().put("apiVersion", "v1").put("kind", "List");
    }

    private static void add(ArrayNode items, String json) {
        items.add(ApiAccess.parse(json));
    }

    private static JsonNode summary(RunningProgram shadow) {
        int ignored = shadow.terminate();
        String last = shadow.log().lines().reduce("", (before, line) -> line.startsWith("{") ? line : before);
        return ApiAccess.parse(last).path("summary");
    }

    @Test
    void explainsEachDecisionOfKubeScheduler() {
        try (Scene scene = Scene.open()) {
            scene.create(nodes());
            SchedulerProcess scheduler =
                    scene.scheduler(KUBE_SCHEDULER).config(CONFIG).start();
            RunningProgram same = shadow(scene, "same", CONFIG);
            RunningProgram other = shadow(scene, "other", CONFIG + OTHER_PROFILE);
            scene.await(
                    "both watch",
                    () -> same.log().contains("watching") && other.log().contains("watching"));
            scene.create(pods());
            scene.await(
                    "all pods are tried",
                    () -> scene.api().items(ApiAccess.PODS).stream()
                                    .filter(pod -> PodVersions.podScheduled(pod).isObject())
                                    .count()
                            == PODS);
            assertThat(scheduler.program().isRunning()).isTrue();
            JsonNode summary = summary(same);
            assertThat(summary.path("differences").asInt())
                    .as("differences with seed %d: %s", SEED, same.log())
                    .isZero();
            assertThat(summary.path("fitsHere").asInt()).isZero();
            assertThat(summary.path("rejectionsAgreed").asInt()).isPositive();
            assertThat(summary.path("equal").asInt() + summary.path("ties").asInt())
                    .isGreaterThan(PODS / 2);

            assertThat(summary(other).path("differences").asInt()).isGreaterThan(PODS / 4);
        }
    }
}
