// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;

/** The manifests in {@code deploy} on a real API server, and whether what they grant is enough for who works with it. */
@Tag("live")
class LiveDeploymentTest {
    /** Asks for the scores of a pod of a type. */
    private static final String QUESTION = """
        {"Pod": {"metadata": {"name": "next", "namespace": "default", "labels": {"podtype": "D"}}}, "NodeNames": ["n1", "n2"]}\
        """;

    private static final Deployed SECOND =
            new Deployed("second-scheduler", "moorage-system", "moorage", "moorage", "moorage");
    private static final Deployed SAFE = agents("safe", "my-scheduler");
    private static final Deployed REWARDS = agents("rl", "rl-scheduler");
    private static final Deployed ALLOCATION = annotator("allocation");

    private static Deployed agents(String folder, String scheduler) {
        return new Deployed("extender-agents/" + folder, "extender-agents", "my-scheduler", "my-scheduler", scheduler);
    }

    private static Deployed annotator(String folder) {
        return new Deployed("annotators/" + folder, "node-annotators", folder + "-annotator", "node-annotators", "");
    }

    private static final List<Deployed> ALL = List.of(
            SECOND,
            new Deployed("opa-policy", "moorage-opa", "moorage-opa", "moorage-opa", "moorage-opa"),
            new Deployed(
                    "network-traffic", "moorage-traffic", "moorage-traffic", "moorage-traffic", "custom-scheduler"),
            ALLOCATION,
            annotator("usage"),
            agents("congestion", "my-scheduler"),
            agents("safe-congestion", "my-scheduler"),
            agents("pigeon", "my-scheduler"),
            agents("safe-pigeon", "my-scheduler"),
            agents("foo", "my-scheduler"),
            SAFE,
            REWARDS);

    @Test
    void areTakenAndGrantEnough() throws IOException {
        try (Scene scene = Scene.open()) {
            StringBuilder pods = new StringBuilder();
            for (Deployed deployed : ALL) {
                pods.append(pod(apply(scene, deployed), deployed)).append("---\n");
            }
            assertPodsAreAdmitted(scene, pods.toString());
            scene.create(node("n1") + node("n2"));
            moorageHasItsRights(scene);
            annotatorHasItsRights(scene);
            kubeSchedulerHasItsRights(scene);
            agentThatWatchesPodsHasItsRights(scene);
        }
    }

    /** Applies a folder, and returns the objects. */
    private static JsonNode apply(Scene scene, Deployed deployed) {
        String folder = Deployed.DEPLOY.resolve(deployed.source()).toString();
        return ApiAccess.parse(scene.plane().kubectl("apply", "-k", folder, "-o", "json"));
    }

    /** A pod as the Deployment would have it made. */
    private static String pod(JsonNode applied, Deployed deployed) {
        JsonNode deployment = MissingNode.getInstance();
        for (JsonNode object : applied.path("items")) {
            deployment = object.path("kind").asText().equals("Deployment") ? object : deployment;
        }
        assertThat(deployment.at("/metadata/name").asText())
                .as(deployed.source())
                .isEqualTo(deployed.name());
        ObjectNode pod = deployment.at("/spec/template").deepCopy();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        pod.withObject("/metadata")
                .put("name", deployed.source().replace('/', '-'))
                .put("namespace", deployed.namespace());
        return pod + "\n";
    }

    /** The namespaces take only pods of the restricted standard, so that their security contexts must be complete. */
    private static void assertPodsAreAdmitted(Scene scene, String pods) {
        Path file = scene.write("pods.yaml", pods);

        assertThat(scene.plane()
                        .kubectl("create", "--dry-run=server", "-f", file.toString())
                        .lines())
                .hasSameSizeAs(ALL)
                .allMatch(line -> line.endsWith(" created (server dry run)"));
    }

    private static String node(String name) {
        return """
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: %s}
            status:
              conditions: [{type: Ready, status: "True"}]
              allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
              capacity: {cpu: "4", memory: 8Gi, pods: "110"}
            """.formatted(name);
    }

    private static void moorageHasItsRights(Scene scene) throws IOException {
        try (RunningProgram moorage = SECOND.runScheduler(scene)) {
            SECOND.assertSchedules(scene, moorage);
            assertThat(Deployed.holder(scene, SECOND.namespace(), SECOND.name()))
                    .isNotEmpty();
            moorage.terminate();
        }
    }

    /** The pod that Moorage bound is counted. */
    private static void annotatorHasItsRights(Scene scene) throws IOException {
        RunningProgram annotator = ALLOCATION.run(scene, "annotator", Map.of(), "--once");
        assertThat(annotator.await()).as(annotator.log()).isZero();
        String node = scene.awaitNode("moorage-fits");
        assertThat(scene.api()
                        .get(ApiAccess.NODES + "/" + node)
                        .at("/metadata/annotations")
                        .toString())
                .contains("\"requested-cpu\":\"1\"", "\"free-cpu\":\"3999\"", "\"requested-pods\":\"1\"");
    }

    private static void kubeSchedulerHasItsRights(Scene scene) throws IOException {
        apply(scene, SAFE);
        Ports ports = new Ports(scene);
        try (RunningProgram agents = agents(scene, SAFE, ports);
                RunningProgram scheduler = kubeScheduler(scene, SAFE, ports)) {
            ServedAgent safe = ports.agent("5401");
            scene.await("the agent is healthy", safe::isHealthy);
            SAFE.assertSchedules(scene, scheduler);
            assertThat(Deployed.holder(scene, SAFE.namespace(), SAFE.name())).isNotEmpty();
            assertThat(safe.answers("predicates/safe-overload")).isPositive();
            assertThat(safe.answers("priorities/safe-balance")).isPositive();
            assertThat(agents.errors()).isEmpty();
        }
    }

    /** A pod that fails is no longer watched, and is read once more; what was learned is kept in a ConfigMap. */
    private static void agentThatWatchesPodsHasItsRights(Scene scene) throws IOException {
        apply(scene, REWARDS);
        Ports ports = new Ports(scene);
        try (RunningProgram agents = agents(scene, REWARDS, ports);
                RunningProgram scheduler = kubeScheduler(scene, REWARDS, ports)) {
            ServedAgent rewards = ports.agent("5405");
            scene.await("the agent is healthy", rewards::isHealthy);
            scene.create(typed("crashes"));
            String bad = scene.awaitNode("crashes");
            String other = bad.equals("n1") ? "n2" : "n1";
            assertThat(rewards.scores("priorities/rl-priority", QUESTION)).isEqualTo(Map.of(bad, 10L, other, 10L));

            scene.api().patch(ApiAccess.PODS + "/crashes/status", "{\"status\": {\"phase\": \"Failed\"}}");
            Map<String, Long> lower = Map.of(bad, 9L, other, 10L);
            Map<String, Long> ignored =
                    scene.await("" + lower, () -> rewards.scores("priorities/rl-priority", QUESTION), lower::equals);
            scene.create(typed("next"));
            assertThat(scene.awaitNode("next")).isEqualTo(other);

            scene.await(
                    "the rewards are kept",
                    () -> scene.api().items("/api/v1/namespaces/" + REWARDS.namespace() + "/configmaps").stream()
                            .anyMatch(map -> map.at("/metadata/name").asText().equals("rewards")
                                    && map.at("/data/D").asText().contains("{\"" + bad + "\":0.9}")));
            assertThat(agents.errors()).isEmpty();
            assertThat(scheduler.log()).doesNotContainIgnoringCase("forbidden");
        }
    }

    private static String typed(String name) {
        return "{apiVersion: v1, kind: Pod, metadata: {name: " + name
                + ", labels: {podtype: D}}, spec: {schedulerName: " + REWARDS.scheduler()
                + ", containers: [{name: main, image: app}]}}";
    }

    /** Ports of the scene in place of those of the agents. */
    private static final class Ports {
        private final Map<String, String> free = new LinkedHashMap<>();

        Ports(Scene scene) {
            for (String port : List.of("5401", "5402", "5403", "5404", "5405")) {
                free.put(port, "" + scene.port());
            }
        }

        String in(String text) {
            String replaced = text;
            for (Map.Entry<String, String> port : free.entrySet()) {
                replaced = replaced.replace(port.getKey(), port.getValue());
            }
            return replaced;
        }

        ServedAgent agent(String port) {
            return new ServedAgent(Integer.parseInt(in(port)));
        }
    }

    private static RunningProgram agents(Scene scene, Deployed deployed, Ports ports) throws IOException {
        Path config = scene.write("extender.yaml", ports.in(deployed.config(scene, "agents-config", "extender.yaml")));
        return deployed.run(
                scene, "agents", Map.of("/etc/moorage/extender.yaml", config.toString(), "0.0.0.0", "127.0.0.1"));
    }

    private static RunningProgram kubeScheduler(Scene scene, Deployed deployed, Ports ports) {
        Path kubeconfig = deployed.kubeconfig(scene);
        // In its pod it finds its credentials by itself.
        String config = ports.in(deployed.config(scene, "my-scheduler-config", "scheduler.yaml"))
                + "clientConnection: {kubeconfig: '" + kubeconfig + "'}\n";
        return scene.start(
                "kube-scheduler-" + deployed.scheduler(),
                List.of(
                        scene.plane().binaries().resolve("kube-scheduler").toString(),
                        "--config=" + scene.write("kube-scheduler.yaml", config),
                        "--authentication-kubeconfig=" + kubeconfig,
                        "--authorization-kubeconfig=" + kubeconfig,
                        "--bind-address=127.0.0.1",
                        "--secure-port=" + scene.port(),
                        "--v=2"));
    }
}
