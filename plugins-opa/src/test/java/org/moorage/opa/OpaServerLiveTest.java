// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.api.Status;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.Ports;
import org.moorage.testkit.TestScheduler;

/** Tests failures of a real OPA, and policies that are pushed to it. */
@Tag("live")
class OpaServerLiveTest {
    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Pod POD = Pods.named("p").build();
    private static final Status NO_NODE = Status.unschedulable("no node fits by the policy /io/k8s/scheduler/fit");

    private final HttpClient client = HttpClient.newHttpClient();

    @AutoClose
    private final Ports ports = new Ports();

    private final String port = "http://127.0.0.1:" + ports.next();
    private RealOpa opa;

    @TempDir
    private Path folder;

    @BeforeEach
    void startOpa() {
        opa = new RealOpa();
    }

    @AfterEach
    void stopOpa() {
        opa.close();
    }

    private TestScheduler start(String more) {
        String args = "mode: server, url: \"" + opa.url() + "\", policyServer: {address: \""
                + port.substring("http://".length()) + "\"}, policyDir: " + folder.resolve("pushed") + more;
        return PluginTester.of(new OpaPolicy.Factory(), TestArgs.of(args))
                .cluster(
                        Nodes.named("n1").annotation("weight", "1").build(),
                        Nodes.named("n2").annotation("weight", "2").build())
                .start();
    }

    private static String rego(String name) {
        try {
            return Files.readString(RESOURCES.resolve(name + ".rego"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void until(BooleanSupplier condition) {
        long end = System.nanoTime() + SOON.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time").isLessThan(end);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    @Test
    void podsFollowThePoliciesThatArePushed() {
        try (TestScheduler scheduler = start(", policies: []")) {
            scheduler.pod(POD).skipsFilter();

            assertThat(push("weights").statusCode()).isEqualTo(200);
            scheduler.pod(POD).scores("n1", 0).scores("n2", 100);

            // OPA-15: OPA's own words, and the old one keeps deciding.
            var refused = RealOpa.ask(client, port, "PUT", "/v1/policies/example", "package io.k8s.scheduler\nfit[\n");
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("invalid_parameter").contains("rego_parse_error");
            scheduler.pod(POD).scores("n1", 0).scores("n2", 100);

            assertThat(push("own").statusCode()).isEqualTo(200);
            scheduler.pod(POD).rejectsPod(NO_NODE);

            assertThat(RealOpa.ask(client, port, "GET", "/v1/policies", "").body())
                    .contains("\"id\":\"example\"");
            assertThat(RealOpa.ask(client, port, "GET", "/v1/policies/example/raw", "")
                            .body())
                    .isEqualTo(rego("own"));
            assertThat(RealOpa.ask(client, port, "DELETE", "/v1/policies/example", "")
                            .statusCode())
                    .isEqualTo(200);
            scheduler.pod(POD).skipsFilter();
        }
    }

    private HttpResponse<String> push(String name) {
        return RealOpa.ask(client, port, "PUT", "/v1/policies/example", rego(name));
    }

    // OPA-14.
    @Test
    void anOwnPolicySaysWhichPodsAreItsOwn() {
        OwnPolicyVector.check("mode: server, policies: [src/test/resources/own.rego], url: \"" + opa.url() + "\"");
        String asked = "/v1/data/io/k8s/scheduler/fit";
        assertThat(opa.ask("POST", asked, "{\"input\":{\"pod\":{\"spec\":{\"schedulerName\":\"x\"}}}}")
                        .body()
                        .strip())
                .isEqualTo("{\"result\":{\"a\":1,\"b\":1}}");
        assertThat(opa.ask("POST", asked, "{\"input\":{\"pod\":{\"spec\":{}}}}")
                        .body()
                        .strip())
                .isEqualTo("{\"result\":{}}");
    }

    // Of kinds other than pods and nodes it is what scheduling reads.
    @Test
    void objectsOfOtherKindsComeAndGo() throws IOException {
        JsonNode table =
                new YAMLMapper().readTree(RESOURCES.resolve("objects.yaml").toFile());
        try (TestScheduler scheduler = start(", policies: [" + RESOURCES.resolve("weights.rego") + "]")) {
            for (JsonNode row : table) {
                scheduler.cluster().apply(Vectors.decode((ObjectNode) row.path("object"), ClusterObject.class));
            }
            scheduler.pod(POD).accepts("n1", "n2");
            for (JsonNode row : table) {
                String resource = row.path("resource").asText();
                assertThat(data(resource)).hasSize(1).first().as(resource).isEqualTo(row.path("seen"));
            }
            for (JsonNode row : table) {
                scheduler.cluster().remove(Vectors.decode((ObjectNode) row.path("object"), ClusterObject.class));
            }
            scheduler.pod(POD).accepts("n1", "n2");
            for (JsonNode row : table) {
                assertThat(data(row.path("resource").asText())).isEmpty();
            }
        }
    }

    private JsonNode data(String resource) throws IOException {
        return new JsonMapper()
                .readTree(opa.ask("GET", "/v1/data/" + resource, "").body())
                .path("result");
    }

    @Test
    void aRestartedOpaIsGivenPoliciesAndObjectsAgain() {
        try (TestScheduler scheduler = start(", policies: []")) {
            push("weights");
            scheduler
                    .cluster()
                    .apply(Nodes.named("n3").annotation("weight", "3").build());
            scheduler.pod(POD).scores("n3", 100);

            opa.restart();

            scheduler.pod(POD).scores("n1", 0).scores("n2", 50).scores("n3", 100);
            assertThat(RealOpa.ask(client, port, "GET", "/metrics", "").body())
                    .contains("scheduler_opa_full_syncs_total{result=\"all\"} 2");

            // Also without a pod to decide about.
            opa.restart();
            until(() -> opa.ask("GET", "/v1/data/nodes", "").body().contains("n3"));
        }
        try (TestScheduler scheduler = start(", policies: []")) {
            opa.restart();
            scheduler.pod(POD).scores("n1", 0).scores("n2", 100);
        }
    }

    @Test
    void changesArriveBeforeTheNextPodIsDecided() {
        try (TestScheduler scheduler = start("")) {
            Pod first = Pods.named("first")
                    .requests("cpu", "3")
                    .requests("memory", "1Gi")
                    .build();
            Pod second = Pods.named("second")
                    .requests("cpu", "2")
                    .requests("memory", "1Gi")
                    .build();
            for (String name : new String[] {"n1", "n2"}) {
                scheduler
                        .cluster()
                        .apply(Nodes.named(name)
                                .allocatable("cpu", "4")
                                .allocatable("memory", "8Gi")
                                .build());
            }
            scheduler.pod(second).accepts("n1", "n2");
            scheduler.reserve(first, "n1");
            scheduler
                    .pod(second)
                    .rejects("n1", Status.unschedulable("node(s) didn't fit by the policy /io/k8s/scheduler/fit"));
            scheduler.unreserve(first);
            scheduler.pod(second).accepts("n1", "n2");
            scheduler.cluster().remove(Nodes.named("n1").build());
            scheduler.pod(second).accepts("n2");
            assertThat(opa.ask("GET", "/v1/data/nodes", "").body())
                    .doesNotContain("n1")
                    .contains("n2");
        }
    }

    @Test
    void anOpaThatDoesNotAnswerFailsTheAttemptOrIsIgnored() {
        try (TestScheduler scheduler = start(", timeout: 500ms")) {
            opa.stop();
            assertThat(scheduler.schedule(POD).message()).contains("OPA at " + opa.url());
        }
        try (TestScheduler scheduler = start(", timeout: 500ms, failurePolicy: Ignore")) {
            assertThat(scheduler.schedule(POD).node()).isPresent();
        }
    }

    @Test
    void filesAreFollowed() throws IOException {
        Path mounted = Files.createDirectories(folder.resolve("mounted"));
        Files.writeString(mounted.resolve("fit.rego"), rego("own"));
        try (TestScheduler scheduler = start(", policies: [" + mounted + "]")) {
            scheduler.pod(POD).rejectsPod(NO_NODE);

            Files.writeString(mounted.resolve("fit.rego"), "not a policy");
            Files.writeString(mounted.resolve("other.rego"), "package other\nimport rego.v1\nx := 1\n");
            until(() -> opa.ask("GET", "/v1/policies/other.rego", "").statusCode() == 200);
            scheduler.pod(POD).rejectsPod(NO_NODE);

            Files.writeString(mounted.resolve("fit.rego"), rego("weights"));
            until(() -> opa.ask("GET", "/v1/policies/fit.rego", "").body().contains("weight"));
            scheduler.pod(POD).accepts("n1", "n2");

            Files.delete(mounted.resolve("fit.rego"));
            until(() -> opa.ask("GET", "/v1/policies/fit.rego", "").statusCode() == 404);
            scheduler.pod(POD).skipsFilter();
        }
    }
}
