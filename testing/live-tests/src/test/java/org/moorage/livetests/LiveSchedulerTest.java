// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.KUBE_SCHEDULER;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Resources;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.TreeDecoder;

/** The application as the scheduler of a real control plane, compared with the real kube-scheduler. */
@Tag("live")
class LiveSchedulerTest {
    private static final int NODES = 100;
    private static final String ZONE = "topology.kubernetes.io/zone";

    /** Pods of one sort: how many, and what they need. */
    private record Sort(String name, int count, String spec) {}

    private static final List<Sort> SORTS = List.of(
            new Sort("plain", 200, containers("100m", "64Mi", "")),
            new Sort("large", 60, containers("1500m", "1Gi", "")),
            new Sort("gpu", 40, containers("500m", "256Mi", "") + ", tolerations: [{key: dedicated, value: gpu}]"),
            new Sort("ssd", 50, containers("200m", "128Mi", "") + ", nodeSelector: {disk: ssd}"),
            new Sort(
                    "zoned",
                    60,
                    containers("200m", "128Mi", "")
                            + ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {"
                            + "nodeSelectorTerms: [{matchExpressions: [{key: " + ZONE
                            + ", operator: In, values: [z0, z1]}]}]}}}"),
            new Sort("port", 40, containers("50m", "32Mi", ", ports: [{containerPort: 80, hostPort: 8080}]")),
            new Sort(
                    "liking",
                    50,
                    containers("100m", "64Mi", "")
                            + ", affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: ["
                            + "{weight: 50, preference: {matchExpressions: [{key: disk, operator: Exists}]}}]}}"));

    /** Pods that fit on no node, each for its own reasons. */
    private static final List<Sort> HOPELESS = List.of(
            new Sort("too-large", 1, containers("40", "1Gi", "")),
            new Sort("too-much-memory", 1, containers("1", "900Gi", "") + ", nodeSelector: {disk: ssd}"),
            new Sort("nowhere", 1, containers("1", "1Gi", "") + ", nodeSelector: {disk: tape}"),
            new Sort("not-tolerating", 1, containers("1", "1Gi", "") + ", nodeSelector: {only: gpu}"),
            new Sort(
                    "port-taken",
                    1,
                    containers("1m", "1Mi", ", ports: [{containerPort: 80, hostPort: 9090}]")
                            + ", nodeSelector: {holds: port}"));

    private static String containers(String cpu, String memory, String more) {
        return "containers: [{name: main, image: app, resources: {requests: {cpu: \"" + cpu + "\", memory: " + memory
                + "}}" + more + "}]";
    }

    private static String node(int number) {
        Map<String, String> labels = new TreeMap<>();
        labels.put("kubernetes.io/hostname", "n" + number);
        labels.put(ZONE, "z" + number % 3);
        if (number % 5 == 0) {
            labels.put("only", "gpu");
        } else if (number % 4 == 0) {
            labels.put("disk", "ssd");
        }
        if (number == 1) {
            labels.put("holds", "port");
        }
        String taints = number % 5 == 0 ? "spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}\n" : "";
        int cpu = number % 2 == 0 ? 4 : 8;
        return node("n" + number, labels, taints, String.valueOf(cpu), cpu * 4 + "Gi");
    }

    private static String node(String name, Map<String, String> labels, String spec, String cpu, String memory) {
        return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: "
                + labels.toString().replace("=", ": ") + "}\n" + spec + "status: {allocatable: {cpu: \"" + cpu
                + "\", memory: " + memory + ", pods: \"110\"}, capacity: {cpu: \"" + cpu + "\", memory: " + memory
                + ", pods: \"110\"}}\n";
    }

    private static String pods(List<Sort> sorts, String scheduler) {
        StringBuilder text = new StringBuilder();
        for (Sort sort : sorts) {
            for (int i = 0; i < sort.count(); i++) {
                text.append("---\napiVersion: v1\nkind: Pod\nmetadata: {name: ")
                        .append(scheduler)
                        .append('-')
                        .append(sort.name())
                        .append('-')
                        .append(i)
                        .append(", labels: {of: ")
                        .append(scheduler)
                        .append("}}\nspec: {schedulerName: ")
                        .append(scheduler)
                        .append(", ")
                        .append(sort.spec())
                        .append("}\n");
            }
        }
        return text.toString();
    }

    // The plugins that only the real one has are switched off, so that both say the same about the same cluster.
    private static String config(String scheduler) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%%s", qps: 1000, burst: 1000}
                profiles:
                - schedulerName: %s
                  plugins:
                    multiPoint:
                      disabled:
                      - name: VolumeRestrictions
                      - name: NodeVolumeLimits
                      - name: VolumeBinding
                      - name: VolumeZone
                      - name: PodTopologySpread
                      - name: InterPodAffinity
                      - name: DynamicResources
                      - name: DefaultPreemption
                      - name: NodeDeclaredFeatures
                """.formatted(scheduler);
    }

    @Test
    void placesPodsAsTheRealOneWouldAndSaysTheSameWhereNoneFits() {
        try (Scene scene = Scene.open()) {
            StringBuilder nodes = new StringBuilder();
            for (int i = 0; i < NODES; i++) {
                nodes.append(node(i));
            }
            scene.create(nodes.toString());
            scene.create(pods(List.of(new Sort("holder", 1, holder())), "moorage"));
            scene.create(pods(SORTS, "moorage"));
            RunningProgram moorage =
                    scene.scheduler(MOORAGE).config(config("moorage")).start().program();
            assertNothingIsOver(scene, bound(scene, 501));

            scene.create(pods(HOPELESS, "moorage"));
            Map<String, String> said = sayings(scene, "moorage");
            assertThat(said).isEqualTo(sayingsOfTheRealOne(scene));
            assertThat(events(scene, "moorage")).isEqualTo(said);
            assertIsBoundOnceANodeComes(scene);

            assertThat(moorage.terminate()).as(moorage.log()).isZero();
            assertThat(moorage.log())
                    .contains("Successfully bound pod to node")
                    .contains("Requested to terminate, exiting");
            assertThat(moorage.errors()).as("errors in the log").isEmpty();
        }
    }

    // Takes the port that a hopeless pod wants, on the one node where that pod may go.
    private static String holder() {
        return containers("1m", "1Mi", ", ports: [{containerPort: 80, hostPort: 9090}]")
                + ", nodeSelector: {holds: port}";
    }

    private static List<Pod> bound(Scene scene, int count) {
        return scene.await(
                count + " pods are bound",
                () -> pods(scene, "moorage"),
                pods -> pods.stream().filter(Pod::isBound).count() == count);
    }

    private static void assertNothingIsOver(Scene scene, List<Pod> pods) {
        TreeDecoder decoder = new TreeDecoder();
        Map<String, List<Pod>> podsByNode = new HashMap<>();
        for (Pod pod : pods) {
            podsByNode
                    .computeIfAbsent(pod.nodeName(), name -> new ArrayList<>())
                    .add(pod);
        }
        for (JsonNode item : scene.api().items(ApiAccess.NODES)) {
            Node node = decoder.node((ObjectNode) item, KeptJson.NONE);
            List<Pod> here = podsByNode.getOrDefault(node.name(), List.of());
            Resources room = node.allocatableResources();
            assertThat(here.stream().mapToLong(pod -> pod.requests().milliCpu()).sum())
                    .as("cpu of %s", node)
                    .isLessThanOrEqualTo(room.milliCpu());
            assertThat(here.stream().mapToLong(pod -> pod.requests().memory()).sum())
                    .as("memory of %s", node)
                    .isLessThanOrEqualTo(room.memory());
            assertThat(here.stream().flatMap(pod -> pod.spec().hostPorts().stream()))
                    .as("ports of %s", node)
                    .doesNotHaveDuplicates();
            for (Pod pod : here) {
                assertThat(node.labels())
                        .as("%s on %s", pod, node)
                        .containsAllEntriesOf(pod.spec().nodeSelector());
                if (!node.taints().isEmpty()) {
                    assertThat(pod.name()).as("on tainted %s", node).startsWith("moorage-gpu");
                }
            }
        }
    }

    // Twins of the hopeless pods, on the same cluster, for the real one.
    private static Map<String, String> sayingsOfTheRealOne(Scene scene) {
        scene.create(pods(HOPELESS, "reference"));
        try (SchedulerProcess reference =
                scene.scheduler(KUBE_SCHEDULER).config(config("reference")).start()) {
            Map<String, String> said = sayings(scene, "reference");
            assertThat(reference.crashes()).isEmpty();
            return said;
        } finally {
            scene.api().delete(ApiAccess.PODS + "?labelSelector=of=reference");
        }
    }

    /** The condition of each hopeless pod of a scheduler. */
    private static Map<String, String> sayings(Scene scene, String scheduler) {
        return scene.await(
                "all hopeless pods of " + scheduler + " have a condition",
                () -> {
                    Map<String, String> said = new TreeMap<>();
                    for (Pod pod : pods(scene, scheduler)) {
                        pod.status()
                                .condition("PodScheduled")
                                .filter(condition -> condition.status().equals("False"))
                                .ifPresent(condition ->
                                        said.put(sortOf(pod.name()), condition.reason() + ": " + condition.message()));
                    }
                    return said;
                },
                said -> said.size() == HOPELESS.size());
    }

    /** The event of each hopeless pod of a scheduler. */
    private static Map<String, String> events(Scene scene, String scheduler) {
        return scene.await(
                "all hopeless pods of " + scheduler + " have an event",
                () -> {
                    Map<String, String> said = new TreeMap<>();
                    for (JsonNode event : scene.api().items(ApiAccess.EVENTS)) {
                        String pod = event.path("regarding").path("name").asText();
                        if (event.path("reason").asText().equals("FailedScheduling") && pod.startsWith(scheduler)) {
                            said.put(
                                    sortOf(pod),
                                    "Unschedulable: " + event.path("note").asText());
                        }
                    }
                    return said;
                },
                said -> said.size() == HOPELESS.size());
    }

    private static String sortOf(String podName) {
        return podName.substring(podName.indexOf('-') + 1);
    }

    private static void assertIsBoundOnceANodeComes(Scene scene) {
        scene.create(node("vast", Map.of("disk", "tape"), "", "64", "1024Gi"));
        List<String> awaited = List.of("moorage-nowhere-0", "moorage-too-large-0");
        List<String> ignored = scene.await(
                awaited + " are on the new node",
                () -> pods(scene, "moorage").stream()
                        .filter(pod -> pod.nodeName().equals("vast"))
                        .map(Pod::name)
                        .toList(),
                names -> names.containsAll(awaited));
    }

    private static List<Pod> pods(Scene scene, String scheduler) {
        TreeDecoder decoder = new TreeDecoder();
        List<Pod> pods = new ArrayList<>();
        for (JsonNode item : scene.api().items(ApiAccess.PODS + "?labelSelector=of=" + scheduler)) {
            pods.add(decoder.pod((ObjectNode) item, KeptJson.NONE));
        }
        return pods;
    }
}
