// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Many questions about one cluster. */
@Tag("any-jvm")
class BatchTest {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    private Path folder;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static List<JsonNode> lines(String text) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : text.lines().toList()) {
            lines.add(JSON.readTree(line));
        }
        return lines;
    }

    @Test
    void answersEachQuestionInOrderAndContinuesAfterInvalidOnes() throws IOException {
        Path list = file("list.txt", """
                # comments and blank lines are no questions

                drain web-1
                dance web-1
                  drain "web-2"
                drain web-1 --cluster other.yaml
                drain nowhere
                drain 'web-1
                """);

        CapturedRun run =
                CapturedRun.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST, "--threads", "3");

        List<JsonNode> lines = lines(run.out());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(lines).extracting(line -> line.path("number").asInt()).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(lines).extracting(line -> line.path("of").asInt()).containsOnly(6);
        assertThat(lines.get(0).path("answer").isObject()).isTrue();
        assertThat(lines.get(0).has("error")).isFalse();
        assertThat(lines.get(1).path("error").asText()).startsWith("question \"dance\" (expected: ");
        assertThat(lines.get(2).path("answer").isObject()).isTrue();
        assertThat(lines.get(3).path("error").asText()).startsWith("--cluster: (expected: an option of all questions");
        assertThat(lines.get(4).path("error").asText()).contains("nowhere");
        assertThat(lines.get(5).path("error").asText()).isEqualTo("quote ' is not closed (expected: one more)");
    }

    @Test
    void sharesOfAListAreMergedToWhatOneProcessAnswers() throws IOException {
        Path list = file("list.txt", "drain web-1\ndrain web-2\ndrain web-3\ndrain web-1 web-2\n");
        CapturedRun whole = CapturedRun.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST);
        List<String> merge = new ArrayList<>(List.of("batch", "merge"));
        for (int i = 2; i >= 0; i--) {
            Path answers = folder.resolve(i + ".jsonl");
            CapturedRun share = CapturedRun.of(
                    "batch",
                    "run",
                    list.toString(),
                    "--cluster",
                    CapturedRun.FIRST,
                    "--index",
                    "" + i,
                    "--of",
                    "3",
                    "--answers",
                    answers.toString());
            assertThat(share.exitCode()).as(share.err()).isZero();
            assertThat(share.out()).isEmpty();
            // As in a log, and with an answer that was cut off before the index was tried again.
            Files.writeString(
                    answers,
                    "I1126 something else\n{\"number\":1,\"of\"\n" + Files.readString(answers)
                            + Files.readString(answers));
            merge.add(answers.toString());
        }

        CapturedRun merged = CapturedRun.of(merge.toArray(String[]::new));

        assertThat(merged.out()).isEqualTo(whole.out());
        assertThat(merged.exitCode()).as(merged.err()).isZero();
        assertThat(merged.err()).startsWith("4 of 4 answers: ").contains("; 6 lines are no answers");
    }

    @Test
    void missingAndDifferingAnswersAreErrors() throws IOException {
        Path answers = file("answers.jsonl", """
                {"number":1,"of":4,"question":"a","exitCode":0,"answer":{}}
                {"number":3,"of":4,"question":"c","exitCode":1,"answer":{}}
                {"number":3,"of":4,"question":"c","exitCode":0,"answer":{}}
                """);

        CapturedRun run = CapturedRun.of("batch", "merge", answers.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("2 of 4 answers: 1 yes, 1 no, 0 failed")
                .contains("error: missing: 2, 4 (expected: an answer to each question)")
                .contains("error: answered differently: 3 (expected: one answer to a question)");
    }

    private static final String TRACE = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: trace-%1$d}
            spec:
              replicas: %1$d
              selector: {matchLabels: {app: trace}}
              template:
                metadata: {labels: {app: trace}}
                spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 900m}}}]}
            """;

    private Path traces(int count) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            lines.add("simulate " + file("trace-" + i + ".yaml", TRACE.formatted(i)) + " --exit-code");
        }
        lines.add("simulate --events ../examples/clusters/first-changes.json");
        lines.add("compare --weight NodeResourcesFit=1,10 --weight ImageLocality=0");
        lines.add("compare --weight NodeResourcesFit=10");
        return file("traces.txt", String.join("\n", lines));
    }

    @Test
    void tracesAreAnsweredTheSameInOneProcessAndInShares() throws IOException {
        Path list = traces(21);
        CapturedRun whole =
                CapturedRun.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST, "--threads", "3");
        List<String> merge = new ArrayList<>(List.of("batch", "merge"));
        for (int i = 0; i < 4; i++) {
            Path answers = folder.resolve(i + ".jsonl");
            CapturedRun share = CapturedRun.of(
                    "batch",
                    "run",
                    list.toString(),
                    "--cluster",
                    CapturedRun.FIRST,
                    "--index",
                    "" + i,
                    "--of",
                    "4",
                    "--answers",
                    answers.toString());
            assertThat(share.exitCode()).as(share.err()).isZero();
            merge.add(answers.toString());
        }

        assertThat(CapturedRun.of(merge.toArray(String[]::new)).out()).isEqualTo(whole.out());
        List<JsonNode> lines = lines(whole.out());
        for (int i = 0; i < 21; i++) {
            JsonNode answer = lines.get(i).path("answer");
            assertThat(JsonSchema.problems("batch", lines.get(i))).isEmpty();
            assertThat(JsonSchema.problems("simulate", answer)).isEmpty();
            assertThat(answer.size()).isEqualTo(1);
            // Those of the cluster wait, too.
            assertThat(answer.path("summary").path("pods").asInt()).isEqualTo(12 + i + 1);
        }
        // Pods that one trace scheduled do not exist for the next one.
        assertThat(lines)
                .extracting(line -> line.at("/answer/summary/scheduled").asInt(-1))
                .startsWith(10, 11, 12, 12);
        assertThat(lines)
                .extracting(line -> line.path("exitCode").asInt())
                .startsWith(1)
                .endsWith(0, 0, 0);
        assertThat(lines.get(21).at("/answer/summary/changes").asInt()).isEqualTo(6);
        assertThat(JsonSchema.problems("compare-weights", lines.get(22).path("answer")))
                .isEmpty();
        assertThat(JsonSchema.problems("compare", lines.get(23).path("answer"))).isEmpty();
        assertThat(lines.get(23).path("answer").has("moved")).isFalse();
    }

    /** A question, and the command line that answers the same. */
    record Same(String question, List<String> args) {
        @Override
        public String toString() {
            return question;
        }
    }

    static Stream<Same> same() {
        String shop = "../examples/what-if/shop.yaml";
        String changes = "../examples/clusters/first-changes.json";
        return Stream.of(
                new Same("simulate", List.of(CapturedRun.FIRST)),
                new Same("simulate --by owner", List.of("--by", "owner", "--cluster", CapturedRun.FIRST)),
                new Same("simulate " + shop, List.of(shop, "--cluster", CapturedRun.FIRST)),
                new Same("simulate --events " + changes, List.of(CapturedRun.FIRST, "--events", changes)));
    }

    @ParameterizedTest
    @MethodSource("same")
    void aTraceIsPlayedAsByTheCommand(Same given) throws IOException {
        Path list = file("list.txt", given.question);
        List<String> args = new ArrayList<>(List.of("simulate", "-o", "json", "--seed", "0"));
        args.addAll(given.args);
        ObjectNode command = (ObjectNode)
                JSON.readTree(CapturedRun.of(args.toArray(String[]::new)).out());
        ((ObjectNode) command.path("summary")).remove("seconds");

        JsonNode whole = lines(CapturedRun.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST, "--full")
                        .out())
                .get(0)
                .path("answer");
        JsonNode line = lines(CapturedRun.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST)
                        .out())
                .get(0)
                .path("answer");

        assertThat(whole).isEqualTo(command);
        assertThat(line.path("summary")).isEqualTo(command.path("summary"));
        assertThat(line.has("pods")).isFalse();
    }

    @Test
    void aTraceIsPlayedAsIfItsFileWereOneOfTheCluster() throws IOException {
        String shop = "../examples/what-if/shop.yaml";
        Path list = file("list.txt", "simulate " + shop);

        ObjectNode command = (ObjectNode)
                JSON.readTree(CapturedRun.of("simulate", CapturedRun.FIRST, shop, "-o", "json", "--seed", "0")
                                .out())
                        .path("summary");
        command.remove("seconds");
        JsonNode line = lines(CapturedRun.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST)
                        .out())
                .get(0);

        // Only the names differ of what controllers make.
        assertThat(line.at("/answer/summary")).isEqualTo(command);
    }

    record Noted(String name, String trace, String note, int pods) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Noted> noted() {
        return Stream.of(
                new Noted(
                        "an object that scheduling does not read",
                        "{apiVersion: v1, kind: ConfigMap, metadata: {name: large}}",
                        "ConfigMap default/large does not affect scheduling",
                        0),
                new Noted(
                        "more pods than are made",
                        TRACE.formatted(100_000),
                        "Deployment default/trace-100000 asks for 100000 pods; only 10000 are made",
                        10_000),
                new Noted(
                        "pods that the API server refuses",
                        TRACE.formatted(3)
                                .replace("{requests: {cpu: 900m}}", "{requests: {cpu: 900m}, limits: {cpu: 1m}}"),
                        "no pods are made of Deployment default/trace-3 (refused by the API server: ",
                        0));
    }

    @ParameterizedTest
    @MethodSource("noted")
    void reportsPartsOfATraceThatAreNotReplayed(Noted given) throws IOException {
        Path list = file("list.txt", "simulate " + file("trace.yaml", given.trace));

        JsonNode answer = lines(CapturedRun.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST)
                        .out())
                .get(0)
                .path("answer");

        assertThat(answer.path("notes")).hasSize(1);
        assertThat(answer.path("notes").path(0).asText()).startsWith(given.note);
        assertThat(answer.path("summary").path("pods").asInt()).isEqualTo(12 + given.pods);
        assertThat(JsonSchema.problems("simulate", answer)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            simulate none.yaml       | none.yaml: no such file (expected: a YAML or JSON file
            simulate --events none  | none: no such file (expected: a file with the events of a watch
            simulate --trace t.json  | --trace: t.json (expected: not in a batch
            simulate --config c.yaml | --config: (expected: an option of all questions
            simulate --cron-jobs     | --cron-jobs: (expected: an option of all questions
            simulate --report r.html | --report: (expected: not with one of many questions, whose answers are JSON)
            drain web-1 -o yaml      | --output: (expected: not with one of many questions, whose answers are JSON)
            replay monday.jsonl      | question "replay" (expected: simulate, explain, fit, drain,
            """)
    void refusesWhatHasNoPlaceOnAList(String question, String error) throws IOException {
        Path list = file("list.txt", question);

        CapturedRun run = CapturedRun.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST);

        assertThat(run.exitCode()).isEqualTo(1);
        JsonNode line = lines(run.out()).get(0);
        assertThat(line.path("error").asText()).startsWith(error);
        assertThat(line.path("exitCode").asInt()).isEqualTo(2);
        assertThat(JsonSchema.problems("batch", line)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --of 0              | --of: 0 (expected: 1 to 2147483647)
            --index 3 --of 3    | --index: 3 (expected: 0 to 2)
            --index -1          | --index: -1 (expected: 0 to 0)
            --threads 0         | --threads: 0 (expected: 1 to 1024)
            --threads 99999     | --threads: 99999 (expected: 1 to 1024)
            """)
    void refusesSharesThatThereAreNot(String options, String error) throws IOException {
        Path list = file("list.txt", "drain web-1\n");
        List<String> words = new ArrayList<>(List.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST));
        words.addAll(List.of(options.split(" ")));

        CapturedRun run = CapturedRun.of(words.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("error: " + error + "\n");
    }

    @Test
    void refusesAListWithoutQuestions() throws IOException {
        CapturedRun run =
                CapturedRun.of("batch", "run", file("list.txt", "# none\n").toString(), "--cluster", CapturedRun.FIRST);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("no questions (expected: one on each line, such as: drain node-1)");
    }

    @Test
    void noLinePrintsAFile() throws IOException {
        for (String contents : List.of(
                "eyJhbGciOi.s3cret-token",
                "s3cret: [1, 2",
                "{\"s3cret\": 1}",
                "apiVersion: v1\nkind: s3cret\n",
                "--s3cret --more\n",
                "drain s3cret\n",
                "- s3cret\n",
                "\"s3cret")) {
            Path secret = file("token", contents);
            Path list = file("list.txt", """
                    fit @%1$s
                    drain @%1$s
                    @%1$s
                    drain web-1 @%1$s
                    simulate --events @%1$s
                    lose "@%1$s"
                    """.formatted(secret));

            CapturedRun run = CapturedRun.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST);

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out() + run.err()).doesNotContain("s3cret");
            CapturedRun alone = CapturedRun.of("drain", "@" + secret, "--cluster", CapturedRun.FIRST);
            assertThat(alone.exitCode()).isEqualTo(2);
            assertThat(alone.out() + alone.err()).doesNotContain("s3cret").contains("@" + secret);
        }
    }

    @Test
    void noErrorShowsADocumentThatIsNoObject() throws IOException {
        for (String contents :
                List.of("eyJhbGciOi.s3cret-token", "- s3cret\n", "[s3cret]", "\"s3cret\"", "{\"s3cret\": 1}")) {
            Path secret = file("token", contents);
            for (String question : List.of(
                    "fit %s",
                    "simulate %s",
                    "simulate --events %s",
                    "compare %s %s",
                    "buy %s --max-nodes 1",
                    "buy web-1 --types %s --max-nodes 1",
                    "buy web-1 --max-nodes 1 --prices %s")) {
                Path list = file("list.txt", question.replace("%s", secret.toString()) + "\n");

                CapturedRun run = CapturedRun.of("batch", "run", list.toString(), "--cluster", CapturedRun.FIRST);

                assertThat(run.out() + run.err()).as(question).contains("error").doesNotContain("s3cret");
            }
        }
    }
}
