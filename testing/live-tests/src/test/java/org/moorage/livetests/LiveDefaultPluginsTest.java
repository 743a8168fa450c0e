// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the default plugins bring about on a real control plane, with its controllers: volumes bound, devices allocated,
 * victims gone, pods spread. The same objects are given to the real kube-scheduler on a control plane of its own, and both must
 * end in the same state.
 */
@Tag("live")
class LiveDefaultPluginsTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration AT_LAST = Duration.ofMinutes(2);

    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
            """;

    /** What is expected at the end; where several outcomes are as good, in words that are true of all of them. */
    private static final SortedMap<String, String> EXPECTED = new TreeMap<>(Map.ofEntries(
            // One replica takes nearly all of a node, and each of these nodes has one local volume.
            Map.entry("database on store-a", "volume-a Bound, claim Bound"),
            Map.entry("database on store-b", "volume-b Bound, claim Bound"),
            Map.entry("database on store-c", "volume-c Bound, claim Bound"),
            // Only one device of the class is of the model that the claim asks for.
            Map.entry("pod trainer", "devices"),
            Map.entry("claim named", "devices: card-large for trainer"),
            Map.entry("pod templated", "devices"),
            Map.entry("claim of templated", "devices: card-small for templated"),
            // Both pools would have to give way; the pods of one are protected by a budget.
            Map.entry("pod urgent", "pool-free"),
            Map.entry("pod guarded", "pool-guarded"),
            Map.entry("pod unguarded", "gone"),
            Map.entry("web in zone a", "2"),
            Map.entry("web in zone b", "2"),
            Map.entry("web in zone c", "2")));

    @Test
    void leaveTheClusterAsTheRealOneDoes() throws IOException {
        SortedMap<String, String> ours = endState(plane -> List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.moorage.app.Main",
                "--config=" + config(plane),
                "--secure-port=0"));
        SortedMap<String, String> theirs = endState(plane -> List.of(
                plane.binaries().resolve("kube-scheduler").toString(), "--config=" + config(plane), "--secure-port=0"));
        assertThat(ours).isEqualTo(theirs).isEqualTo(EXPECTED);
    }

    private static Path config(ControlPlane plane) {
        try {
            return Files.writeString(plane.folder().resolve("scheduler.yaml"), CONFIG.formatted(plane.kubeconfig()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SortedMap<String, String> endState(Function<ControlPlane, List<String>> scheduler)
            throws IOException {
        try (ControlPlane plane = ControlPlane.start(Map.of("CONTROLLERS", "1"))) {
            plane.create(resource("default-plugins.yaml"));
            // A budget allows nothing until its controller has counted the pods.
            until(
                    () -> Map.of("observed", text(plane, "pdb/guarded", "/status/observedGeneration")),
                    Map.of("observed", "1"));
            try (RunningProgram running = RunningProgram.start(
                    plane.folder().resolve("log").resolve("scheduler.log"), scheduler.apply(plane))) {
                SortedMap<String, String> state = until(() -> state(plane), EXPECTED);
                assertThat(running.log()).doesNotContain("panic");
                return state;
            }
        }
    }

    private static String resource(String name) throws IOException {
        try (var stream = LiveDefaultPluginsTest.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(stream, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static SortedMap<String, String> state(ControlPlane plane) {
        SortedMap<String, String> state = new TreeMap<>();
        JsonNode pods = get(plane, "pods").path("items");
        for (String name : List.of("trainer", "templated", "urgent", "guarded", "unguarded")) {
            state.put("pod " + name, "gone");
        }
        for (JsonNode pod : pods) {
            String name = pod.at("/metadata/name").asText();
            String node = pod.at("/spec/nodeName").asText();
            switch (pod.at("/metadata/labels/app").asText()) {
                case "database" -> state.put("database on " + node, volumeOf(plane, name));
                case "web" -> {
                    if (!node.isEmpty()) {
                        state.merge(
                                "web in zone " + node.substring(node.length() - 1),
                                "1",
                                (count, one) -> String.valueOf(Integer.parseInt(count) + 1));
                    }
                }
                default -> state.put("pod " + name, node);
            }
        }
        state.put("claim named", claim(plane, "named"));
        state.put("claim of templated", claimOf(plane, pods));
        return state;
    }

    private static String volumeOf(ControlPlane plane, String pod) {
        JsonNode claim = get(plane, "pvc/data-" + pod);
        String volume = claim.at("/spec/volumeName").asText();
        String phase = volume.isEmpty() ? "" : text(plane, "pv/" + volume, "/status/phase");
        return volume + " " + phase + ", claim " + claim.at("/status/phase").asText();
    }

    private static String claimOf(ControlPlane plane, JsonNode pods) {
        for (JsonNode pod : pods) {
            if (pod.at("/metadata/name").asText().equals("templated")) {
                String name = pod.at("/status/resourceClaimStatuses/0/resourceClaimName")
                        .asText();
                return name.isEmpty() ? "" : claim(plane, name);
            }
        }
        return "";
    }

    private static String claim(ControlPlane plane, String name) {
        JsonNode status = get(plane, "resourceclaim/" + name).path("status");
        JsonNode result = status.at("/allocation/devices/results/0");
        return status.at("/allocation/nodeSelector/nodeSelectorTerms/0/matchFields/0/values/0")
                        .asText() + ": "
                + result.path("device").asText() + " for "
                + status.at("/reservedFor/0/name").asText();
    }

    private static String text(ControlPlane plane, String object, String pointer) {
        return get(plane, object).at(pointer).asText();
    }

    private static JsonNode get(ControlPlane plane, String what) {
        try {
            return JSON.readTree(plane.kubectl("get", what, "-o", "json"));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    // Each look takes kubectl a moment, so there is no need to wait in between.
    private static <T extends Map<String, String>> T until(Supplier<T> look, Map<String, String> wanted) {
        Instant deadline = Instant.now().plus(AT_LAST);
        while (true) {
            T seen = look.get();
            if (seen.equals(wanted) || Instant.now().isAfter(deadline)) {
                return seen;
            }
        }
    }
}
