// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator.ValidationResponse;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class McpCommandTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Path FITTING = Path.of("..", "examples", "clusters", "stateful-set.yaml");
    private static final List<String> SERVER = List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "org.moorage.app.Main",
            "mcp",
            "--cluster",
            CapturedRun.ZONES);

    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
            + "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";
    private static final String INITIALIZED = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

    private static McpSyncClient connect() {
        JsonSchemaFactory schemas = JsonSchemaFactory.getInstance(VersionFlag.V202012);
        return McpClient.sync(new StdioClientTransport(
                        ServerParameters.builder(SERVER.get(0))
                                .args(SERVER.subList(1, SERVER.size()))
                                .build(),
                        new JacksonMcpJsonMapper(JSON)))
                .requestTimeout(LONGEST)
                .initializationTimeout(LONGEST)
                .jsonSchemaValidator((schema, content) -> {
                    Set<ValidationMessage> problems = schemas.getSchema(JSON.<JsonNode>valueToTree(schema))
                            .validate(JSON.valueToTree(content));
                    return problems.isEmpty()
                            ? ValidationResponse.asValid("")
                            : ValidationResponse.asInvalid(problems.toString());
                })
                .build();
    }

    private static String text(CallToolResult result) {
        return ((TextContent) result.content().get(0)).text();
    }

    private static CallToolResult call(McpSyncClient client, String tool, Map<String, Object> arguments) {
        return client.callTool(
                CallToolRequest.builder(tool).arguments(arguments).build());
    }

    private static void assertSameAnswer(CallToolResult result, String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--cluster", CapturedRun.ZONES));
        CapturedRun table = CapturedRun.of(all.toArray(String[]::new));
        all.addAll(List.of("-o", "json"));
        CapturedRun json = CapturedRun.of(all.toArray(String[]::new));

        assertThat(result.isError()).isFalse();
        assertThat(text(result)).isEqualTo(table.out());
        assertThat(JSON.<JsonNode>valueToTree(result.structuredContent())).isEqualTo(JSON.readTree(json.out()));
        assertThat(result.meta()).isEqualTo(Map.of("exitCode", json.exitCode()));
    }

    @Test
    void aClientAsksTheQuestionsAsTools() throws IOException {
        try (McpSyncClient client = connect()) {
            assertThat(client.initialize().serverInfo().name()).isEqualTo("moorage");

            List<Tool> tools = client.listTools().tools();
            assertThat(tools.stream().map(Tool::name).collect(Collectors.toList()))
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
            assertThat(tools).allSatisfy(tool -> {
                assertThat(tool.annotations().readOnlyHint()).isTrue();
                assertThat(tool.description()).endsWith(".");
                assertThat(tool.inputSchema()).containsEntry("type", "object");
                assertThat(tool.outputSchema()).containsEntry("type", "object");
            });

            assertSameAnswer(call(client, "drain", Map.of("nodes", List.of("node-1"))), "drain", "node-1");
            assertSameAnswer(call(client, "outage", Map.of("nodes", List.of("zone=a"))), "outage", "zone=a");
            assertSameAnswer(call(client, "explain", Map.of("pod", "shop/web-1")), "explain", "shop/web-1");
            assertSameAnswer(
                    call(client, "fit", Map.of("manifest", Files.readString(FITTING))), "fit", FITTING.toString());

            CallToolResult refused = call(client, "drain", Map.of("node", "node-1"));
            assertThat(refused.isError()).isTrue();
            assertThat(text(refused)).startsWith("node: unknown field (expected: of drain: nodes, ");

            CallToolResult file = call(client, "scale-up", Map.of("types", List.of(CapturedRun.FIRST), "maxNodes", 1));
            assertThat(file.isError()).isTrue();
            assertThat(text(file)).contains("is no node and no instance type of a node");
        }
    }

    @Test
    void stdoutHasOnlyMessagesAndTheServerEndsWithItsInput() throws IOException, InterruptedException {
        Process server = new ProcessBuilder(SERVER)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        OutputStream in = server.getOutputStream();
        try (BufferedReader out = server.inputReader(UTF_8)) {
            for (int id = 1; id <= 3; id++) {
                String messages = id == 1
                        ? INITIALIZE + "\n" + INITIALIZED
                        : "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":"
                                + "{\"name\":\"explain\",\"arguments\":{\"pod\":\"shop/w\\u00fcb\"}}}";
                in.write((messages + "\n").getBytes(UTF_8));
                in.flush();

                String line = out.readLine();

                assertThat(JSON.readTree(line).path("id").asInt()).isEqualTo(id);
                assertThat(line).matches("\\p{ASCII}+");
            }
            in.close();
            assertThat(out.readLine()).isNull();
            assertThat(server.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).isZero();
        } finally {
            server.destroyForcibly();
        }
    }

    // A client's line that the server cannot use costs that line only.
    @Test
    void answersAfterLinesThatAreNoMessages() throws IOException, InterruptedException {
        Process server = new ProcessBuilder(SERVER)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        OutputStream in = server.getOutputStream();
        try (BufferedReader out = server.inputReader(UTF_8)) {
            in.write((INITIALIZE + "\n" + INITIALIZED + "\n").getBytes(UTF_8));
            in.flush();
            assertThat(JSON.readTree(out.readLine()).path("id").asInt()).isEqualTo(1);
            int id = 100;
            for (String line : List.of(
                    "",
                    "hello",
                    "{",
                    "[]",
                    "[".repeat(100_000),
                    "null",
                    "{}",
                    "x".repeat(5 << 20),
                    "{\"jsonrpc\":\"2.0\"}",
                    "{\"jsonrpc\":\"2.0\",\"result\":{}}",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}",
                    "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
                    "{\"jsonrpc\":\"1.0\",\"id\":8,\"method\":\"ping\"}",
                    "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"unknown\"}",
                    "{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":\"ping\"}",
                    "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"tools/call\"}",
                    "{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"tools/call\",\"params\":[]}",
                    "{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"tools/call\",\"params\":{\"name\":5}}",
                    "{\"jsonrpc\":\"2.0\",\"id\":13,\"method\":\"tools/call\",\"params\":{\"name\":\"fit\",\"arguments\":[]}}",
                    "{\"jsonrpc\":\"2.0\",\"id\":14,\"method\":null}",
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\",\"params\":7}",
                    INITIALIZE,
                    INITIALIZED)) {
                in.write((line + "\n{\"jsonrpc\":\"2.0\",\"id\":" + ++id + ",\"method\":\"ping\"}\n").getBytes(UTF_8));
                in.flush();

                JsonNode answer;
                do {
                    String read = out.readLine();
                    assertThat(read).as(line).isNotNull();
                    answer = JSON.readTree(read);
                } while (answer.path("id").asInt() != id);
                assertThat(answer.path("result").isObject()).as(line).isTrue();
            }
            in.close();
            assertThat(server.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).isZero();
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void theClusterIsNotReadFromStdin() {
        CapturedRun run = CapturedRun.of("mcp", "--cluster", "-");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .isEqualTo("error: --cluster: - (expected: a file, since stdin has the client's messages)\n");
    }
}
