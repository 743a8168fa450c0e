// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many questions about one cluster. */
class SweepTest {
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
    void answersEachQuestionInOrderAndGoesOnAfterThoseThatMakeNoSense() throws IOException {
        Path list = file("list.txt", """
                # comments and blank lines are no questions

                drain web-1
                dance web-1
                  drain "web-2"
                drain web-1 --cluster other.yaml
                drain nowhere
                drain 'web-1
                """);

        CapturedRun run = CapturedRun.of("sweep", list.toString(), "--cluster", CapturedRun.FIRST, "--threads", "3");

        List<JsonNode> lines = lines(run.out());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(lines).extracting(line -> line.path("number").asInt()).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(lines).extracting(line -> line.path("of").asInt()).containsOnly(6);
        assertThat(lines.get(0).path("answer").isObject()).isTrue();
        assertThat(lines.get(0).has("error")).isFalse();
        assertThat(lines.get(1).path("error").asText()).startsWith("question \"dance\" (expected: ");
        assertThat(lines.get(2).path("answer").isObject()).isTrue();
        assertThat(lines.get(3).path("error").asText())
                .startsWith("--cluster: (expected: an option of the whole sweep");
        assertThat(lines.get(4).path("error").asText()).contains("nowhere");
        assertThat(lines.get(5).path("error").asText()).isEqualTo("quote ' is not closed (expected: one more)");
    }

    @Test
    void sharesOfAListAreMergedToWhatOneProcessAnswers() throws IOException {
        Path list = file("list.txt", "drain web-1\ndrain web-2\ndrain web-3\ndrain web-1 web-2\n");
        CapturedRun whole = CapturedRun.of("sweep", list.toString(), "--cluster", CapturedRun.FIRST);
        List<String> merge = new ArrayList<>(List.of("merge"));
        for (int i = 2; i >= 0; i--) {
            Path answers = folder.resolve(i + ".jsonl");
            CapturedRun share = CapturedRun.of(
                    "sweep",
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

        CapturedRun run = CapturedRun.of("merge", answers.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("2 of 4 answers: 1 yes, 1 no, 0 failed")
                .contains("error: missing: 2, 4 (expected: an answer to each question)")
                .contains("error: answered differently: 3 (expected: one answer to a question)");
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
        List<String> words = new ArrayList<>(List.of("sweep", list.toString(), "--cluster", CapturedRun.FIRST));
        words.addAll(List.of(options.split(" ")));

        CapturedRun run = CapturedRun.of(words.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("error: " + error + "\n");
    }

    @Test
    void refusesAListWithoutQuestions() throws IOException {
        CapturedRun run =
                CapturedRun.of("sweep", file("list.txt", "# none\n").toString(), "--cluster", CapturedRun.FIRST);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("no questions (expected: one on each line, such as: drain node-1)");
    }
}
