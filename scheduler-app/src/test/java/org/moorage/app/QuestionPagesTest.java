// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import okhttp3.Headers;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

@Tag("any-jvm")
class QuestionPagesTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Path FITTING = Path.of("..", "examples", "clusters", "stateful-set.yaml");
    private static final OkHttpClient CLIENT = client();
    private static @Nullable RunningUi ui;

    private static OkHttpClient client() {
        return new OkHttpClient.Builder()
                .sslSocketFactory(TrustingClient.sockets(), TrustingClient.TRUSTING)
                .hostnameVerifier((host, session) -> true)
                .build();
    }

    @BeforeAll
    static void serve() throws InterruptedException, ExecutionException, TimeoutException {
        ui = RunningUi.of("--now", CapturedRun.ZONES);
    }

    @AfterAll
    static void end() throws InterruptedException, ExecutionException, TimeoutException {
        if (ui != null) {
            ui.stop();
        }
    }

    private static String address() {
        return Objects.requireNonNull(ui, "ui").address();
    }

    private record Answer(int code, String text) {}

    private static Answer send(Request.Builder request) throws IOException {
        try (Response response = CLIENT.newCall(request.build()).execute()) {
            return new Answer(response.code(), response.body().string());
        }
    }

    private static Answer post(String question, String body, Map<String, String> headers) throws IOException {
        return send(new Request.Builder()
                .url("https://" + address() + "/api/v1/" + question)
                .headers(Headers.of(headers))
                .post(RequestBody.create(body.getBytes(UTF_8))));
    }

    private static Answer post(String question, String body) throws IOException {
        return post(question, body, Map.of("Content-Type", "application/json"));
    }

    private record Asked(String question, String arguments, List<String> words) {
        @Override
        public String toString() {
            return String.join(" ", words);
        }
    }

    static final List<Asked> ASKED = List.of(
            new Asked("drain", "{\"nodes\": [\"node-1\"]}", List.of("drain", "node-1")),
            new Asked(
                    "drain",
                    "{\"nodes\": [\"zone=a\"], \"deleteEmptydirData\": true, \"force\": true}",
                    List.of("drain", "zone=a", "--delete-emptydir-data", "--force")),
            new Asked("outage", "{\"nodes\": [\"zone=a\"]}", List.of("outage", "zone=a")),
            new Asked("explain", "{\"pod\": \"shop/web-1\"}", List.of("explain", "shop/web-1")),
            new Asked("scale-down", "{}", List.of("scale-down")),
            new Asked("rebalance", "{\"freeNodes\": true}", List.of("rebalance", "--free-nodes")),
            new Asked(
                    "compare",
                    "{\"otherEmulatedVersion\": [\"1.36\"]}",
                    List.of("compare", "--other-emulated-version", "1.36")),
            new Asked(
                    "scale-up",
                    "{\"types\": [\"node-1\"], \"maxNodes\": 3}",
                    List.of("scale-up", "node-1", "--max-nodes=3")));

    @ParameterizedTest
    @FieldSource("ASKED")
    void answersAsTheCommandLine(Asked asked) throws IOException {
        List<String> words = new ArrayList<>(asked.words);
        words.addAll(List.of("--cluster", CapturedRun.ZONES, "-o", "json"));
        CapturedRun run = CapturedRun.of(words.toArray(String[]::new));

        Answer answer = post(asked.question, asked.arguments);

        assertThat(answer.text())
                .isEqualTo("{\"exitCode\":" + run.exitCode() + ",\"answer\":" + JSON.readTree(run.out()) + "}");
        assertThat(answer.code()).isEqualTo(200);
    }

    @Test
    void answersAboutTheTextOfAManifest() throws IOException {
        String arguments = JSON.createObjectNode()
                .put("manifest", Files.readString(FITTING))
                .toString();
        CapturedRun run = CapturedRun.of("fit", FITTING.toString(), "--cluster", CapturedRun.ZONES, "-o", "json");

        assertThat(post("fit", arguments).text())
                .isEqualTo("{\"exitCode\":" + run.exitCode() + ",\"answer\":" + JSON.readTree(run.out()) + "}");
    }

    private record Refusal(
            String name, String question, String body, String type, String origin, int code, String text) {
        Refusal(String question, String body, String error) {
            this(error, question, body, "application/json", "", 400, "{\"error\":" + JSON.valueToTree(error) + "}");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Refusal> REFUSALS = List.of(
            new Refusal("drain", "{\"nodes\": [\"no\"]}", "node \"no\" is not among the 5 nodes of the cluster."),
            new Refusal("drain", "{}", "no node is named (expected: nodes to drain, or --selector)"),
            new Refusal("outage", "{\"x\": 1}", "x: unknown field (expected: of outage: nodes, selector, seeds)"),
            new Refusal(
                    "outage",
                    "{\"nodes\": [], \"nodes\": []}",
                    "body: Duplicate field 'nodes' (expected: a JSON object with the arguments)"),
            new Refusal("drain?view=table", "{}", "view: [table] (expected: page)"),
            new Refusal("simulate?view=page", "{}", "view: page (expected: none, since simulate has no page)"),
            new Refusal("outage", "", "arguments:  (expected: an object with the arguments of outage)"),
            new Refusal(
                    "scale-up",
                    "{\"types\": [\"../examples/clusters/first.yaml\"], \"maxNodes\": 1}",
                    "\"../examples/clusters/first.yaml\" is no node and no instance type of a node (expected: one of"
                            + " these)."),
            new Refusal(
                    "fit",
                    "{\"manifest\": \"../examples/clusters/stateful-set.yaml\"}",
                    "stdin: no objects (expected: at least one YAML or JSON document with apiVersion, kind and"
                            + " metadata)"),
            new Refusal(
                    "a form of another page",
                    "drain",
                    "nodes=node-1",
                    "application/x-www-form-urlencoded",
                    "",
                    415,
                    "Content-Type: \"application/x-www-form-urlencoded\" (expected: application/json)\n"),
            new Refusal(
                    "plain text, which a browser sends without permission",
                    "drain",
                    "{}",
                    "text/plain; x=application/json",
                    "",
                    415,
                    "Content-Type: \"text/plain; x=application/json\" (expected: application/json)\n"),
            new Refusal(
                    "another origin",
                    "drain",
                    "{}",
                    "application/json",
                    "https://example.com",
                    403,
                    "Origin: [https://example.com] (expected: https://ADDRESS)\n"),
            new Refusal(
                    "no origin of a browser",
                    "drain",
                    "{}",
                    "application/json",
                    "null",
                    403,
                    "Origin: [null] (expected: https://ADDRESS)\n"));

    @ParameterizedTest
    @FieldSource("REFUSALS")
    void refuses(Refusal refusal) throws IOException {
        Map<String, String> headers = refusal.origin.isEmpty()
                ? Map.of("Content-Type", refusal.type)
                : Map.of("Content-Type", refusal.type, "Origin", refusal.origin);

        Answer answer = post(refusal.question, refusal.body, headers);

        assertThat(answer.text()).isEqualTo(refusal.text.replace("ADDRESS", address()));
        assertThat(answer.code()).isEqualTo(refusal.code);
    }

    @Test
    void answersWithTheDataOfAPage() throws IOException {
        JsonNode page = JSON.readTree(
                post("drain?view=page", "{\"nodes\": [\"node-1\"]}").text());

        assertThat(page.path("title").asText()).isEqualTo("drain");
        assertThat(page.path("made").asText()).isEqualTo("1970-01-01T00:00:00Z");
        assertThat(page.path("before").path("nodes").path("name")).hasSize(5);
        assertThat(page.path("answers").path(0).path("tree"))
                .isEqualTo(
                        JSON.readTree(post("drain", "{\"nodes\": [\"node-1\"]}").text())
                                .path("answer"));
        assertThat(page.has("live")).isFalse();
    }

    @Test
    void answersItsOwnOrigin() throws IOException {
        Map<String, String> headers =
                Map.of("Content-Type", "application/json; charset=utf-8", "Origin", "https://" + address());

        assertThat(post("scale-down", "{}", headers).code()).isEqualTo(200);
    }

    // A page whose name was made to point to this machine has the same origin.
    @Test
    void refusesANameOfAnotherMachine() throws IOException {
        Map<String, String> headers =
                Map.of("Content-Type", "application/json", "Origin", "https://example.com", "Host", "example.com");

        assertThat(post("scale-down", "{}", headers))
                .isEqualTo(new Answer(403, "Host: [example.com] (expected: localhost, or an IP address)\n"));
    }

    @Test
    void refusesALongBody() throws IOException {
        String manifest = "#".repeat(1 << 20);

        assertThat(post("fit", "{\"manifest\": \"" + manifest + "\"}").code()).isEqualTo(413);
    }

    @Test
    void hasOnlyPost() throws IOException {
        assertThat(send(new Request.Builder().url("https://" + address() + "/api/v1/drain"))
                        .code())
                .isEqualTo(405);
        assertThat(post("batch", "{}").code()).isNotEqualTo(200);
    }

    @Test
    void listsTheQuestionsWithTheirSchemas() throws IOException {
        JsonNode list = JSON.readTree(send(new Request.Builder().url("https://" + address() + "/api/v1"))
                        .text())
                .path("questions");

        assertThat(list)
                .extracting(question -> question.path("name").asText())
                .containsExactly(
                        "simulate",
                        "explain",
                        "fit",
                        "drain",
                        "outage",
                        "scale-down",
                        "scale-up",
                        "compare",
                        "rebalance");
        assertThat(list).allSatisfy(question -> {
            assertThat(question.path("summary").asText()).endsWith(".");
            assertThat(question.path("arguments").path("type").asText()).isEqualTo("object");
            assertThat(question.path("answer").path("type").asText()).isEqualTo("object");
        });
    }
}
