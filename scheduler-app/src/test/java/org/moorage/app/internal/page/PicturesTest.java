// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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

/** The pictures of answers in reports. Without a browser the tests are skipped. */
@Tag("any-jvm")
@EnabledIf("org.moorage.app.internal.page.Browser#isThere")
class PicturesTest {
    private static final int PHONE = 390;

    @AutoClose
    private static Browser browser;

    @TempDir
    private Path folder;

    @BeforeAll
    static void open() {
        browser = Browser.open();
    }

    private record Case(String name, List<String> command, List<String> texts, List<String> labels) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "drain",
                    List.of("drain", "node-1", "--delete-emptydir-data", "--cluster", CapturedRun.ZONES),
                    List.of(
                            "Where the rescheduled pods are Node Rescheduled pods Zone node-4 2 b node-2 1 a",
                            "Zones before and after: cpu before after Zone cpu requested, % of allocatable Before → after",
                            "a before: 76% after: 39% nodes 2, pods 6 → 4"),
                    List.of()),
            new Case(
                    "outage",
                    List.of("outage", "zone=a", "--cluster", CapturedRun.ZONES),
                    List.of(
                            "Where the rescheduled pods are Node Rescheduled pods Zone node-4 2 b node-5 1 c",
                            "a before: 76% after: no nodes nodes 2 → 0, pods 6 → 0"),
                    List.of()),
            new Case(
                    "scale-up",
                    List.of(
                            "scale-up",
                            "web-1",
                            "../examples/what-if/large.yaml",
                            "--max-nodes=20",
                            "--prices=../examples/what-if/prices.yaml",
                            "--cluster",
                            CapturedRun.FIRST),
                    List.of(
                            "Pending pods by number of new nodes",
                            "Price of the new nodes Type Cost per hour New nodes, pods left web-1 0.10 1 node, 1 pending"),
                    List.of("web-1: 2 pods pending with 0 nodes, 1 pod pending with 1 node, 1 pod pending with 2 nodes;"
                            + " large.yaml: 2 pods pending with 0 nodes, 1 pod pending with 1 node,"
                            + " 1 pod pending with 2 nodes")),
            new Case(
                    "scale-down",
                    List.of("scale-down", "--cluster", CapturedRun.ZONES),
                    List.of("Nodes that can be removed together, by instance type Instance type Removable nodes Nodes "
                            + "no instance type 1 of 5"),
                    List.of()),
            new Case(
                    "fit",
                    List.of("fit", "../examples/what-if/shop.yaml", "--cluster", CapturedRun.FIRST),
                    List.of("Pods by node Node Scheduled pods web-1 5 web-2 4"),
                    List.of()),
            new Case(
                    "compare",
                    List.of(
                            "compare",
                            "../examples/what-if/spread.yaml",
                            "../examples/what-if/packed.yaml",
                            "--cluster",
                            CapturedRun.FIRST),
                    List.of("Figures that differ spread.yaml packed.yaml", "cpu: imbalance, percentage points"),
                    List.of(
                            "Nodes by utilization of cpu. spread.yaml: 3 nodes below 25%, 2 below 50%, 1 below 75%, 0 above;"
                                    + " packed.yaml: 3 nodes below 25%, 2 below 50%, 1 below 75%, 0 above")));

    private void show(Case c) {
        Path file = folder.resolve("page.html");
        List<String> line = new ArrayList<>(c.command);
        line.addAll(List.of("--report", file.toString()));
        CapturedRun run = CapturedRun.of(line.toArray(String[]::new));
        assertThat(run.err()).contains("the page is in");
        browser.show(file.toUri().toString(), "#/answer");
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void answerTheQuestion(Case c) {
        show(c);

        String text =
                (String) browser.run("return document.querySelector('.pictures').innerText.replace(/\\s+/g, ' ')");
        assertThat(text).contains(c.texts);
        List<?> labels = (List<?>)
                browser.run("return [...document.querySelectorAll('.pictures .plot')].map((plot) => plot.ariaLabel)");
        assertThat(labels.containsAll(c.labels)).as("%s", labels).isTrue();
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void fitIntoANarrowWindowAndBothThemes(Case c) throws IOException {
        browser.size(PHONE, 844);
        try {
            show(c);
            for (String theme : List.of("light", "dark")) {
                browser.theme(theme);
                assertThat(browser.accessibilityFindings()).as(theme).isEmpty();
                assertThat(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"))
                        .as("nothing is wider than the window")
                        .isEqualTo(true);
            }
        } finally {
            browser.size(1440, 900);
        }
    }

    @Test
    void haveALegendInTheColoursOfTheBars() {
        show(CASES.get(0));

        assertThat(browser.run("const color = (selector) => getComputedStyle(document.querySelector(selector)).color;"
                        + " return [1, 2].every((at) => color(`.keys .series-${at}`) === color(`.bar-line.series-${at}`))"
                        + " && color('.keys .series-1') !== color('.keys .series-2')"))
                .isEqualTo(true);
    }
}
