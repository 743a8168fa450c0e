// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The screens in docs/plan are what the commands print of the examples of running clusters. With the system property
 * {@code screens.accept} the pages are written again.
 */
@Tag("any-jvm")
class WhatIfScreensTest {
    private static final Path CLUSTERS = Path.of("..", "examples", "clusters");
    private static final Path FOLDER = Path.of("..", "docs", "plan");
    private static final List<String> PAGES = List.of("drain.md", "outage.md", "rebalance.md", "scale-down.md");
    private static final int COLUMNS = 120;
    private static final int NARROW = 80;
    private static final String BEGIN = "```\n$ moorage ";

    record Screen(Path page, String command) {}

    static Stream<Screen> screens() throws IOException {
        List<Screen> screens = new ArrayList<>();
        for (String name : PAGES) {
            Path page = FOLDER.resolve(name);
            String text = Files.readString(page);
            for (int at = text.indexOf(BEGIN); at >= 0; at = text.indexOf(BEGIN, at + 1)) {
                screens.add(new Screen(
                        page, text.substring(at + BEGIN.length(), text.indexOf('\n', at + BEGIN.length()))));
            }
        }
        return screens.stream();
    }

    @ParameterizedTest
    @MethodSource("screens")
    void isOnThePage(Screen shown) throws IOException {
        List<String> args = new ArrayList<>(List.of(shown.command.split(" ", -1)));
        args.replaceAll(arg -> arg.endsWith(".yaml") ? CLUSTERS.resolve(arg).toString() : arg);

        String screen = CapturedRun.onTerminal(COLUMNS, args.toArray(String[]::new))
                .out()
                .replaceAll("\u001b\\[[0-9;]*m", "");

        String page = Files.readString(shown.page);
        String first = BEGIN + shown.command + "\n";
        int begin = page.indexOf(first) + first.length();
        int end = page.indexOf("```\n", begin);
        if (Boolean.getBoolean("screens.accept")) {
            Files.writeString(shown.page, page.substring(0, begin) + screen + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(screen);
        }
        assertThat(screen.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(COLUMNS));
    }

    @ParameterizedTest
    @MethodSource("screens")
    void fitsOnANarrowTerminal(Screen shown) {
        List<String> args = new ArrayList<>(List.of(shown.command.split(" ", -1)));
        args.replaceAll(arg -> arg.endsWith(".yaml") ? CLUSTERS.resolve(arg).toString() : arg);

        String screen = CapturedRun.onTerminal(NARROW, args.toArray(String[]::new))
                .out()
                .replaceAll("\u001b\\[[0-9;]*m", "");

        assertThat(screen.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(NARROW));
    }
}
