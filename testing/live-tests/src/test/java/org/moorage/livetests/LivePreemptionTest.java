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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Preemption in the background on a real control plane: several pods at once, victims that take their time, a budget that
 * cannot be kept. The same objects are given to the real kube-scheduler on a control plane of its own, and both must go
 * through the same states.
 */
@Tag("live")
class LivePreemptionTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration AT_LAST = Duration.ofSeconds(30);

    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
            """;

    /** While a victim takes its time. Which of three like pods gets which of three like nodes is a matter of chance. */
    private static final SortedMap<String, String> WHILE_A_VICTIM_LEAVES = new TreeMap<>(Map.of(
            "pods on each-a", "crowd",
            "pods on each-b", "crowd",
            "pods on each-c", "crowd",
            "pods on slow-a", "slow-middle",
            "pods on slow-b", "slow-low (leaves: default-scheduler: preempting to accommodate a higher priority pod)",
            "pods on kept-a", "ruthless",
            "pods on polite-a", "seated",
            "waiting", "patient for slow-b, polite for ",
            "evicted", "a 4 b 4 c 4 kept 2 slow 1"));

    private static final SortedMap<String, String> WHEN_IT_IS_GONE = new TreeMap<>(WHILE_A_VICTIM_LEAVES);

    static {
        WHEN_IT_IS_GONE.put("pods on slow-b", "patient");
        WHEN_IT_IS_GONE.put("waiting", "polite for ");
    }

    /** The state while a victim leaves, and the one when it is gone. */
    private record States(SortedMap<String, String> before, SortedMap<String, String> after) {}

    @Test
    void makesRoomAsTheRealOneDoes() throws IOException {
        States ours = states(plane -> List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.moorage.app.Main",
                "--config=" + config(plane),
                "--secure-port=0"));
        States theirs = states(plane -> List.of(
                plane.binaries().resolve("kube-scheduler").toString(), "--config=" + config(plane), "--secure-port=0"));
        assertThat(ours).isEqualTo(theirs).isEqualTo(new States(WHILE_A_VICTIM_LEAVES, WHEN_IT_IS_GONE));
    }

    private static Path config(ControlPlane plane) {
        try {
            return Files.writeString(plane.folder().resolve("scheduler.yaml"), CONFIG.formatted(plane.kubeconfig()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static States states(Function<ControlPlane, List<String>> scheduler) throws IOException {
        try (ControlPlane plane = ControlPlane.start()) {
            plane.create(manifests());
            try (RunningProgram running = RunningProgram.start(
                    plane.folder().resolve("log").resolve("scheduler.log"), scheduler.apply(plane))) {
                SortedMap<String, String> before = until(plane, WHILE_A_VICTIM_LEAVES);
                // As its kubelet would have it once the containers have ended.
                plane.kubectl("delete", "pod", "slow-low", "--grace-period=0", "--force");
                SortedMap<String, String> after = until(plane, WHEN_IT_IS_GONE);
                assertThat(running.log()).doesNotContain("panic");
                return new States(before, after);
            }
        }
    }

    private static String manifests() throws IOException {
        try (var stream = LivePreemptionTest.class.getResourceAsStream("preemption.yaml")) {
            return new String(Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static SortedMap<String, String> state(ControlPlane plane) {
        SortedMap<String, String> state = new TreeMap<>();
        for (JsonNode pod : items(plane, "pods")) {
            String name = pod.at("/metadata/name").asText();
            String shown = name.startsWith("crowd-") ? "crowd" : name;
            String node = pod.at("/spec/nodeName").asText();
            if (node.isEmpty()) {
                add(
                        state,
                        "waiting",
                        shown + " for " + pod.at("/status/nominatedNodeName").asText());
            } else {
                add(state, "pods on " + node, shown + leaving(pod));
            }
        }
        // Victims rather than events: kube-scheduler may evict one twice, when its preemptor is tried again before it
        // is seen to leave.
        SortedMap<String, Set<String>> evicted = new TreeMap<>();
        for (JsonNode event : items(plane, "events.v1.events.k8s.io")) {
            if (event.path("reason").asText().equals("Preempted")) {
                String victim = event.at("/regarding/name").asText();
                evicted.computeIfAbsent(victim.substring(0, victim.indexOf('-')), group -> new HashSet<>())
                        .add(victim);
            }
        }
        evicted.forEach((group, victims) ->
                state.merge("evicted", group + " " + victims.size(), (all, one) -> all + " " + one));
        return state;
    }

    private static void add(Map<String, String> state, String key, String text) {
        state.merge(key, text, (all, one) -> all + ", " + one);
    }

    private static String leaving(JsonNode pod) {
        if (pod.at("/metadata/deletionTimestamp").isMissingNode()) {
            return "";
        }
        for (JsonNode condition : pod.at("/status/conditions")) {
            if (condition.path("type").asText().equals("DisruptionTarget")) {
                return " (leaves: " + condition.path("message").asText() + ")";
            }
        }
        return " (leaves)";
    }

    private static JsonNode items(ControlPlane plane, String kind) {
        try {
            return JSON.readTree(plane.kubectl("get", kind, "-o", "json")).path("items");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    // Each look takes kubectl a moment, so there is no need to wait in between.
    private static SortedMap<String, String> until(ControlPlane plane, SortedMap<String, String> wanted) {
        Instant deadline = Instant.now().plus(AT_LAST);
        while (true) {
            SortedMap<String, String> seen = state(plane);
            if (seen.equals(wanted) || Instant.now().isAfter(deadline)) {
                return seen;
            }
        }
    }
}
