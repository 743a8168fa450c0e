// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.app.internal.command.Commands;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.QuestionRegistry;
import org.moorage.app.internal.report.Terminal;

class QuestionFormTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final QuestionRegistry QUESTIONS = Commands.questions();
    private static final Terminal TERMINAL = Terminal.plain(
            InputStream.nullInputStream(),
            new PrintWriter(Writer.nullWriter()),
            new PrintWriter(Writer.nullWriter()),
            InstantSource.system());

    private static QuestionForm form(String question) {
        return QuestionForm.of(question, QUESTIONS.spec(question, TERMINAL));
    }

    private record Case(String name, String question, String arguments, List<String> words, String manifest) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("no arguments", "scale-down", "{}", List.of("scale-down", "--"), ""),
            new Case("nodes", "drain", "{'nodes': ['a', 'zone=b']}", List.of("drain", "--", "a", "zone=b"), ""),
            new Case("a pod", "explain", "{'pod': 'shop/web'}", List.of("explain", "--", "shop/web"), ""),
            new Case(
                    "flags that are set",
                    "drain",
                    "{'deleteEmptydirData': true, 'force': false, 'nodes': ['a']}",
                    List.of("drain", "--delete-emptydir-data", "--", "a"),
                    ""),
            new Case(
                    "a flag that is set by default",
                    "scale-down",
                    "{'skipNodesWithLocalStorage': false}",
                    List.of("scale-down", "--skip-nodes-with-local-storage=false", "--"),
                    ""),
            new Case(
                    "numbers and lists",
                    "scale-up",
                    "{'types': ['m'], 'maxNodes': 3, 'zones': ['a', 'b']}",
                    List.of("scale-up", "--max-nodes=3", "--zones=a", "--zones=b", "--", "m"),
                    ""),
            new Case(
                    "the first of several names of an option",
                    "scale-down",
                    "{'maxUtilization': '50%'}",
                    List.of("scale-down", "--scale-down-utilization-threshold=50%", "--"),
                    ""),
            new Case("a choice", "simulate", "{'by': ['zone']}", List.of("simulate", "--by=zone", "--"), ""),
            new Case("a manifest", "fit", "{'manifest': 'kind: Pod'}", List.of("fit", "--", "-"), "kind: Pod"),
            new Case("a manifest as option", "rebalance", "{'fit': 'x'}", List.of("rebalance", "--fit=-", "--"), "x"),
            new Case(
                    "a value that looks like an option",
                    "drain",
                    "{'nodes': ['--cluster=/etc/passwd', '@/etc/passwd']}",
                    List.of("drain", "--", "--cluster=/etc/passwd", "@/etc/passwd"),
                    ""));

    @ParameterizedTest
    @FieldSource("CASES")
    void argumentsStandForACommandLine(Case c) throws JsonProcessingException {
        QuestionForm.Parsed parsed = form(c.question).parse(JSON.readTree(c.arguments.replace('\'', '"')));

        assertThat(parsed.words()).isEqualTo(c.words);
        assertThat(parsed.manifest()).isEqualTo(c.manifest);
        assertThat(QUESTIONS.parse(parsed.words(), TERMINAL)).isNotNull();
    }

    private record Refusal(String question, String arguments, String message) {
        @Override
        public String toString() {
            return message;
        }
    }

    static final List<Refusal> REFUSALS = List.of(
            new Refusal("drain", "[]", "arguments: [] (expected: an object with the arguments of drain)"),
            new Refusal(
                    "outage",
                    "{'node': ['a']}",
                    "node: unknown field (expected: of outage: nodes, selector, seeds) Did you mean nodes?"),
            new Refusal(
                    "outage", "{'prices': 'p'}", "prices: unknown field (expected: of outage: nodes, selector, seeds)"),
            new Refusal("outage", "{'nodes': 'a'}", "nodes: \"a\" (expected: an array, each element a string)"),
            new Refusal("outage", "{'nodes': [1]}", "nodes: 1 (expected: an array, each element a string)"),
            new Refusal("outage", "{'selector': null}", "selector: null (expected: a string)"),
            new Refusal("drain", "{'force': 'yes'}", "force: \"yes\" (expected: true or false)"),
            new Refusal("rebalance", "{'maxMoves': 1.5}", "maxMoves: 1.5 (expected: an integer)"),
            new Refusal("rebalance", "{'maxMoves': 3000000000}", "maxMoves: 3000000000 (expected: an integer)"),
            new Refusal("explain", "{}", "pod: missing (expected: a string)"),
            new Refusal("scale-up", "{'types': ['m']}", "maxNodes: missing (expected: an integer)"),
            new Refusal(
                    "compare",
                    "{'sort': 'best'}",
                    "sort: \"best\" (expected: one of pending, unusable, imbalance, empty-nodes, moved)"),
            new Refusal(
                    "fit",
                    "{'manifest': ['a.yaml']}",
                    "manifest: [\"a.yaml\"] (expected: a string with the text of a manifest, in YAML or JSON)"),
            new Refusal(
                    "explain",
                    "{'pod': {'name': '0123456789012345678901234567890123456789'}}",
                    "pod: {\"name\":\"0123456789012345678901234567890... (expected: a string)"));

    @ParameterizedTest
    @FieldSource("REFUSALS")
    void refusesArgumentsByTheirField(Refusal refusal) throws JsonProcessingException {
        JsonNode arguments = JSON.readTree(refusal.arguments.replace('\'', '"'));
        QuestionForm form = form(refusal.question);

        assertThatThrownBy(() -> form.parse(arguments))
                .isInstanceOf(CommandException.class)
                .hasMessage(refusal.message);
    }

    @Test
    void noFieldNamesAFile() {
        List<String> fields = new ArrayList<>();
        for (String question : QUESTIONS.names()) {
            form(question).schema().path("properties").fieldNames().forEachRemaining(fields::add);
        }

        assertThat(fields)
                .contains("manifest", "nodes", "pod", "types")
                .doesNotContain(
                        "trace", "events", "prices", "configs", "cluster", "config", "report", "output", "live");
    }

    @Test
    void eachFieldHasADescription() {
        for (String question : QUESTIONS.names()) {
            assertThat(form(question).schema().path("properties"))
                    .allSatisfy(field -> assertThat(field.path("description").asText())
                            .isNotEmpty()
                            .doesNotContain("${", "%%"));
        }
    }

    @Test
    void schemaHasTypesAndRequiredFields() throws JsonProcessingException {
        JsonNode schema = form("scale-up").schema();

        assertThat(schema.path("required")).isEqualTo(JSON.readTree("[\"types\", \"maxNodes\"]"));
        assertThat(schema.path("additionalProperties").asBoolean(true)).isFalse();
        assertThat(schema.path("properties").path("maxNodes").path("type").asText())
                .isEqualTo("integer");
        assertThat(schema.path("properties")
                        .path("zones")
                        .path("items")
                        .path("type")
                        .asText())
                .isEqualTo("string");
    }

    @Test
    void schemaOfTwoKindsOfAnswersHasBoth() {
        assertThat(AnswerSchema.of(List.of("explain", "explain-group")).path("anyOf"))
                .hasSize(2)
                .allSatisfy(answer -> assertThat(answer.path("properties")).isNotEmpty());
    }
}
