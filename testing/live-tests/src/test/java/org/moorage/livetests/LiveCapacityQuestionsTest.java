// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The story of {@code examples/controller} and {@code examples/operator}: while pods come and go and the API server is started anew, they
 * answer how many more pods fit, and kube-scheduler then binds exactly so many.
 */
@Tag("live")
class LiveCapacityQuestionsTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration SOON = Duration.ofSeconds(40);
    private static final String LIMITS = """
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
        Path jar = example.jar();
        try (ControlPlane plane = ControlPlane.start(Map.of("CONTROLLERS", "1"));
                RunningProgram kubeScheduler = kubeScheduler(plane)) {
            plane.create(Files.readString(example.file("crd.yaml")));
            plane.kubectl("wait", "crd/capacityquestions.example.com", "--for=condition=Established");
            plane.create(node("n1") + node("n2") + node("n3"));
            plane.create(LIMITS);
            try (RunningProgram program = RunningProgram.start(
                    plane.folder().resolve("log").resolve("example.log"),
                    List.of("env", "KUBECONFIG=" + plane.kubeconfig(), java(), "-jar", jar.toString()))) {
                plane.create(question("all", "default", "", spec("requests: {cpu: \"1\"}", "")));
                plane.create(
                        question("drained", "default", "withoutNodes: [n3, n9], ", spec("requests: {cpu: \"1\"}", "")));
                plane.create(question("limited", "team", "", spec("", "")));
                plane.create(question("gold", "default", "", spec("", "priorityClassName: gold, ")));
                awaitFits(plane, program, "all", 12);
                awaitFits(plane, program, "drained", 8);
                assertThat(answer(plane, "team", "limited", fits(24))
                                .path("byNode")
                                .size())
                        .isEqualTo(3);
                JsonNode refused = answer(
                        plane,
                        "default",
                        "gold",
                        answer -> !answer.path("refused").asText().isEmpty());
                assertThat(refused.path("refused").asText()).contains(REFUSED);
                assertThatThrownBy(() -> plane.create("{apiVersion: v1, kind: Pod, metadata: {name: gold}, spec: "
                                + spec("", "priorityClassName: gold, ") + "}"))
                        .hasMessageContaining(REFUSED);

                plane.create(deployment("first", 5));
                awaitFits(plane, program, "all", 7);
                plane.kubectl("scale", "deployment/first", "--replicas=2");
                awaitFits(plane, program, "all", 10);

                plane.restartApiServer();
                plane.create(node("n4"));
                awaitFits(plane, program, "all", 14);
                plane.kubectl("patch", "capacityquestion", "all", "--type=merge", "-p", "{\"spec\": {\"count\": 9}}");
                awaitFits(plane, program, "all", 9);
                plane.kubectl("patch", "capacityquestion", "all", "--type=merge", "-p", "{\"spec\": {\"count\": 99}}");
                awaitFits(plane, program, "all", 14);

                plane.create(deployment("rest", 17));
                await(plane, "pods", pods -> count(pods, true) == 2 + 14 && count(pods, false) == 3);
                awaitFits(plane, program, "all", 0);
                assertThat(answer(plane, "default", "all", fits(0))
                                .path("stoppedBy")
                                .asText())
                        .startsWith("0/4 nodes are available: 4 Insufficient cpu.");
                assertThat(kubeScheduler.isRunning()).isTrue();
                assertThat(program.isRunning()).isTrue();
                assertThat(program.terminate()).as(program.log()).isEqualTo(143);
            }
        }
    }

    @Test
    void answersOverHttp() throws IOException, InterruptedException {
        PluginProject example = new PluginProject("examples/spring-boot");
        Path jar = example.jar();
        int port = RunningProgram.freePort();
        try (ControlPlane plane = ControlPlane.start()) {
            plane.create(node("n1") + node("n2") + node("n3"));
            plane.create(LIMITS);
            try (RunningProgram program = RunningProgram.start(
                    plane.folder().resolve("log").resolve("example.log"),
                    List.of(
                            "env",
                            "KUBECONFIG=" + plane.kubeconfig(),
                            java(),
                            "-jar",
                            jar.toString(),
                            "--server.address=127.0.0.1",
                            "--server.port=" + port))) {
                URI fits = URI.create("http://127.0.0.1:" + port + "/fits?count=99");
                HttpResponse<String> limited = ask(
                        fits,
                        program,
                        "{\"metadata\": {\"namespace\": \"team\"}, \"spec\": {\"containers\":"
                                + " [{\"name\": \"main\", \"image\": \"app\"}]}}");
                assertThat(read(limited.body()).path("fits").asInt())
                        .as(limited.body())
                        .isEqualTo(24);
                HttpResponse<String> refused = ask(
                        fits,
                        program,
                        "{\"spec\": {\"priorityClassName\": \"gold\", \"containers\":"
                                + " [{\"name\": \"main\", \"image\": \"app\"}]}}");
                assertThat(refused.statusCode()).as(refused.body()).isEqualTo(422);
                assertThat(refused.body()).contains(REFUSED);
                assertThat(program.terminate()).as(program.log()).isEqualTo(143);
            }
        }
    }

    private static HttpResponse<String> ask(URI fits, RunningProgram program, String template)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(fits)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(template))
                .build();
        Instant deadline = Instant.now().plus(SOON);
        while (true) {
            try {
                return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            } catch (ConnectException notYet) {
                assertThat(Instant.now()).as(program.log()).isBefore(deadline);
            }
        }
    }

    private static RunningProgram kubeScheduler(ControlPlane plane) {
        return RunningProgram.start(
                plane.folder().resolve("log").resolve("kube-scheduler.log"),
                List.of(
                        plane.binaries().resolve("kube-scheduler").toString(),
                        "--kubeconfig=" + plane.kubeconfig(),
                        "--leader-elect=false",
                        "--secure-port=0"));
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
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

    private static void awaitFits(ControlPlane plane, RunningProgram program, String name, int pods) {
        JsonNode answer = answer(plane, "default", name, fits(pods));
        int onNodes = 0;
        for (JsonNode node : answer.path("byNode")) {
            onNodes += node.asInt();
        }
        assertThat(onNodes).as(program.log()).isEqualTo(pods);
    }

    private static JsonNode answer(ControlPlane plane, String namespace, String name, Predicate<JsonNode> done) {
        return await(
                        plane,
                        "capacityquestion/" + name,
                        question -> done.test(question.path("status"))
                                && question.at("/status/observedGeneration").asLong()
                                        == question.at("/metadata/generation").asLong(),
                        "-n",
                        namespace)
                .path("status");
    }

    private static long count(JsonNode pods, boolean isBound) {
        long count = 0;
        for (JsonNode pod : pods.path("items")) {
            boolean isUnschedulable =
                    pod.at("/status/conditions/0/reason").asText().equals("Unschedulable");
            count += (isBound ? !pod.at("/spec/nodeName").asText().isEmpty() : isUnschedulable) ? 1 : 0;
        }
        return count;
    }

    // Each look takes kubectl a moment, so there is no need to wait in between.
    private static JsonNode await(ControlPlane plane, String what, Predicate<JsonNode> done, String... more) {
        Instant deadline = Instant.now().plus(SOON);
        String[] arguments = new String[more.length + 4];
        System.arraycopy(new String[] {"get", what, "-o", "json"}, 0, arguments, 0, 4);
        System.arraycopy(more, 0, arguments, 4, more.length);
        while (true) {
            JsonNode seen = read(plane.kubectl(arguments));
            if (done.test(seen)) {
                return seen;
            }
            assertThat(Instant.now())
                    .as(() -> "not there in time, only: " + seen.toPrettyString())
                    .isBefore(deadline);
        }
    }

    private static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
