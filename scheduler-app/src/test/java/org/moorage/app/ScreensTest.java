// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The screens in pages about questions are what the commands print, on a terminal of 120 columns, for the files of examples. A screen
 * is a block that begins with {@code $ moorage}; it may have several commands, and a command may end with {@code | head -n N} or
 * {@code | cut -c -N}. A page marks a block that no test can print, such as of a live cluster, by {@code <!-- not cut -->}. With the
 * system property {@code screens.accept} the pages are written again.
 */
@Tag("any-jvm")
class ScreensTest {
    private static final Path DOCS = Path.of("..", "docs");
    /** Pages with a separate test, because their commands need other files or options. */
    private static final List<String> OTHERS =
            List.of("plan/simulate.md", "reference/pod-groups.md", "debug/explain-live.md");

    private static final int COLUMNS = 120;
    private static final int NARROW = 80;
    private static final String NOT_CUT = "<!-- not cut -->\n";
    private static final Pattern BLOCK = Pattern.compile("(?m)^```\n(\\$ moorage .*\n(?s:.*?))^```\n");
    private static final Pattern COMMAND = Pattern.compile(
            "(?m)^\\$ (?<command>moorage (?<arguments>.*?)(?: \\| (?<filter>head -n|cut -c -)\\s*(?<limit>\\d+))?)\n"
                    + "(?<output>(?:(?!\\$ ).*\n)*)");
    // Pages name files from the root, and tests run in the folder of the module.
    private static final String NAMED = "examples/";
    private static final String THERE = "../examples/";

    static Stream<String> pages() throws IOException {
        List<String> pages = new ArrayList<>(List.of("operate/cloud-settings.md"));
        for (String folder : List.of("plan", "debug", "reference")) {
            try (Stream<Path> files = Files.list(DOCS.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".md"))
                        .map(file -> folder + "/" + file.getFileName())
                        .filter(page -> !OTHERS.contains(page))
                        .forEach(pages::add);
            }
        }
        return pages.stream().sorted().filter(page -> !blocks(page).isEmpty());
    }

    private static String read(String page) {
        try {
            return Files.readString(DOCS.resolve(page));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<MatchResult> blocks(String page) {
        String text = read(page);
        return BLOCK.matcher(text)
                .results()
                .filter(block -> !text.startsWith(NOT_CUT, block.start() - NOT_CUT.length()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void areOnThePage(String page) throws IOException {
        String text = read(page);
        StringBuilder written = new StringBuilder();
        int end = 0;
        for (MatchResult block : blocks(page)) {
            written.append(text, end, block.start(1)).append(printed(block.group(1)));
            end = block.end(1);
        }
        written.append(text.substring(end));
        if (Boolean.getBoolean("screens.accept")) {
            Files.writeString(DOCS.resolve(page), written);
        }

        assertThat(DOCS.resolve(page)).content().isEqualTo(written.toString());
    }

    @ParameterizedTest
    @MethodSource("pages")
    void fitOnANarrowTerminal(String page) {
        for (MatchResult block : blocks(page)) {
            COMMAND.matcher(block.group(1))
                    .results()
                    .filter(command -> command.group(3) == null)
                    // The names of events are longer than such a terminal is wide.
                    .filter(command -> !command.group(2).contains("--events"))
                    .forEach(command -> assertThat(
                                    screen(NARROW, command.group(2)).lines())
                            .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(NARROW)));
        }
    }

    @Test
    void areFound() throws IOException {
        assertThat(pages()).hasSizeGreaterThan(8);
    }

    private static String printed(String block) {
        Matcher command = COMMAND.matcher(block);
        StringBuilder screens = new StringBuilder();
        int end = 0;
        while (command.find()) {
            assertThat(block.substring(end, command.start()))
                    .as("lines that belong to no command")
                    .isEmpty();
            end = command.end();
            screens.append("$ ").append(command.group("command")).append('\n').append(output(command));
        }
        assertThat(end).as("the end of the last command's output").isEqualTo(block.length());
        return screens.toString();
    }

    private static String output(Matcher command) {
        String filter = command.group("filter");
        if (filter == null) {
            String screen = screen(COLUMNS, command.group("arguments"));
            assertThat(screen.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(COLUMNS));
            return screen;
        }
        String text = CapturedRun.of(arguments(command.group("arguments"))).out();
        int limit = Integer.parseInt(command.group("limit"));
        Stream<String> lines = filter.startsWith("head")
                ? text.lines().limit(limit)
                : text.lines().map(line -> line.substring(0, Math.min(limit, line.length())));
        return lines.map(line -> line.replace(THERE, NAMED) + "\n").collect(Collectors.joining());
    }

    private static String screen(int columns, String arguments) {
        return CapturedRun.onTerminal(columns, arguments(arguments))
                .out()
                .replaceAll("\u001b\\[[0-9;]*m", "")
                .replaceAll("(?m) +$", "")
                .replace(THERE, NAMED);
    }

    private static String[] arguments(String words) {
        return words.replace(NAMED, THERE).split(" ");
    }
}
