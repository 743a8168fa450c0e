// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The real kube-scheduler places pods, and evicts others, by what kube-safe-scheduler's agents, plugins in a jar, answer through {@code
 * moorage extender}.
 */
@Tag("live")
class LiveExtenderServerTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int PODS = 4;

    /** The agents, each with a kube-scheduler of that name, and the node that each prefers. Only {@code named} is sent names of nodes. */
    private static final Map<String, String> NODE_BY_AGENT =
            Map.of("whole", "idle", "named", "idle", "congestion", "half", "pigeon", "hot");

    /** Those that ask how likely a node is to be overloaded. */
    private static final Set<String> SAFE = Set.of("whole", "named");

    /** What is free of 8 CPUs, as measured: on the first two nodes the standard deviation is small. */
    private static final String NODES =
            node("idle", "16Gi", measured(4300, 100) + "congestion-factor: \"90\", requested-cpu: \"7000\"")
                    + node("half", "16Gi", measured(3000, 1000) + "congestion-factor: \"10\", requested-cpu: \"4000\"")
                    + node("hot", "16Gi", measured(500, 400) + "congestion-factor: \"50\"");

    /**
     * Two nodes that are full. To evict from the warm one would do less harm, but for the risk of overload there, which does not become
     * less by it.
     */
    private static final String FULL = node("cool", "1Gi", measured(7000, 100))
            + node("warm", "1Gi", measured(500, 400))
            + """
            ---
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata: {name: some}
            value: 10
            ---
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata: {name: high}
            value: 1000
            """
            + prioritized("on-cool", "some", "nodeName: cool")
            + prioritized("on-warm", "\"\"", "nodeName: warm")
            + prioritized("urgent", "high", "schedulerName: named, nodeSelector: {size: 1Gi}");

    private static String measured(int free, int deviation) {
        return "mean-free-cpu: \"%d\", std-free-cpu: \"%d\", ".formatted(free, deviation);
    }

    private static String node(String name, String memory, String annotations) {
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: %1$s, labels: {size: %2$s}, annotations: {%3$s}}
                status:
                  allocatable: {cpu: "8", memory: %2$s, pods: "110"}
                  capacity: {cpu: "8", memory: %2$s, pods: "110"}
                """.formatted(name, memory, annotations);
    }

    // Nobody is there to end it, so it has no time to end in.
    private static String prioritized(String name, String priority, String more) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec:
                  {priorityClassName: %s, terminationGracePeriodSeconds: 0, %s,
                   containers: [{name: c, image: i, resources: {requests: {cpu: 100m, memory: 700Mi}}}]}
                """.formatted(name, priority, more);
    }

    private static String pod(String scheduler, String name, String cpu) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s-%s}
                spec:
                  schedulerName: %s
                  containers: [{name: c, image: i, resources: {requests: {cpu: %s, memory: 64Mi}}}]
                """.formatted(scheduler, name, scheduler, cpu);
    }

    private static String extenders(ControlPlane plane, Map<String, ServedAgent> agents) {
        return """
                apiVersion: moorage.org/v1
                kind: ExtenderConfiguration
                clientConnection: {kubeconfig: "%s"}
                agents:
                - name: whole
                  port: %d
                  plugins:
                  - {name: SafeOverload, maxScore: 10, args: {originalBehavior: true}}
                  - {name: SafeBalance, maxScore: 10, weight: 10, args: {originalBehavior: true}}
                - name: named
                  port: %d
                  nodeCache: true
                  plugins:
                  - {name: SafeOverload}
                  - {name: SafeBalance, weight: 10}
                - name: congestion
                  port: %d
                  plugins:
                  - {name: Congestion, maxScore: 10, args: {originalBehavior: true}}
                - name: pigeon
                  port: %d
                  plugins:
                  - {name: PigeonHoling, maxScore: 10, args: {originalBehavior: true, objective: LOAD_BALANCE}}
                """.formatted(
                        plane.kubeconfig(),
                        agents.get("whole").port(),
                        agents.get("named").port(),
                        agents.get("congestion").port(),
                        agents.get("pigeon").port());
    }

    private static String scheduler(ControlPlane plane, String name, int port, String verbs) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
                profiles:
                - schedulerName: %s
                extenders:
                - urlPrefix: http://127.0.0.1:%d/scheduler
                  weight: 10
                  httpTimeout: 10s
                """.formatted(plane.kubeconfig(), name, port) + verbs.indent(2);
    }

    @Test
    void hasPodsFollowTheAnswersWithWholeNodesAndWithNames() throws Exception {
        try (ControlPlane plane = ControlPlane.start()) {
            plane.create(NODES);
            Map<String, ServedAgent> agents = new TreeMap<>();
            NODE_BY_AGENT.keySet().forEach(name -> agents.put(name, new ServedAgent(RunningProgram.freePort())));
            try (RunningProgram extender = extender(plane, agents);
                    RunningProgram whole = kubeScheduler(
                            plane,
                            "whole",
                            agents,
                            "filterVerb: predicates/safe-overload\nprioritizeVerb: priorities/safe-balance\n");
                    RunningProgram named = kubeScheduler(
                            plane,
                            "named",
                            agents,
                            "filterVerb: filter\nprioritizeVerb: prioritize\npreemptVerb: preempt\n"
                                    + "nodeCacheCapable: true\n");
                    RunningProgram congestion =
                            kubeScheduler(plane, "congestion", agents, "prioritizeVerb: priorities/congestion\n");
                    RunningProgram pigeon =
                            kubeScheduler(plane, "pigeon", agents, "prioritizeVerb: priorities/pigeon-holing\n")) {
                StringBuilder pods = new StringBuilder();
                Map<String, String> expected = new TreeMap<>();
                NODE_BY_AGENT.forEach((agent, node) -> {
                    for (int i = 0; i < PODS; i++) {
                        pods.append(pod(agent, "p" + i, "100m"));
                        expected.put(agent + "-p" + i, node);
                    }
                });
                // Both fit beside the pods of pigeon: the second scheduler knows what the first has bound.
                SAFE.forEach(agent -> pods.append(pod(agent, "demanding", "3800m")));
                plane.create(pods.toString());

                Map<String, String> nodes = until(
                        () -> nodesByPod(plane),
                        seen -> seen.size() == expected.size(),
                        () -> extender.log() + "whole:\n" + whole.log() + "named:\n" + named.log() + "congestion:\n"
                                + congestion.log() + "pigeon:\n" + pigeon.log());
                assertThat(nodes).as(extender.log()).isEqualTo(expected);
                Map<String, String> messages =
                        until(() -> messagesByPod(plane), seen -> seen.size() == SAFE.size(), extender::log);
                assertThat(messages.keySet()).containsExactly("named-demanding", "whole-demanding");
                assertThat(messages.values())
                        .allSatisfy(message -> assertThat(message)
                                .startsWith("0/3 nodes are available: 1 risk cpu=")
                                .contains(" > 0.30 (mu=0.9375 sigma=0.0125)"));

                assertPodsFollowAChange(plane, extender);
                assertVictimsAreThoseThatHelp(plane, agents.get("named"), named);
                assertThat(extender.errors()).as("errors in the log").isEmpty();
                assertThat(extender.terminate()).as(extender.log()).isZero();
            }
        }
    }

    private static void assertPodsFollowAChange(ControlPlane plane, RunningProgram extender) throws Exception {
        plane.kubectl("annotate", "--overwrite", "node", "hot", "mean-free-cpu=8000", "std-free-cpu=0");

        Map<String, String> nodes = until(
                () -> nodesByPod(plane),
                seen -> seen.containsKey("named-demanding") && seen.containsKey("whole-demanding"),
                extender::log);
        assertThat(nodes).containsEntry("named-demanding", "hot").containsEntry("whole-demanding", "hot");
    }

    private static void assertVictimsAreThoseThatHelp(ControlPlane plane, ServedAgent agent, RunningProgram scheduler)
            throws Exception {
        assertThat(agent.answers("preempt")).isZero();
        plane.create(FULL);

        Map<String, String> nodes = until(() -> nodesByPod(plane), seen -> seen.containsKey("urgent"), scheduler::log);
        assertThat(nodes)
                .containsEntry("urgent", "cool")
                .containsEntry("on-warm", "warm")
                .doesNotContainKey("on-cool");
        assertThat(agent.answers("preempt")).isPositive();
    }

    private static RunningProgram extender(ControlPlane plane, Map<String, ServedAgent> agents) throws Exception {
        Path config = Files.writeString(plane.folder().resolve("extender.yaml"), extenders(plane, agents));
        RunningProgram extender = RunningProgram.start(
                plane.folder().resolve("log").resolve("extender.log"),
                PluginProject.java(
                        List.of(),
                        "org.moorage.app.Main",
                        "extender",
                        "--config=" + config,
                        "--plugin-dir=" + new PluginProject("plugins-safe").pluginDirectory()));
        for (ServedAgent agent : agents.values()) {
            boolean healthy = until(agent::isHealthy, seen -> seen, extender::log);
            assertThat(healthy).isTrue();
        }
        return extender;
    }

    private static RunningProgram kubeScheduler(
            ControlPlane plane, String name, Map<String, ServedAgent> agents, String verbs) throws IOException {
        Path config = Files.writeString(
                plane.folder().resolve(name + ".yaml"),
                scheduler(plane, name, agents.get(name).port(), verbs));
        return RunningProgram.start(
                plane.folder().resolve("log").resolve(name + ".log"),
                List.of(
                        plane.binaries().resolve("kube-scheduler").toString(),
                        "--config=" + config,
                        "--secure-port=0",
                        "--v=2"));
    }

    private static Map<String, String> nodesByPod(ControlPlane plane) {
        Map<String, String> nodes = new TreeMap<>();
        for (JsonNode pod : pods(plane)) {
            if (pod.at("/spec").has("nodeName")) {
                nodes.put(
                        pod.at("/metadata/name").asText(),
                        pod.at("/spec/nodeName").asText());
            }
        }
        return nodes;
    }

    private static Map<String, String> messagesByPod(ControlPlane plane) {
        Map<String, String> messages = new TreeMap<>();
        for (JsonNode pod : pods(plane)) {
            for (JsonNode condition : pod.at("/status/conditions")) {
                if (condition.path("reason").asText().equals("Unschedulable")) {
                    messages.put(
                            pod.at("/metadata/name").asText(),
                            condition.path("message").asText());
                }
            }
        }
        return messages;
    }

    private static JsonNode pods(ControlPlane plane) {
        try {
            return JSON.readTree(plane.kubectl("get", "pods", "-o", "json")).path("items");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    // Each look takes a moment, so there is no need to wait in between.
    private static <T> T until(Callable<T> look, Predicate<T> done, Supplier<String> state) throws Exception {
        Instant deadline = Instant.now().plus(LIMIT);
        while (true) {
            T seen = look.call();
            if (done.test(seen)) {
                return seen;
            }
            if (Instant.now().isAfter(deadline)) {
                throw new AssertionError("not there in time, only " + seen + "\n" + state.get());
            }
        }
    }
}
