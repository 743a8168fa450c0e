// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.app.CapturedRun;
import org.openqa.selenium.Keys;

/** The view of the cluster before and after a drain or an outage. Without a browser the tests are skipped. */
@Tag("any-jvm")
@EnabledIf("org.moorage.app.internal.page.Browser#isThere")
class BeforeAndAfterTest {
    @AutoClose
    private static Browser browser;

    @TempDir
    private Path folder;

    @BeforeAll
    static void open() {
        browser = Browser.open();
    }

    private void show(String place, String... command) {
        Path file = folder.resolve("page.html");
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of("--cluster", CapturedRun.ZONES, "--report", file.toString()));
        CapturedRun run = CapturedRun.of(line.toArray(String[]::new));
        assertThat(run.err()).contains("the page is in");
        browser.show(file.toUri().toString(), place);
    }

    @ParameterizedTest
    @CsvSource({"outage zone=a,lost", "drain node-1 --delete-emptydir-data,drained"})
    void marksTheNodesThatAreDrainedOrLost(String command, String word) {
        show("#/compare", command.split(" ", -1));

        assertThat(browser.text(".legend")).endsWith("Crossed: " + word + ".");
        assertThat(browser.tabTo("canvas.tiles")).isTrue();
        browser.press(Keys.HOME);
        assertThat(browser.run("return document.querySelector('canvas.tiles').ariaValueText"))
                .asString()
                .startsWith("node-1, a · " + word);
        assertThat(browser.run("return [...document.querySelectorAll(\"table[aria-label='Nodes that changed'] td\")]"
                        + ".map((cell) => cell.textContent)"))
                .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                .contains("node-1" + word, "node-4");
    }

    @Test
    void showsOnlyTheChangedNodes() {
        show("#/compare?show=changed", "drain", "node-1", "--delete-emptydir-data");

        // Of five: the drained one, and the two that get its pods.
        assertThat(browser.run(
                        "return [...document.querySelectorAll('canvas.tiles')].map((field) => field.ariaValueMax)"))
                .isEqualTo(List.of("2", "2"));
    }

    @Test
    void countsPodsByTheWordsOfTheAnswer() {
        show("#/compare", "drain", "node-1", "--delete-emptydir-data");

        assertThat(browser.text(".stats"))
                .contains("rescheduled\n3", "DaemonSet or static pods\n1", "nodes changed\n3");
    }
}
