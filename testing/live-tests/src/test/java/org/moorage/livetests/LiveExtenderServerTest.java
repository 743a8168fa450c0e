// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.KUBE_SCHEDULER;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.PluginProject;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * The real kube-scheduler schedules and preempts pods by the responses of kube-safe-scheduler's agents, which are
 * plugins in a jar that {@code moorage extender} serves.
 */
@Tag("live")
class LiveExtenderServerTest {
    private static final int PODS = 4;

    /**
     * The preferred node of each agent, which has a kube-scheduler with its name. Only {@code named} receives node
     * names.
     */
    private static final Map<String, String> NODE_BY_AGENT =
            Map.of("whole", "idle", "named", "idle", "congestion", "half", "pigeon", "hot");

    /** The agents that compute the risk of overload. */
    private static final Set<String> SAFE = Set.of("whole", "named");

    /** The measured free part of 8 CPUs; the first two nodes have a small standard deviation. */
    private static final String NODES =
            node("idle", "16Gi", measured(4300, 100) + "congestion-factor: \"90\", requested-cpu: \"7000\"")
                    + node("half", "16Gi", measured(3000, 1000) + "congestion-factor: \"10\", requested-cpu: \"4000\"")
                    + node("hot", "16Gi", measured(500, 400) + "congestion-factor: \"50\"");

    /**
     * Two full nodes. Preemption on the warm node is less harmful, but evictions do not reduce its risk of overload.
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

    // No kubelet ends the pod, so it has no grace period.
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

    private static String extenders(Path kubeconfig, Map<String, ServedAgent> agents) {
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
                        kubeconfig,
                        agents.get("whole").port(),
                        agents.get("named").port(),
                        agents.get("congestion").port(),
                        agents.get("pigeon").port());
    }

    private static String scheduler(String name, int port, String verbs) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%%s", qps: 1000, burst: 1000}
                profiles:
                - schedulerName: %s
                extenders:
                - urlPrefix: http://127.0.0.1:%d/scheduler
                  weight: 10
                  httpTimeout: 10s
                """.formatted(name, port) + verbs.indent(2);
    }

    @Test
    void hasPodsFollowTheAnswersWithWholeNodesAndWithNames() {
        try (Scene scene = Scene.open()) {
            scene.create(NODES);
            Map<String, ServedAgent> agents = new TreeMap<>();
            NODE_BY_AGENT.keySet().forEach(name -> agents.put(name, new ServedAgent(scene.port())));
            RunningProgram extender = extender(scene, agents);
            kubeScheduler(
                    scene,
                    "whole",
                    agents,
                    "filterVerb: predicates/safe-overload\nprioritizeVerb: priorities/safe-balance\n");
            kubeScheduler(
                    scene,
                    "named",
                    agents,
                    "filterVerb: filter\nprioritizeVerb: prioritize\npreemptVerb: preempt\nnodeCacheCapable: true\n");
            kubeScheduler(scene, "congestion", agents, "prioritizeVerb: priorities/congestion\n");
            kubeScheduler(scene, "pigeon", agents, "prioritizeVerb: priorities/pigeon-holing\n");
            StringBuilder pods = new StringBuilder();
            Map<String, String> expected = new TreeMap<>();
            NODE_BY_AGENT.forEach((agent, node) -> {
                for (int i = 0; i < PODS; i++) {
                    pods.append(pod(agent, "p" + i, "100m"));
                    expected.put(agent + "-p" + i, node);
                }
            });
            // Both fit next to the pods of pigeon: the second scheduler sees the pods that the first has bound.
            SAFE.forEach(agent -> pods.append(pod(agent, "demanding", "3800m")));
            scene.create(pods.toString());
            Map<String, String> nodes = scene.await(
                    expected.size() + " pods are bound",
                    () -> nodesByPod(scene),
                    seen -> seen.size() == expected.size());
            assertThat(nodes).as(extender.log()).isEqualTo(expected);
            Map<String, String> messages = scene.await(
                    "demanding pods are unschedulable", () -> messagesByPod(scene), seen -> seen.size() == SAFE.size());
            assertThat(messages.keySet()).containsExactly("named-demanding", "whole-demanding");
            assertThat(messages.values())
                    .allSatisfy(message -> assertThat(message)
                            .startsWith("0/3 nodes are available: 1 risk cpu=")
                            .contains(" > 0.30 (mu=0.9375 sigma=0.0125)"));
            assertPodsFollowAChange(scene);
            assertVictimsAreThoseThatHelp(scene, agents.get("named"));
            assertThat(extender.errors()).as("errors in the log").isEmpty();
            assertThat(extender.terminate()).as(extender.log()).isZero();
        }
    }

    private static void assertPodsFollowAChange(Scene scene) {
        scene.api()
                .patch(
                        ApiAccess.NODES + "/hot",
                        "{\"metadata\": {\"annotations\": {\"mean-free-cpu\": \"8000\", \"std-free-cpu\": \"0\"}}}");
        assertThat(scene.awaitNode("named-demanding")).isEqualTo("hot");
        assertThat(scene.awaitNode("whole-demanding")).isEqualTo("hot");
    }

    private static void assertVictimsAreThoseThatHelp(Scene scene, ServedAgent agent) {
        assertThat(agent.answers("preempt")).isZero();
        scene.create(FULL);
        String ignored = scene.awaitNode("urgent");
        assertThat(nodesByPod(scene))
                .containsEntry("urgent", "cool")
                .containsEntry("on-warm", "warm")
                .doesNotContainKey("on-cool");
        assertThat(agent.answers("preempt")).isPositive();
    }

    private static RunningProgram extender(Scene scene, Map<String, ServedAgent> agents) {
        RunningProgram extender = scene.moorage(
                "extender",
                "extender",
                "--config="
                        + scene.write("extender.yaml", extenders(scene.plane().kubeconfig(), agents)),
                "--plugin-dir=" + new PluginProject("plugins-safe").pluginDirectory());
        agents.forEach((name, agent) -> scene.await("agent " + name + " is healthy", agent::isHealthy));
        return extender;
    }

    private static void kubeScheduler(Scene scene, String name, Map<String, ServedAgent> agents, String verbs) {
        SchedulerProcess ignored = scene.scheduler(KUBE_SCHEDULER)
                .named(name)
                .config(scheduler(name, agents.get(name).port(), verbs))
                .start();
    }

    private static Map<String, String> nodesByPod(Scene scene) {
        Map<String, String> nodes = new TreeMap<>();
        for (JsonNode pod : scene.api().items(ApiAccess.PODS)) {
            if (pod.at("/spec").has("nodeName")) {
                nodes.put(pod.at("/metadata/name").asText(), PodVersions.nodeName(pod));
            }
        }
        return nodes;
    }

    private static Map<String, String> messagesByPod(Scene scene) {
        Map<String, String> messages = new TreeMap<>();
        for (JsonNode pod : scene.api().items(ApiAccess.PODS)) {
            JsonNode condition = PodVersions.podScheduled(pod);
            if (condition.path("reason").asText().equals("Unschedulable")) {
                messages.put(
                        pod.at("/metadata/name").asText(),
                        condition.path("message").asText());
            }
        }
        return messages;
    }
}
