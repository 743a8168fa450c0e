// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The screens of these pages are what the commands print. With the system property {@code screens.accept} the pages are written again.
 */
@Tag("any-jvm")
class CapacityScreensTest {
    private static final int COLUMNS = 120;
    private static final Pattern SCREEN = Pattern.compile("```\n\\$ moorage (.*)\n((?s:.*?))```\n");
    // Pages name files from the root, and tests run in the folder of the module.
    private static final String NAMED = "examples/";
    private static final String THERE = "../examples/";

    @ParameterizedTest
    @ValueSource(strings = {"plan/fit", "plan/scale-up", "plan/compare", "operate/cloud-settings"})
    void areOnThePage(String page) throws IOException {
        Path file = Path.of("..", "docs", page + ".md");
        String text = Files.readString(file);
        Matcher screen = SCREEN.matcher(text);
        StringBuilder written = new StringBuilder();
        int screens = 0;
        while (screen.find()) {
            String shown = shown(screen.group(1));
            assertThat(shown.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(COLUMNS));
            screen.appendReplacement(
                    written, Matcher.quoteReplacement("```\n$ moorage " + screen.group(1) + "\n" + shown + "```\n"));
            screens++;
        }
        screen.appendTail(written);

        assertThat(screens).isPositive();
        if (Boolean.getBoolean("screens.accept")) {
            Files.writeString(file, written);
        } else {
            assertThat(text).isEqualTo(written.toString());
        }
    }

    private static String shown(String command) {
        return CapturedRun.onTerminal(COLUMNS, command.replace(NAMED, THERE).split(" "))
                .out()
                .replaceAll("\u001b\\[[0-9;]*m", "")
                .replaceAll("(?m) +$", "")
                .replace(THERE, NAMED);
    }
}
