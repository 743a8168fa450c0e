// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What {@code simulate} makes of each manifest in {@code src/test/manifests}, against the table in
 * {@code docs/reference/manifests.md}. With {@code -Dmanifests.accept=true} the table is written instead.
 */
@Tag("any-jvm")
class ManifestsTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Path MANIFESTS = Path.of("src", "test", "manifests");
    private static final Path PAGE = Path.of("..", "docs", "reference", "manifests.md");
    private static final Path NODES = Path.of("..", "examples", "clusters", "nodes.yaml");
    private static final String ROW = "| [";

    /**
     * The result of a manifest.
     *
     * @param pods how many pods waited for a node
     * @param placed how many got one
     * @param said the notes, warnings and errors, and why pods got no node
     */
    private record Outcome(String manifest, int pods, int placed, Set<String> said) {
        String row() {
            return "| [" + manifest + "](../../scheduler-app/src/test/manifests/" + manifest + ") | " + pods + " | "
                    + placed + " | " + String.join("<br>", said) + " |";
        }
    }

    private static List<Outcome> outcomes() throws IOException {
        List<String> manifests = new ArrayList<>();
        try (Stream<Path> entries = Files.list(MANIFESTS)) {
            entries.map(entry -> entry.getFileName().toString()).sorted().forEach(manifests::add);
        }
        List<Outcome> outcomes = new ArrayList<>();
        for (String manifest : manifests) {
            outcomes.add(outcome(manifest));
        }
        return outcomes;
    }

    private static Outcome outcome(String manifest) throws IOException {
        CapturedRun run = CapturedRun.of(
                "simulate",
                "-o",
                "json",
                NODES.toString(),
                MANIFESTS.resolve(manifest).toString());
        assertThat(run.err()).doesNotContain("Exception", "--v=");
        Set<String> said = new LinkedHashSet<>();
        run.err().lines().forEach(line -> said.add(plain(line.strip())));
        int pods = 0;
        int placed = 0;
        if (run.exitCode() == 0) {
            for (JsonNode pod : JSON.readTree(run.out()).path("pods")) {
                pods++;
                boolean isPlaced = pod.path("outcome").asText().equals("scheduled");
                placed += isPlaced ? 1 : 0;
                if (!isPlaced) {
                    said.add(pod.path("outcome").asText() + ": "
                            + plain(pod.path("message").asText()));
                }
            }
        } else {
            assertThat(run.err()).isNotBlank();
        }
        return new Outcome(manifest, pods, placed, said);
    }

    private static String plain(String text) {
        return text.replace(MANIFESTS + "/", "")
                .replace("|", "\\|")
                .replace("{{", "&#123;&#123;")
                .replace("<", "&lt;");
    }

    @Test
    void areTakenAsThePageSays() throws IOException {
        List<String> rows = new ArrayList<>();
        for (Outcome outcome : outcomes()) {
            rows.add(outcome.row());
        }
        if (Boolean.getBoolean("manifests.accept")) {
            accept(rows);
        }
        assertThat(Files.readAllLines(PAGE).stream().filter(line -> line.startsWith(ROW)))
                .containsExactlyElementsOf(rows);
    }

    @Test
    void areNeverSkippedSilently() throws IOException {
        List<Outcome> outcomes = outcomes();

        assertThat(outcomes).hasSizeGreaterThanOrEqualTo(60);
        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(outcome.pods() == outcome.placed() && outcome.pods() > 0
                                || !outcome.said().isEmpty())
                        .as(outcome.manifest())
                        .isTrue());
    }

    private static void accept(List<String> rows) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(PAGE)) {
            if (!line.startsWith(ROW)) {
                lines.add(line);
                if (line.startsWith("|---")) {
                    lines.addAll(rows);
                }
            }
        }
        Files.write(PAGE, lines);
    }
}
