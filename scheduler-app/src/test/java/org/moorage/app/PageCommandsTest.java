// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Follows the README and the tutorials: runs each command of a {@code console} block in a terminal and compares its output with the page.
 * The commands of a page run one after the other in one folder, which has the launcher and the examples of a checkout.
 *
 * <p>Comments in a page control the next block: {@code <!-- file PATH -->} writes it to a file, {@code <!-- edit FOLDER -->} applies it as a
 * diff, and {@code <!-- not run: REASON -->} skips it. A line {@code …} of an output matches any lines. Durations are not compared. With the
 * system property {@code screens.accept} the outputs in the pages are written again.
 */
@EnabledOnOs(OS.LINUX)
@Tag("any-jvm")
class PageCommandsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final boolean ACCEPT = Boolean.getBoolean("screens.accept");
    private static final int COLUMNS = 100;
    private static final long SECONDS_FOR_A_COMMAND = 300;
    private static final Pattern BLOCK =
            Pattern.compile("(?:<!-- (file|edit|not run:) ([^\n]+) -->\n)?```(\\w+)\n(.*?)```\n", Pattern.DOTALL);
    private static final Pattern COMMAND = Pattern.compile("\\$ ((?:[^\n]*\\\\\n)*[^\n]*)\n");
    private static final Pattern DURATION = Pattern.compile("\\b\\d+\\.\\d+ s\\b");
    private static final Pattern ESCAPE = Pattern.compile("\u001b\\[[0-9;]*[A-Za-z]");
    private static final Pattern ELLIPSIS = Pattern.compile("(?m)^…\n");

    @TempDir
    Path parent;

    private Path folder = Path.of("");
    private int commands;

    @ParameterizedTest
    @ValueSource(
            strings = {"README.md", "docs/get-started/simulate-first-cluster.md", "docs/get-started/pending-pod.md"})
    void printWhatThePageShows(String page) throws IOException, InterruptedException {
        follow(ROOT.resolve(page));
    }

    /** These pages also build projects with Maven, from the artifacts that {@code mvn install} has installed. */
    @ParameterizedTest
    @Tag("installed")
    @ValueSource(strings = {"docs/get-started/first-plugin.md", "docs/get-started/ask-from-java.md"})
    void printWhatThePageShowsAndBuildProjects(String page) throws IOException, InterruptedException {
        follow(ROOT.resolve(page));
    }

    private void follow(Path page) throws IOException, InterruptedException {
        makeCheckout();
        String text = Files.readString(page);
        StringBuilder written = new StringBuilder();
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            String control = String.valueOf(block.group(1));
            boolean isRun = block.group(3).equals("console") && !control.equals("not run:");
            if (control.equals("file")) {
                Path file = folder.resolve(block.group(2)).normalize();
                Files.createDirectories(file.getParent());
                Files.writeString(file, block.group(4));
            } else if (control.equals("edit")) {
                Path diff = Files.writeString(parent.resolve("edit.diff"), block.group(4));
                run("git -C " + block.group(2) + " apply -C1 " + diff, page + ": edit of " + block.group(2));
            }
            String kept = block.group();
            if (isRun) {
                kept = kept.replace(block.group(4), runBlock(page, block.group(4)));
            }
            block.appendReplacement(written, Matcher.quoteReplacement(kept));
        }
        block.appendTail(written);
        if (ACCEPT) {
            Files.writeString(page, written);
        }
        assertThat(commands).as("commands on " + page).isPositive();
        Files.delete(folder.resolve("examples"));
    }

    // What a block should show.
    private String runBlock(Path page, String block) throws IOException, InterruptedException {
        assertThat(block).as(page + ": a block of commands").startsWith("$ ");
        StringBuilder shown = new StringBuilder();
        Matcher command = COMMAND.matcher(block);
        for (int at = 0; at < block.length(); ) {
            assertThat(command.find(at)).isTrue();
            int begin = command.end();
            int next = block.indexOf("\n$ ", begin - 1);
            int end = next < 0 ? block.length() : next + 1;
            String expected = block.substring(begin, end);
            String output = run(command.group(1), page + ": $ " + command.group(1));
            boolean isAbridged = ELLIPSIS.matcher(expected).find();
            if (!ACCEPT || isAbridged) {
                assertShown(output, expected, page + ": $ " + command.group(1));
            }
            shown.append(command.group()).append(isAbridged ? expected : output);
            commands++;
            at = end;
        }
        return shown.toString();
    }

    private static void assertShown(String output, String expected, String command) {
        String lines = withoutDurations(expected);
        if (ELLIPSIS.matcher(expected).find()) {
            String pattern = Stream.of(ELLIPSIS.split(lines, -1))
                    .map(part -> part.isEmpty() ? "" : Pattern.quote(part))
                    .collect(Collectors.joining("(?:[^\n]*\n)*?"));
            assertThat(withoutDurations(output)).as(command).matches(Pattern.compile(pattern));
        } else {
            assertThat(withoutDurations(output)).as(command).isEqualTo(lines);
        }
    }

    private static String withoutDurations(String output) {
        return DURATION.matcher(output).replaceAll("0.00 s");
    }

    private void makeCheckout() throws IOException {
        folder = Files.createDirectory(parent.resolve("checkout"));
        Files.createSymbolicLink(folder.resolve("examples"), ROOT.resolve("examples"));
        Path launcher = Files.writeString(folder.resolve("moorage"), """
                #!/bin/sh
                exec %s/deploy/archive/bin/moorage "$@"
                """.formatted(ROOT));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    // In a terminal, whose output "script" copies; errors follow it.
    private String run(String command, String what) throws IOException, InterruptedException {
        Path script = Files.writeString(parent.resolve("command.sh"), command + "\n");
        Path errors = parent.resolve("command.err");
        Path output = parent.resolve("command.out");
        ProcessBuilder builder = new ProcessBuilder("script", "-qefc", "bash " + script + " 2>" + errors, "/dev/null")
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        Map<String, String> environment = builder.environment();
        environment.put("COLUMNS", Integer.toString(COLUMNS));
        environment.put("NO_COLOR", "1");
        environment.put("TERM", "xterm");
        environment.put("LC_ALL", "C.UTF-8");
        environment.put("MOORAGE_CACHE", "");
        environment.put("MOORAGE_CLASSPATH", System.getProperty("java.class.path"));
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("MAVEN_OPTS", mavenOptions());
        Process process = builder.start();
        boolean ended = process.waitFor(SECONDS_FOR_A_COMMAND, TimeUnit.SECONDS);
        process.destroyForcibly();
        String all = ESCAPE.matcher(Files.readString(output, UTF_8) + Files.readString(errors, UTF_8))
                .replaceAll("")
                .replace("\r\n", "\n");
        assertThat(ended).as(what + " ends; it printed " + all).isTrue();
        // 1 is the answer no.
        assertThat(process.exitValue()).as(what + " printed " + all).isIn(0, 1);
        return all;
    }

    // The local repository of the build that runs this test.
    private static String mavenOptions() {
        List<String> options = new ArrayList<>(List.of("-Dorg.slf4j.simpleLogger.showThreadName=false"));
        String repository = System.getProperty("maven.repo.local");
        if (repository != null) {
            options.add("-Dmaven.repo.local=" + repository);
        }
        return String.join(" ", options);
    }
}
