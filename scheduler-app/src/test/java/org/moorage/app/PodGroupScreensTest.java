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
 * The screens in docs/reference/pod-groups.md are what the commands print. With the system property
 * {@code screens.accept} the page is written again.
 */
@Tag("any-jvm")
class PodGroupScreensTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "pod-groups.md");
    private static final int COLUMNS = 110;
    private static final String BEGIN = "```\n$ moorage ";

    static Stream<String> commands() throws IOException {
        List<String> commands = new ArrayList<>();
        String page = Files.readString(PAGE);
        for (int at = page.indexOf(BEGIN); at >= 0; at = page.indexOf(BEGIN, at + 1)) {
            commands.add(page.substring(at + BEGIN.length(), page.indexOf('\n', at + BEGIN.length())));
        }
        return commands.stream();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void isOnThePage(String command) throws IOException {
        List<String> args = new ArrayList<>(List.of(command.split(" ", -1)));
        args.replaceAll(arg -> arg.equals("groups.yaml") ? CapturedRun.GROUPS : arg);
        args.add(1, "--feature-gates");
        args.add(2, CapturedRun.GROUP_GATES);

        String screen = CapturedRun.onTerminal(COLUMNS, args.toArray(String[]::new))
                .out()
                .replaceAll("\u001b\\[[0-9;]*m", "");

        String page = Files.readString(PAGE);
        String first = BEGIN + command + "\n";
        int begin = page.indexOf(first) + first.length();
        int end = page.indexOf("```\n", begin);
        if (Boolean.getBoolean("screens.accept")) {
            Files.writeString(PAGE, page.substring(0, begin) + screen + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(screen);
        }
        assertThat(screen.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(COLUMNS));
    }
}
