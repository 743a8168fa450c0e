// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.remote;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator.ValidationResponse;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.Version;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.ClusterOptions;
import org.moorage.app.internal.question.QuestionRegistry;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** An MCP server on stdin and stdout whose tools are the questions. */
@Command(
        name = "mcp",
        description = {
            "Serve the questions about a cluster as MCP tools, over stdin and stdout.",
            "",
            "For MCP clients, which start this command and speak the Model Context Protocol with it. The cluster is read once, at the start. All tools are read-only, and none reads a file of this machine. The server ends when its stdin ends."
        },
        footer = {
            "  moorage mcp --cluster cluster.json.gz",
            "  npx @modelcontextprotocol/inspector --cli moorage mcp --cluster cluster.json.gz --method tools/list"
        },
        exitCodeList = {"0:stdin has ended"})
public final class McpCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(McpCommand.class);
    private static final TypeReference<Map<String, Object>> SCHEMA = new TypeReference<>() {};

    private final Terminal terminal;
    private final QuestionRegistry questions;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    /**
     * Creates the command.
     *
     * @param terminal whose input and output have the messages of the protocol
     */
    public McpCommand(Terminal terminal, QuestionRegistry questions) {
        this.terminal = terminal;
        this.questions = questions;
    }

    @Override
    public Integer call() {
        if (cluster.readStdin()) {
            throw new CommandException("--cluster: - (expected: a file, since stdin has the client's messages)");
        }
        try (AskedCluster asked = cluster.read(terminal)) {
            RemoteQuestions remote = new RemoteQuestions(questions, asked);
            CountDownLatch end = new CountDownLatch(1);
            McpSyncServer server = McpServer.sync(transport(end))
                    .serverInfo("moorage", Version.ofMoorage())
                    .instructions("Questions about one Kubernetes cluster, as read when the server started. The"
                            + " scheduler's own plugins answer; nothing is changed in the cluster.")
                    // The forms check the arguments, and have better messages.
                    .validateToolInputs(false)
                    .jsonSchemaValidator((schema, content) -> ValidationResponse.asValid(""))
                    .tools(remote.forms().stream()
                            .map(form -> tool(form, remote))
                            .toList())
                    .build();
            end.await();
            server.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }

    // Escapes non-ASCII characters in messages, so that the encoding of the output does not matter.
    private StdioServerTransportProvider transport(CountDownLatch end) {
        McpJsonMapper ascii = new JacksonMcpJsonMapper(
                JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build());
        return new StdioServerTransportProvider(
                ascii, new McpInput(terminal.in(), ascii, end), new Output(terminal.out()));
    }

    private static SyncToolSpecification tool(QuestionForm form, RemoteQuestions questions) {
        Tool tool = Tool.builder(form.name(), schema(form.schema()))
                .description(form.summary())
                .outputSchema(schema(questions.answerSchema(form)))
                .annotations(ToolAnnotations.builder()
                        .readOnlyHint(true)
                        .destructiveHint(false)
                        .idempotentHint(true)
                        .openWorldHint(false)
                        .build())
                .build();
        return SyncToolSpecification.builder()
                .tool(tool)
                .callHandler((exchange, call) -> answer(form, AnswerJson.JSON.valueToTree(call.arguments()), questions))
                .build();
    }

    private static Map<String, Object> schema(ObjectNode schema) {
        return AnswerJson.JSON.convertValue(schema, SCHEMA);
    }

    private static CallToolResult answer(QuestionForm form, JsonNode arguments, RemoteQuestions questions) {
        try {
            Report report = questions.answer(form, arguments.isNull() ? AnswerJson.JSON.createObjectNode() : arguments);
            return CallToolResult.builder()
                    .addTextContent(text(report))
                    .structuredContent(AnswerJson.JSON.<JsonNode>valueToTree(report.answer()))
                    .isError(false)
                    .meta(Map.of("exitCode", RemoteQuestions.exitCode(report)))
                    .build();
        } catch (CommandException refused) {
            return error(String.valueOf(refused.getMessage()));
        } catch (RuntimeException unexpected) {
            LOG.atError()
                    .addKeyValue("question", form.name())
                    .setCause(unexpected)
                    .log("Question failed");
            return error("the question failed; the server's log has the reason");
        }
    }

    private static CallToolResult error(String message) {
        return CallToolResult.builder().addTextContent(message).isError(true).build();
    }

    private static String text(Report report) {
        StringWriter text = new StringWriter();
        Terminal lines = Terminal.plain(
                InputStream.nullInputStream(), new PrintWriter(text), new PrintWriter(text), InstantSource.system());
        report.print(lines);
        lines.out().flush();
        return text.toString();
    }

    /** The output, for ASCII. */
    private static final class Output extends OutputStream {
        private final PrintWriter out;

        Output(PrintWriter out) {
            this.out = out;
        }

        @Override
        public void write(int character) {
            out.write(character);
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            out.write(new String(bytes, from, length, US_ASCII));
        }

        @Override
        public void flush() {
            out.flush();
        }
    }
}
