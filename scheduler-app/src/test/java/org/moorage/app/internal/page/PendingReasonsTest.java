// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.app.CapturedRun;

/** The reasons of pending pods on the page of a report. Without a browser the tests are skipped. */
@Tag("any-jvm")
@EnabledIf("org.moorage.app.internal.page.Browser#isThere")
class PendingReasonsTest {
    private static final String NOT_EVALUATED = "not evaluated: the pod was pending before";

    @AutoClose
    private static Browser browser;

    @TempDir
    private Path folder;

    @BeforeAll
    static void open() {
        browser = Browser.open();
    }

    private record Case(String name, List<String> command, List<String> reasons, List<String> without) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "drain reports them",
                    List.of("drain", "web-2", "--force"),
                    List.of("Insufficient example.com/gpu", "waiting for scheduling gates"),
                    List.of()),
            new Case(
                    "scale-up reports those that no new node helps",
                    List.of("scale-up", "web-1", "--max-nodes=2"),
                    List.of(
                            "Insufficient example.com/gpu",
                            "with 1 new web-1 node",
                            "schedulable to a new node",
                            "schedulable on an existing node, or not evaluated"),
                    List.of(NOT_EVALUATED)),
            new Case(
                    "compare reports them for the first configuration",
                    List.of("compare", "../examples/what-if/spread.yaml", "../examples/what-if/packed.yaml"),
                    List.of("Insufficient example.com/gpu", "with spread.yaml", "schedulable to a node"),
                    List.of(NOT_EVALUATED)),
            new Case(
                    "fit does not evaluate them",
                    List.of("fit", "../examples/what-if/shop.yaml"),
                    List.of(NOT_EVALUATED),
                    List.of()),
            new Case(
                    "explain evaluates one of them",
                    List.of("explain", "train"),
                    List.of("Insufficient example.com/gpu", NOT_EVALUATED),
                    List.of()));

    private void show(List<String> command, String place) {
        Path file = folder.resolve("page.html");
        List<String> line = new ArrayList<>(command);
        line.addAll(List.of("--cluster", CapturedRun.FIRST, "--report", file.toString()));
        CapturedRun run = CapturedRun.of(line.toArray(String[]::new));
        assertThat(run.err()).contains("the page is in");
        browser.show(file.toUri().toString(), place);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void areShownForEachPod(Case c) {
        show(c.command, "#/waiting");

        String text = browser.text("main");
        assertThat(text).contains(c.reasons);
        assertThat(c.without).noneMatch(text::contains);
        assertThat(browser.run("return [...document.querySelectorAll('.reasons')]"
                        + ".every((row) => row.querySelector('.reason') !== null)"))
                .isEqualTo(true);
    }

    @Test
    void areTheSameInEveryView() {
        show(List.of("drain", "web-2", "--force"), "#/overview");
        assertThat(browser.text("main")).contains("Insufficient example.com/gpu");

        browser.go("#/pods?q=train");
        assertThat(browser.text("table.data tbody")).contains("unschedulable", "nodes are available");

        browser.go("#/pod?key=default/train");
        assertThat(browser.text("main")).contains("Reason", "Insufficient example.com/gpu");
    }
}
