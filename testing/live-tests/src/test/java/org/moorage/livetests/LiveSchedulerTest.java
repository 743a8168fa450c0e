// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Resources;
import org.moorage.objects.KeptJson;
import org.moorage.objects.internal.TreeDecoder;

/** The application as the scheduler of a real control plane, beside the real kube-scheduler. */
@Tag("live")
class LiveSchedulerTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration AT_LAST = Duration.ofMinutes(2);
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
    private static String config(String scheduler, Path kubeconfig) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
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
                """.formatted(kubeconfig, scheduler);
    }

    @Test
    void placesPodsAsTheRealOneWouldAndSaysTheSameWhereNoneFits() throws IOException {
        try (ControlPlane plane = ControlPlane.start()) {
            StringBuilder nodes = new StringBuilder();
            for (int i = 0; i < NODES; i++) {
                nodes.append(node(i));
            }
            plane.create(nodes.toString());
            plane.create(pods(List.of(new Sort("holder", 1, holder())), "moorage"));
            plane.create(pods(SORTS, "moorage"));
            Path ours = write(plane, "moorage.yaml", config("moorage", plane.kubeconfig()));
            try (RunningProgram moorage = RunningProgram.start(
                    plane.folder().resolve("log").resolve("moorage.log"),
                    List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            "org.moorage.app.Main",
                            "--config=" + ours,
                            "--secure-port=0",
                            "--v=2"))) {
                List<Pod> bound = bound(plane, 501);
                assertNothingIsOver(plane, bound);
                plane.create(pods(HOPELESS, "moorage"));
                Map<String, String> said = sayings(plane, "moorage");
                assertThat(said).isEqualTo(sayingsOfTheRealOne(plane));
                assertThat(events(plane, "moorage")).isEqualTo(said);
                assertIsBoundOnceANodeComes(plane);
                assertThat(moorage.terminate()).as(moorage.log()).isZero();
                assertThat(moorage.log())
                        .contains("Successfully bound pod to node")
                        .contains("Requested to terminate, exiting");
                assertThat(moorage.errors()).as("errors in the log").isEmpty();
            }
        }
    }

    // Takes the port that a hopeless pod wants, on the one node where that pod may go.
    private static String holder() {
        return containers("1m", "1Mi", ", ports: [{containerPort: 80, hostPort: 9090}]")
                + ", nodeSelector: {holds: port}";
    }

    private static Path write(ControlPlane plane, String name, String text) throws IOException {
        return Files.writeString(plane.folder().resolve(name), text);
    }

    private static List<Pod> bound(ControlPlane plane, int count) {
        return until(
                AT_LAST,
                () -> pods(plane, "moorage"),
                pods -> pods.stream().filter(Pod::isBound).count() == count);
    }

    private static void assertNothingIsOver(ControlPlane plane, List<Pod> pods) {
        TreeDecoder decoder = new TreeDecoder();
        Map<String, List<Pod>> podsByNode = new HashMap<>();
        for (Pod pod : pods) {
            podsByNode
                    .computeIfAbsent(pod.nodeName(), name -> new ArrayList<>())
                    .add(pod);
        }
        for (JsonNode item : items(plane, "nodes")) {
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
    private static Map<String, String> sayingsOfTheRealOne(ControlPlane plane) throws IOException {
        Path config = write(plane, "reference.yaml", config("reference", plane.kubeconfig()));
        plane.create(pods(HOPELESS, "reference"));
        try (RunningProgram reference = RunningProgram.start(
                plane.folder().resolve("log").resolve("kube-scheduler.log"),
                List.of(
                        plane.binaries().resolve("kube-scheduler").toString(),
                        "--config=" + config,
                        "--secure-port=0"))) {
            Map<String, String> said = sayings(plane, "reference");
            reference.terminate();
            plane.kubectl("delete", "pods", "--selector=of=reference", "--wait=false", "--grace-period=0", "--force");
            return said;
        }
    }

    /** What the condition says of each hopeless pod of a scheduler. */
    private static Map<String, String> sayings(ControlPlane plane, String scheduler) {
        return until(
                SOON,
                () -> {
                    Map<String, String> said = new TreeMap<>();
                    for (Pod pod : pods(plane, scheduler)) {
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

    /** What the events say of each hopeless pod of a scheduler. */
    private static Map<String, String> events(ControlPlane plane, String scheduler) {
        return until(
                SOON,
                () -> {
                    Map<String, String> said = new TreeMap<>();
                    for (JsonNode event : items(plane, "events.events.k8s.io")) {
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

    private static void assertIsBoundOnceANodeComes(ControlPlane plane) {
        plane.create(node("vast", Map.of("disk", "tape"), "", "64", "1024Gi"));
        List<String> awaited = List.of("moorage-nowhere-0", "moorage-too-large-0");
        until(
                SOON,
                () -> pods(plane, "moorage").stream()
                        .filter(pod -> pod.nodeName().equals("vast"))
                        .map(Pod::name)
                        .toList(),
                names -> names.containsAll(awaited));
    }

    private static List<Pod> pods(ControlPlane plane, String scheduler) {
        TreeDecoder decoder = new TreeDecoder();
        List<Pod> pods = new ArrayList<>();
        for (JsonNode item : items(plane, "pods", "--selector=of=" + scheduler)) {
            pods.add(decoder.pod((ObjectNode) item, KeptJson.NONE));
        }
        return pods;
    }

    private static JsonNode items(ControlPlane plane, String resource, String... more) {
        List<String> arguments = new ArrayList<>(List.of("get", resource, "-o", "json"));
        arguments.addAll(List.of(more));
        try {
            return JSON.readTree(plane.kubectl(arguments.toArray(String[]::new)))
                    .path("items");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    // Each look takes kubectl a moment, so there is no need to wait in between.
    private static <T> T until(Duration limit, Supplier<T> look, Predicate<T> done) {
        Instant deadline = Instant.now().plus(limit);
        while (true) {
            T seen = look.get();
            if (done.test(seen)) {
                return seen;
            }
            assertThat(Instant.now()).as("not there in time, only: %s", seen).isBefore(deadline);
        }
    }
}
