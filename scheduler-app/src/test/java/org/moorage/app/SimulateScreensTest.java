// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The screens in docs/plan/simulate.md are what the command prints. With the system property {@code screens.accept} the
 * page is written again.
 */
@Tag("any-jvm")
class SimulateScreensTest {
    private static final Path PAGE = Path.of("..", "docs", "plan", "simulate.md");
    private static final int COLUMNS = 120;
    private static final String ACCEPT = "screens.accept";

    @TempDir
    Path folder;

    // How long it took is another matter on each machine.
    private static String withoutTime(String screen) {
        return screen.replaceAll(" in [0-9.]+ s\n", " in 0.00 s\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 1_000})
    void isOnThePage(int nodes) throws IOException {
        compare(nodes);
    }

    // Takes half a minute.
    @Test
    @EnabledIfSystemProperty(named = ACCEPT, matches = "true")
    void isOnThePageAlsoForALargeCluster() throws IOException {
        compare(10_000);
    }

    private void compare(int nodes) throws IOException {
        Path cluster = Files.writeString(folder.resolve("cluster.jsonl"), GeneratedCluster.of(nodes));
        String command = "```\n$ moorage simulate cluster-" + nodes + ".jsonl\n";
        long start = System.nanoTime();

        String screen = CapturedRun.onTerminal(COLUMNS, "simulate", cluster.toString())
                .out()
                .replaceAll("\u001b\\[[0-9;]*m", "");

        String page = Files.readString(PAGE);
        int begin = page.indexOf(command) + command.length();
        int end = page.indexOf("```\n", begin);
        if (Boolean.getBoolean(ACCEPT)) {
            double seconds = (System.nanoTime() - start) / 1e9;
            String timed = screen.replace(" in 0.00 s\n", String.format(Locale.ROOT, " in %.2f s\n", seconds));
            Files.writeString(PAGE, page.substring(0, begin) + timed + page.substring(end));
        } else {
            assertThat(withoutTime(page.substring(begin, end))).isEqualTo(screen);
        }
        assertThat(screen.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(COLUMNS));
    }
}
