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
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The manifests in {@code deploy} on a real API server, and whether what they grant is enough for who works with it. */
@Tag("live")
class LiveDeploymentTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Path DEPLOY =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolve("../../deploy");

    /** Of the scores of a pod of a type. */
    private static final String QUESTION = """
            {"Pod": {"metadata": {"name": "next", "namespace": "default", "labels": {"podtype": "D"}}}, "NodeNames": ["n1", "n2"]}""";

    /**
     * What a folder deploys.
     *
     * @param folder its path
     * @param namespace its namespace
     * @param name the name of its Deployment
     * @param account its service account
     * @param scheduler the scheduler that pods name; empty if it schedules none
     */
    private record Deployed(String folder, String namespace, String name, String account, String scheduler) {}

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
    void areTakenAndGrantEnough() throws Exception {
        try (ControlPlane plane = ControlPlane.start()) {
            StringBuilder pods = new StringBuilder();
            for (Deployed deployed : ALL) {
                pods.append(pod(apply(plane, deployed), deployed)).append("---\n");
            }
            assertPodsAreAdmitted(plane, pods.toString());
            plane.create(node("n1") + node("n2"));
            moorageHasItsRights(plane);
            annotatorHasItsRights(plane);
            kubeSchedulerHasItsRights(plane);
            agentThatWatchesPodsHasItsRights(plane);
        }
    }

    /** What was applied, as it is then. */
    private static JsonNode apply(ControlPlane plane, Deployed deployed) {
        return json(plane, "apply", "-k", DEPLOY.resolve(deployed.folder).toString(), "-o", "json");
    }

    /** A pod as the Deployment would have it made. */
    private static String pod(JsonNode applied, Deployed deployed) {
        JsonNode deployment = JSON.missingNode();
        for (JsonNode object : applied.path("items")) {
            deployment = object.path("kind").asText().equals("Deployment") ? object : deployment;
        }
        assertThat(deployment.at("/metadata/name").asText()).as(deployed.folder).isEqualTo(deployed.name);
        ObjectNode pod = deployment.at("/spec/template").deepCopy();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        pod.withObject("/metadata")
                .put("name", deployed.folder.replace('/', '-'))
                .put("namespace", deployed.namespace);
        return pod + "\n";
    }

    /** The namespaces take only pods of the restricted standard, so that their security contexts must be complete. */
    private static void assertPodsAreAdmitted(ControlPlane plane, String pods) throws IOException {
        Path file = Files.writeString(plane.folder().resolve("pods.yaml"), pods);

        assertThat(plane.kubectl("create", "--dry-run=server", "-f", file.toString())
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

    private static JsonNode template(ControlPlane plane, Deployed deployed) {
        return json(plane, "get", "deployment", deployed.name, "-n", deployed.namespace, "-o", "json")
                .path("spec")
                .path("template");
    }

    private static void moorageHasItsRights(ControlPlane plane) throws Exception {
        Path config = Files.writeString(
                plane.folder().resolve("moorage.yaml"), config(plane, SECOND, "moorage-config", "scheduler.yaml"));
        try (RunningProgram moorage = container(
                plane,
                SECOND,
                "scheduler",
                Map.of("/etc/moorage/scheduler.yaml", config.toString(), "10259", port()),
                "--bind-address=127.0.0.1")) {
            assertSchedules(plane, SECOND, moorage);
        }
    }

    /** The pod that Moorage bound is counted. */
    private static void annotatorHasItsRights(ControlPlane plane) throws IOException {
        try (RunningProgram annotator = container(plane, ALLOCATION, "annotator", Map.of(), "--once")) {
            assertThat(annotator.await(SOON)).as(annotator.log()).isZero();
        }
        String node = plane.kubectl("get", "pod", "moorage-fits", "-o", "jsonpath={.spec.nodeName}");
        assertThat(plane.kubectl("get", "node", node, "-o", "jsonpath={.metadata.annotations}"))
                .contains("\"requested-cpu\":\"1\"", "\"free-cpu\":\"3999\"", "\"requested-pods\":\"1\"");
    }

    private static void kubeSchedulerHasItsRights(ControlPlane plane) throws Exception {
        apply(plane, SAFE);
        Ports ports = new Ports();
        try (RunningProgram agents = agents(plane, SAFE, ports);
                RunningProgram scheduler = kubeScheduler(plane, SAFE, ports)) {
            ServedAgent safe = ports.agent("5401");
            await(agents, safe::isHealthy);
            assertSchedules(plane, SAFE, scheduler);

            assertThat(safe.answers("predicates/safe-overload")).isPositive();
            assertThat(safe.answers("priorities/safe-balance")).isPositive();
            assertThat(agents.errors()).isEmpty();
        }
    }

    /** A pod that fails is no longer watched, and is read once more; what was learned is kept in a ConfigMap. */
    private static void agentThatWatchesPodsHasItsRights(ControlPlane plane) throws Exception {
        apply(plane, REWARDS);
        Ports ports = new Ports();
        try (RunningProgram agents = agents(plane, REWARDS, ports);
                RunningProgram scheduler = kubeScheduler(plane, REWARDS, ports)) {
            ServedAgent rewards = ports.agent("5405");
            await(agents, rewards::isHealthy);
            plane.create(typed("crashes"));
            String bad = nodeOf(plane, scheduler, "crashes");
            String other = bad.equals("n1") ? "n2" : "n1";
            assertThat(rewards.scores("priorities/rl-priority", QUESTION)).isEqualTo(Map.of(bad, 10L, other, 10L));

            plane.kubectl(
                    "patch", "pod", "crashes", "--subresource=status", "-p", "{\"status\": {\"phase\": \"Failed\"}}");

            Map<String, Long> lower = Map.of(bad, 9L, other, 10L);
            await(
                    agents,
                    () -> rewards.scores("priorities/rl-priority", QUESTION).equals(lower));
            plane.create(typed("next"));
            assertThat(nodeOf(plane, scheduler, "next")).isEqualTo(other);
            String[] kept = {"get", "configmap", "rewards", "-n", REWARDS.namespace, "-o", "jsonpath={.data.D}"};
            await(agents, () -> plane.kubectl(kept).contains("{\"" + bad + "\":0.9}"));
            assertThat(agents.errors()).isEmpty();
            assertThat(scheduler.log()).doesNotContainIgnoringCase("forbidden");
        }
    }

    private static String typed(String name) {
        return "{apiVersion: v1, kind: Pod, metadata: {name: " + name
                + ", labels: {podtype: D}}, spec: {schedulerName: " + REWARDS.scheduler
                + ", containers: [{name: main, image: app}]}}";
    }

    private static String nodeOf(ControlPlane plane, RunningProgram scheduler, String pod) throws Exception {
        String[] node = {"get", "pod", pod, "-o", "jsonpath={.spec.nodeName}"};
        await(scheduler, () -> !plane.kubectl(node).isEmpty());
        return plane.kubectl(node);
    }

    /** Free ports in place of those of the agents, which others on this machine may have taken. */
    private static final class Ports {
        private final Map<String, String> free = new LinkedHashMap<>();

        Ports() {
            for (String port : List.of("5401", "5402", "5403", "5404", "5405")) {
                free.put(port, port());
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

    private static RunningProgram agents(ControlPlane plane, Deployed deployed, Ports ports) throws IOException {
        Path config = Files.writeString(
                plane.folder().resolve("extender.yaml"),
                ports.in(config(plane, deployed, "agents-config", "extender.yaml")));
        return container(
                plane,
                deployed,
                "agents",
                Map.of("/etc/moorage/extender.yaml", config.toString(), "0.0.0.0", "127.0.0.1"));
    }

    private static RunningProgram kubeScheduler(ControlPlane plane, Deployed deployed, Ports ports) throws IOException {
        Path kubeconfig = kubeconfig(plane, deployed);
        // In its pod it finds its credentials by itself.
        String config = ports.in(config(plane, deployed, "my-scheduler-config", "scheduler.yaml"))
                + "clientConnection: {kubeconfig: '" + kubeconfig + "'}\n";
        Path file = Files.writeString(plane.folder().resolve("kube-scheduler.yaml"), config);
        return RunningProgram.start(
                log(plane, "kube-scheduler-" + deployed.scheduler),
                List.of(
                        plane.binaries().resolve("kube-scheduler").toString(),
                        "--config=" + file,
                        "--authentication-kubeconfig=" + kubeconfig,
                        "--authorization-kubeconfig=" + kubeconfig,
                        "--bind-address=127.0.0.1",
                        "--secure-port=" + port(),
                        "--v=2"));
    }

    /**
     * Runs what a container of a Deployment runs, by the launcher of the image and with a plugin in its folder, as the service account.
     *
     * @param replaced what differs outside of the pod, in its arguments
     * @param more further arguments
     */
    private static RunningProgram container(
            ControlPlane plane, Deployed deployed, String name, Map<String, String> replaced, String... more)
            throws IOException {
        JsonNode container = null;
        for (JsonNode each : template(plane, deployed).path("spec").path("containers")) {
            container = each.path("name").asText().equals(name) ? each : container;
        }
        assertThat(container).as("container %s of %s", name, deployed.folder).isNotNull();
        Map<String, String> changes = new LinkedHashMap<>(replaced);
        List<String> command = new ArrayList<>(List.of(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                "MOORAGE_CLASSPATH=" + RunningProgram.applicationClassPath(),
                "MOORAGE_CACHE="));
        for (JsonNode variable : container.path("env")) {
            String value = variable.path("value").asText();
            command.add(variable.path("name").asText() + "=" + value);
            changes.put("$(" + variable.path("name").asText() + ")", value);
        }
        command.add(launcher(plane).toString());
        for (JsonNode argument : container.path("args")) {
            String text = argument.asText();
            for (Map.Entry<String, String> change : changes.entrySet()) {
                text = text.replace(change.getKey(), change.getValue());
            }
            command.add(text);
        }
        command.add("--kubeconfig=" + kubeconfig(plane, deployed));
        command.addAll(List.of(more));
        return RunningProgram.start(log(plane, name + "-" + deployed.folder.replace('/', '-')), command);
    }

    private static Path launcher(ControlPlane plane) throws IOException {
        Path home = plane.folder().resolve("image");
        Path launcher = home.resolve("bin").resolve("moorage");
        if (!Files.exists(launcher)) {
            Path jar = new PluginProject("plugins-safe").jar();
            Files.copy(jar, Files.createDirectories(home.resolve("plugins")).resolve(jar.getFileName()));
            Files.createDirectories(launcher.getParent());
            Files.copy(
                    DEPLOY.resolve("archive").resolve("bin").resolve("moorage"),
                    launcher,
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
        return launcher;
    }

    /** A pod that fits is bound, of one that does not the condition and an event tell, and nothing was forbidden. */
    private static void assertSchedules(ControlPlane plane, Deployed deployed, RunningProgram program)
            throws Exception {
        String fits = deployed.scheduler + "-fits";
        String hopeless = deployed.scheduler + "-hopeless";
        plane.create(pod(fits, deployed.scheduler, "1m") + "---\n" + pod(hopeless, deployed.scheduler, "64"));
        await(
                program,
                () -> !plane.kubectl("get", "pod", fits, "-o", "jsonpath={.spec.nodeName}")
                        .isEmpty());
        await(
                program,
                () -> plane.kubectl("get", "pod", hopeless, "-o", "jsonpath={.status.conditions[0].reason}")
                        .equals("Unschedulable"));
        await(
                program,
                () -> plane.kubectl("get", "events.events.k8s.io", "-o", "jsonpath={.items[*].regarding.name}")
                        .contains(hopeless));
        assertThat(plane.kubectl(
                        "get",
                        "lease",
                        deployed.name,
                        "-n",
                        deployed.namespace,
                        "-o",
                        "jsonpath={.spec.holderIdentity}"))
                .isNotEmpty();
        assertThat(program.log()).doesNotContainIgnoringCase("forbidden");
        program.terminate();
    }

    private static String pod(String name, String scheduler, String cpu) {
        return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {schedulerName: " + scheduler
                + ", containers: [{name: main, image: app, resources: {requests: {cpu: \"" + cpu + "\"}}}]}\n";
    }

    /** The administrator's kubeconfig with a token of the service account in place of the administrator's. */
    private static Path kubeconfig(ControlPlane plane, Deployed deployed) throws IOException {
        String token = plane.kubectl("create", "token", deployed.account, "-n", deployed.namespace)
                .strip();
        String text = Files.readString(plane.kubeconfig());
        String replaced = text.replaceFirst("token: [^},\\s]+", "token: " + token);
        assertThat(replaced).isNotEqualTo(text);
        return Files.writeString(plane.folder().resolve("kubeconfig-" + deployed.account), replaced);
    }

    private static String config(ControlPlane plane, Deployed deployed, String configMap, String file) {
        return json(plane, "get", "configmap", configMap, "-n", deployed.namespace, "-o", "json")
                .path("data")
                .path(file)
                .asText();
    }

    private static JsonNode json(ControlPlane plane, String... arguments) {
        try {
            return JSON.readTree(plane.kubectl(arguments));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path log(ControlPlane plane, String name) {
        return plane.folder().resolve("log").resolve(name + ".log");
    }

    private static String port() {
        return String.valueOf(RunningProgram.freePort());
    }

    // Each look takes kubectl a moment, so there is no need to wait in between.
    private static void await(RunningProgram program, Callable<Boolean> done) throws Exception {
        Instant deadline = Instant.now().plus(SOON);
        while (!done.call()) {
            assertThat(Instant.now()).as(program.log()).isBefore(deadline);
        }
    }
}
