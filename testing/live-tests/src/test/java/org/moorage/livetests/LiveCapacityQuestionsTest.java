// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.KUBE_SCHEDULER;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Moorage;
import org.moorage.livetests.scene.PluginProject;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * {@code examples/controller}, {@code examples/operator} and {@code examples/spring-boot}: while pods come and go and
 * the API server restarts, they answer how many more pods fit, and kube-scheduler then binds exactly that many.
 */
@Tag("live")
class LiveCapacityQuestionsTest {
    private static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
    private static final String LIMITS = """
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: team}}
            ---
            {apiVersion: v1, kind: LimitRange, metadata: {name: cpu, namespace: team},
             spec: {limits: [{type: Container, defaultRequest: {cpu: 500m}}]}}
            """;
    private static final String REFUSED = "no PriorityClass with name gold was found";

    @ParameterizedTest
    @ValueSource(strings = {"examples/controller", "examples/operator"})
    void answersWhatKubeSchedulerThenDoes(String path) throws IOException {
        PluginProject example = new PluginProject(path);
        List<String> command =
                List.of(Moorage.javaProgram("java"), "-jar", example.jar().toString());
        try (Scene scene = Scene.withControllers()) {
            SchedulerProcess kubeScheduler = scene.scheduler(KUBE_SCHEDULER).start();
            scene.create(Files.readString(example.file("crd.yaml")));
            scene.create(node("n1") + node("n2") + node("n3") + LIMITS);
            RunningProgram program = scene.start("example", withKubeconfig(scene, command));
            scene.create(question("all", "default", "", spec("requests: {cpu: \"1\"}", "")));
            scene.create(
                    question("drained", "default", "withoutNodes: [n3, n9], ", spec("requests: {cpu: \"1\"}", "")));
            scene.create(question("limited", "team", "", spec("", "")));
            scene.create(question("gold", "default", "", spec("", "priorityClassName: gold, ")));
            awaitFits(scene, "all", 12);
            awaitFits(scene, "drained", 8);
            assertThat(answer(scene, "team", "limited", fits(24)).path("byNode").size())
                    .isEqualTo(3);
            JsonNode refused = answer(
                    scene,
                    "default",
                    "gold",
                    answer -> !answer.path("refused").asText().isEmpty());
            assertThat(refused.path("refused").asText()).contains(REFUSED);
            assertThatThrownBy(() -> scene.create("{apiVersion: v1, kind: Pod, metadata: {name: gold}, spec: "
                            + spec("", "priorityClassName: gold, ") + "}"))
                    .hasMessageContaining(REFUSED);

            scene.create(deployment("first", 5));
            awaitFits(scene, "all", 7);
            scene.api().patch(DEPLOYMENTS + "/first", "{\"spec\": {\"replicas\": 2}}");
            awaitFits(scene, "all", 10);

            scene.plane().restartApiServer();
            scene.create(node("n4"));
            awaitFits(scene, "all", 14);
            scene.api().patch(path("default", "all"), "{\"spec\": {\"count\": 9}}");
            awaitFits(scene, "all", 9);
            scene.api().patch(path("default", "all"), "{\"spec\": {\"count\": 99}}");
            awaitFits(scene, "all", 14);

            scene.create(deployment("rest", 17));
            List<JsonNode> ignored = scene.await(
                    "16 pods are bound and 3 are unschedulable",
                    () -> scene.api().items(ApiAccess.PODS),
                    pods -> count(pods, true) == 2 + 14 && count(pods, false) == 3);
            awaitFits(scene, "all", 0);
            assertThat(answer(scene, "default", "all", fits(0))
                            .path("stoppedBy")
                            .asText())
                    .startsWith("0/4 nodes are available: 4 Insufficient cpu.");
            assertThat(kubeScheduler.program().isRunning()).isTrue();
            assertThat(program.isRunning()).isTrue();
            assertThat(program.terminate()).as(program.log()).isEqualTo(143);
        }
    }

    @Test
    void answersOverHttp() {
        PluginProject example = new PluginProject("examples/spring-boot");
        try (Scene scene = Scene.open()) {
            int port = scene.port();
            List<String> command = List.of(
                    Moorage.javaProgram("java"),
                    "-jar",
                    example.jar().toString(),
                    "--server.address=127.0.0.1",
                    "--server.port=" + port);
            scene.create(node("n1") + node("n2") + node("n3") + LIMITS);
            RunningProgram program = scene.start("example", withKubeconfig(scene, command));
            scene.await(
                    "the example serves: " + program.logFile(),
                    () -> program.log().contains("Tomcat started on port"));
            URI fits = URI.create("http://127.0.0.1:" + port + "/fits?count=99");
            HttpResponse<String> limited = ask(
                    fits,
                    "{\"metadata\": {\"namespace\": \"team\"}, \"spec\": {\"containers\":"
                            + " [{\"name\": \"main\", \"image\": \"app\"}]}}");
            assertThat(ApiAccess.parse(limited.body()).path("fits").asInt())
                    .as(limited.body())
                    .isEqualTo(24);
            HttpResponse<String> refused = ask(
                    fits,
                    "{\"spec\": {\"priorityClassName\": \"gold\", \"containers\":"
                            + " [{\"name\": \"main\", \"image\": \"app\"}]}}");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(422);
            assertThat(refused.body()).contains(REFUSED);
            assertThat(program.terminate()).as(program.log()).isEqualTo(143);
        }
    }

    private static HttpResponse<String> ask(URI fits, String template) {
        HttpRequest request = HttpRequest.newBuilder(fits)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(template))
                .build();
        return ApiAccess.exchange(HttpClient.newHttpClient(), request, HttpResponse.BodyHandlers.ofString());
    }

    private static List<String> withKubeconfig(Scene scene, List<String> command) {
        List<String> all =
                new ArrayList<>(List.of("env", "KUBECONFIG=" + scene.plane().kubeconfig()));
        all.addAll(command);
        return all;
    }

    private static String node(String name) {
        return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name
                + "}, status: {allocatable: {cpu: \"4\", memory: 8Gi, pods: \"110\"}}}\n";
    }

    private static String spec(String resources, String more) {
        return "{" + more + "terminationGracePeriodSeconds: 0, containers: [{name: main, image: app, resources: {"
                + resources + "}}]}";
    }

    private static String question(String name, String namespace, String more, String spec) {
        return "{apiVersion: example.com/v1, kind: CapacityQuestion, metadata: {name: " + name + ", namespace: "
                + namespace + "}, spec: {count: 99, " + more + "template: {spec: " + spec + "}}}";
    }

    private static String deployment(String name, int replicas) {
        return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: " + name + "}, spec: {replicas: " + replicas
                + ", selector: {matchLabels: {app: " + name + "}}, template: {metadata: {labels: {app: " + name
                + "}}, spec: "
                + spec("requests: {cpu: \"1\"}", "") + "}}}";
    }

    private static Predicate<JsonNode> fits(int pods) {
        return answer -> answer.path("fits").asInt(-1) == pods;
    }

    private static void awaitFits(Scene scene, String name, int pods) {
        JsonNode answer = answer(scene, "default", name, fits(pods));
        int onNodes = 0;
        for (JsonNode node : answer.path("byNode")) {
            onNodes += node.asInt();
        }
        assertThat(onNodes).as("%s", answer).isEqualTo(pods);
    }

    private static String path(String namespace, String name) {
        return "/apis/example.com/v1/namespaces/" + namespace + "/capacityquestions/" + name;
    }

    private static JsonNode answer(Scene scene, String namespace, String name, Predicate<JsonNode> done) {
        return scene.await(
                        "the answer to " + name,
                        () -> scene.api().get(path(namespace, name)),
                        question -> done.test(question.path("status"))
                                && question.at("/status/observedGeneration").asLong()
                                        == question.at("/metadata/generation").asLong())
                .path("status");
    }

    private static long count(List<JsonNode> pods, boolean isBound) {
        return pods.stream()
                .filter(pod -> isBound
                        ? !PodVersions.nodeName(pod).isEmpty()
                        : pod.at("/status/conditions/0/reason").asText().equals("Unschedulable"))
                .count();
    }
}
