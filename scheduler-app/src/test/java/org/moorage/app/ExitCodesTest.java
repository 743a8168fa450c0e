// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine;

/** 0 is yes, 1 is no, 2 is no answer; see docs/reference/exit-codes.md. */
@Tag("any-jvm")
class ExitCodesTest {
    private static final String MISSING = "/nowhere/missing";

    @TempDir
    private Path folder;

    /** For each command the arguments that name a file that does not exist. */
    private static Map<String, List<String>> missingFiles() {
        Map<String, List<String>> arguments = new TreeMap<>();
        arguments.put("simulate", List.of(MISSING));
        arguments.put("explain", List.of("web", "--cluster", MISSING));
        arguments.put("fit", List.of(MISSING, "--cluster", CapturedRun.FIRST));
        arguments.put("drain", List.of("web-1", "--cluster", MISSING));
        arguments.put("outage", List.of("zone=a", "--cluster", MISSING));
        arguments.put("scale-down", List.of("--cluster", MISSING));
        arguments.put("scale-up", List.of("web-1", "--max-nodes", "1", "--cluster", MISSING));
        arguments.put("rebalance", List.of("--free-nodes", "--cluster", MISSING));
        arguments.put("compare", List.of(MISSING, MISSING, "--cluster", CapturedRun.FIRST));
        arguments.put("batch run", List.of(MISSING, "--cluster", CapturedRun.FIRST));
        arguments.put("batch merge", List.of(MISSING));
        arguments.put("snapshot", List.of("--kubeconfig", MISSING));
        arguments.put("conform", List.of(MISSING));
        arguments.put("config show", List.of(MISSING));
        arguments.put("config validate", List.of(MISSING));
        arguments.put("config convert", List.of(MISSING));
        arguments.put("convert", List.of(MISSING));
        arguments.put("plugins", List.of("--plugin-dir", MISSING));
        arguments.put("shadow", List.of("--kubeconfig", MISSING));
        arguments.put("record", List.of(MISSING, "--kubeconfig", MISSING));
        arguments.put("replay", List.of(MISSING));
        arguments.put("annotate usage", List.of("--kubeconfig", MISSING, "--prometheus", "http://127.0.0.1:1"));
        arguments.put("annotate allocation", List.of("--kubeconfig", MISSING));
        arguments.put("mcp", List.of("--cluster", MISSING));
        arguments.put("ui", List.of(MISSING));
        return arguments;
    }

    static Collection<List<String>> commandLines() {
        List<List<String>> lines = new ArrayList<>();
        missingFiles().forEach((command, arguments) -> {
            List<String> line = new ArrayList<>(List.of(command.split(" ")));
            line.addAll(arguments);
            lines.add(line);
        });
        return lines;
    }

    @ParameterizedTest
    @MethodSource("commandLines")
    void aMissingFileIsNoAnswer(List<String> line) {
        CapturedRun run = CapturedRun.of(line.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: ").contains(MISSING);
    }

    @ParameterizedTest
    @MethodSource("commandLines")
    void anUnknownFlagIsNoAnswer(List<String> line) {
        List<String> wrong = new ArrayList<>(line);
        wrong.add("--no-such-flag");

        CapturedRun run = CapturedRun.of(wrong.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: unknown flag --no-such-flag");
    }

    @Test
    void allCommandsAreTried() {
        Terminal terminal = Terminal.plain(
                InputStream.nullInputStream(),
                new PrintWriter(Writer.nullWriter()),
                new PrintWriter(Writer.nullWriter()),
                InstantSource.system());
        List<String> names = new ArrayList<>();
        addNames(Main.commandLine(terminal), "", names);
        // Servers end with 1 as kube-scheduler does, and the others read no files.
        names.removeAll(List.of("run", "extender", "rehearse", "version", "help", "man", "completion"));

        assertThat(missingFiles()).containsOnlyKeys(names);
    }

    private static void addNames(CommandLine line, String before, List<String> names) {
        line.getSubcommands().forEach((name, command) -> {
            if (command.getSubcommands().isEmpty()) {
                names.add(before + name);
            } else {
                addNames(command, name + " ", names);
            }
        });
    }

    static Stream<List<String>> refusals() {
        return Stream.of(
                List.of("simulate", ""),
                List.of("simulate", "--apply", "", CapturedRun.FIRST),
                List.of("simulate", "--config", "", CapturedRun.FIRST),
                List.of("simulate", "--plugin-dir", "", CapturedRun.FIRST),
                List.of("explain", "web", "--cluster", ""),
                List.of("fit", "", "--cluster", CapturedRun.FIRST),
                List.of("drain", "web-1", "--cluster", ""),
                List.of("batch", "merge", ""),
                List.of("config", "validate", ""),
                List.of("config", "show", ""));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void anEmptyNameOfAFileIsNotTheCurrentFolder(List<String> line) {
        CapturedRun run = CapturedRun.of(line.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: ").hasLineCount(1);
    }

    @Test
    void anInvalidConfigurationIsANoAndARefusedOneHasNoAnswer() throws Exception {
        String file = Files.writeString(folder.resolve("scheduler.yaml"), "kind: KubeSchedulerConfiguration\n")
                .toString();

        assertThat(CapturedRun.of("config", "validate", file).exitCode()).isEqualTo(1);
        assertThat(CapturedRun.of("config", "validate", file, MISSING).exitCode())
                .isEqualTo(2);
        assertThat(CapturedRun.of("config", "show", file).exitCode()).isEqualTo(2);
        assertThat(CapturedRun.of("simulate", "--config", file, CapturedRun.FIRST)
                        .exitCode())
                .isEqualTo(2);
    }
}
