// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The manifests in {@code deploy} on a real API server, and whether what they grant is enough for who works with it. */
@Tag("live")
class LiveDeploymentTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Path DEPLOY =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolveSibling("deploy");

    /** A folder, its namespace, the name of its Deployment and service account, and the scheduler that pods name. */
    private record Deployed(String folder, String namespace, String name, String scheduler) {}

    private static final Deployed SECOND = new Deployed("second-scheduler", "moorage-system", "moorage", "moorage");
    private static final Deployed SAFE = agents("safe");

    private static Deployed agents(String folder) {
        return new Deployed("extender-agents/" + folder, "extender-agents", "my-scheduler", "my-scheduler");
    }

    private static final List<Deployed> ALL = List.of(
            SECOND,
            new Deployed("opa-policy", "moorage-opa", "moorage-opa", "moorage-opa"),
            new Deployed("network-traffic", "moorage-traffic", "moorage-traffic", "custom-scheduler"),
            agents("congestion"),
            agents("safe-congestion"),
            agents("pigeon"),
            SAFE);

    @Test
    void areTakenAndGrantEnough() throws IOException {
        try (ControlPlane plane = ControlPlane.start()) {
            for (Deployed deployed : ALL) {
                plane.kubectl("apply", "-k", DEPLOY.resolve(deployed.folder).toString());
                assertPodIsAdmitted(plane, deployed);
            }
            plane.create("""
                    apiVersion: v1
                    kind: Node
                    metadata: {name: n1}
                    status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, capacity: {cpu: "4", memory: 8Gi, pods: "110"}}
                    """);
            moorageHasItsRights(plane);
            kubeSchedulerHasItsRights(plane);
        }
    }

    /** The namespace takes only pods of the restricted standard, so that its security context must be complete. */
    private static void assertPodIsAdmitted(ControlPlane plane, Deployed deployed) throws IOException {
        JsonNode deployment = json(plane, "get", "deployment", deployed.name, "-n", deployed.namespace, "-o", "json");
        ObjectNode pod = deployment.path("spec").path("template").deepCopy();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        pod.withObject("/metadata").put("name", "trial").put("namespace", deployed.namespace);
        Path file = Files.writeString(plane.folder().resolve("pod.json"), pod.toString());

        assertThat(plane.kubectl("create", "--dry-run=server", "-f", file.toString()))
                .as(deployed.folder)
                .contains("pod/trial created (server dry run)");
    }

    private static void moorageHasItsRights(ControlPlane plane) throws IOException {
        Path kubeconfig = kubeconfig(plane, SECOND);
        Path config =
                Files.writeString(plane.folder().resolve("moorage.yaml"), config(plane, SECOND, "moorage-config"));
        try (RunningProgram moorage = RunningProgram.start(
                log(plane, "moorage"),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.moorage.app.Main",
                        "--config=" + config,
                        "--kubeconfig=" + kubeconfig,
                        "--bind-address=127.0.0.1",
                        "--secure-port=" + freePort(),
                        "--v=2"))) {
            assertSchedules(plane, SECOND, moorage);
        }
    }

    private static void kubeSchedulerHasItsRights(ControlPlane plane) throws IOException {
        Path kubeconfig = kubeconfig(plane, SAFE);
        HttpServer agent = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        agent.createContext("/scheduler/predicates/safe-overload", LiveDeploymentTest::allPass);
        agent.createContext("/scheduler/priorities/", exchange -> answer(exchange, JSON.createArrayNode()));
        agent.start();
        // In its pod it finds its credentials by itself.
        String config = config(plane, SAFE, "my-scheduler-config")
                        .replace(
                                "127.0.0.1:5401",
                                "127.0.0.1:" + agent.getAddress().getPort())
                + "clientConnection: {kubeconfig: '" + kubeconfig + "'}\n";
        Path file = Files.writeString(plane.folder().resolve("kube-scheduler.yaml"), config);
        try (RunningProgram scheduler = RunningProgram.start(
                log(plane, "kube-scheduler"),
                List.of(
                        plane.binaries().resolve("kube-scheduler").toString(),
                        "--config=" + file,
                        "--authentication-kubeconfig=" + kubeconfig,
                        "--authorization-kubeconfig=" + kubeconfig,
                        "--bind-address=127.0.0.1",
                        "--secure-port=" + freePort(),
                        "--v=2"))) {
            assertSchedules(plane, SAFE, scheduler);
        } finally {
            agent.stop(0);
        }
    }

    private static void allPass(HttpExchange exchange) throws IOException {
        JsonNode asked = JSON.readTree(exchange.getRequestBody());
        ObjectNode answer = JSON.createObjectNode();
        answer.set("Nodes", asked.path("Nodes"));
        answer(exchange, answer);
    }

    private static void answer(HttpExchange exchange, JsonNode answer) throws IOException {
        byte[] body = answer.toString().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** A pod that fits is bound, of one that does not the condition and an event tell, and nothing was forbidden. */
    private static void assertSchedules(ControlPlane plane, Deployed deployed, RunningProgram program) {
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
        String token = plane.kubectl("create", "token", deployed.name, "-n", deployed.namespace)
                .strip();
        String text = Files.readString(plane.kubeconfig());
        String replaced = text.replaceFirst("token: [^},\\s]+", "token: " + token);
        assertThat(replaced).isNotEqualTo(text);
        return Files.writeString(plane.folder().resolve("kubeconfig-" + deployed.name), replaced);
    }

    private static String config(ControlPlane plane, Deployed deployed, String configMap) {
        return json(plane, "get", "configmap", configMap, "-n", deployed.namespace, "-o", "json")
                .path("data")
                .path("scheduler.yaml")
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

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    // Each look takes kubectl a moment, so there is no need to wait in between.
    private static void await(RunningProgram program, BooleanSupplier done) {
        Instant deadline = Instant.now().plus(SOON);
        while (!done.getAsBoolean()) {
            assertThat(Instant.now()).as(program.log()).isBefore(deadline);
        }
    }
}
