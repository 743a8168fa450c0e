// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.app.internal.logging.Logging;
import org.moorage.app.internal.report.StandardOutput;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine;

/** Answers that cannot be written. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
final class StandardOutputTest {
    private static final Path FULL = Path.of("/dev/full");

    @TempDir
    private Path folder;

    /** Command lines that print an answer: one in each form, and the help of each command. */
    private List<List<String>> commandLines() throws IOException {
        String zones = CapturedRun.ZONES;
        String workList =
                Files.writeString(folder.resolve("list.txt"), "drain web-1\n").toString();
        Path answers = folder.resolve("answers.jsonl");
        CapturedRun.of("batch", "run", workList, "--cluster", CapturedRun.FIRST, "--answers", answers.toString());
        List<List<String>> lines = new ArrayList<>(List.of(
                List.of("simulate", CapturedRun.FIRST),
                List.of("simulate", CapturedRun.FIRST, "-o", "json"),
                List.of("simulate", CapturedRun.FIRST, "-o", "yaml"),
                List.of("explain", "shop-1", "--cluster", CapturedRun.FIRST),
                List.of("drain", "web-1", "--cluster", CapturedRun.FIRST),
                List.of("outage", "topology.kubernetes.io/zone=a", "--cluster", zones),
                List.of("scale-down", "--cluster", zones),
                List.of("scale-down", "--cluster", zones, "-o", "json"),
                List.of("batch", "run", workList, "--cluster", CapturedRun.FIRST),
                List.of("batch", "merge", answers.toString()),
                List.of("config", "show"),
                List.of("config", "show", "-o", "json"),
                List.of("config", "validate", CapturedRun.elevenPlugins()),
                List.of("config", "convert", CapturedRun.elevenPlugins()),
                List.of("plugins"),
                List.of("--help"),
                List.of("--version")));
        Terminal terminal = Terminal.plain(
                InputStream.nullInputStream(),
                new PrintWriter(Writer.nullWriter()),
                new PrintWriter(Writer.nullWriter()),
                InstantSource.system());
        addHelp(Main.commandLine(terminal), List.of(), lines);
        return lines;
    }

    private static void addHelp(CommandLine line, List<String> before, List<List<String>> lines) {
        line.getSubcommands().forEach((name, command) -> {
            List<String> words = new ArrayList<>(before);
            words.add(name);
            addHelp(command, words, lines);
            words.add("--help");
            lines.add(words);
        });
    }

    private record Ended(int exitCode, String err) {}

    private static Ended run(OutputStream out, List<String> line) {
        StringWriter err = new StringWriter();
        int exitCode = Main.run(
                Additions.NONE,
                Terminal.plain(
                        InputStream.nullInputStream(),
                        StandardOutput.writer(out, UTF_8),
                        new PrintWriter(err),
                        InstantSource.system()),
                line.toArray(String[]::new));
        Logging.use(Level.WARN);
        return new Ended(exitCode, err.toString());
    }

    @Test
    void aFullDiskIsNoAnswer() throws IOException {
        for (List<String> line : commandLines()) {
            try (OutputStream out = new FileOutputStream(FULL.toFile())) {
                Ended ended = run(out, line);

                assertThat(ended.exitCode()).as("%s: %s", line, ended.err()).isEqualTo(2);
                assertThat(ended.err().lines().filter(text -> text.startsWith("error: ")))
                        .as("%s", line)
                        .containsExactly("error: standard output: cannot be written: no space left on device");
            }
        }
    }

    @Test
    void aClosedPipeEndsACommandWithoutAMessage() throws IOException, InterruptedException {
        Path pipe = pipe();
        for (List<String> line : commandLines()) {
            // Opened for both, so that neither end waits for the other.
            RandomAccessFile reader = new RandomAccessFile(pipe.toFile(), "rw");
            try (OutputStream out = new FileOutputStream(pipe.toFile())) {
                reader.close();
                Ended ended = run(out, line);

                assertThat(ended.exitCode()).as("%s: %s", line, ended.err()).isEqualTo(2);
                assertThat(ended.err().lines().filter(text -> text.startsWith("error: ")))
                        .as("%s", line)
                        .isEmpty();
                assertThat(ended.err()).doesNotContain("\tat ");
            }
        }
    }

    private Path pipe() throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        Process made = new ProcessBuilder("mkfifo", pipe.toString()).start();
        assertThat(made.waitFor()).isZero();
        return pipe;
    }

    private Process start(ProcessBuilder.Redirect out, Path err, String... args) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.moorage.app.Main"));
        words.addAll(List.of(args));
        return new ProcessBuilder(words)
                .redirectOutput(out)
                .redirectError(err.toFile())
                .start();
    }

    @Test
    void aProcessEndsWithTwoOnAFullDiskAndOnAClosedPipe() throws IOException, InterruptedException {
        Path err = folder.resolve("err");

        Process onFullDisk = start(ProcessBuilder.Redirect.to(FULL.toFile()), err, "config", "show");
        assertThat(onFullDisk.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(onFullDisk.exitValue()).isEqualTo(2);
        assertThat(err).hasContent("error: standard output: cannot be written: no space left on device\n");

        Process onPipe = start(ProcessBuilder.Redirect.PIPE, err, "config", "show");
        onPipe.getInputStream().close();
        assertThat(onPipe.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(onPipe.exitValue()).isEqualTo(2);
        assertThat(err).isEmptyFile();
    }
}
