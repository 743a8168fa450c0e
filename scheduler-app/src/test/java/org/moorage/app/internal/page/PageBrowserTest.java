// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.app.internal.answer.GroupResult;
import org.moorage.app.internal.report.JsonAnswer;
import org.moorage.app.internal.report.ReportBlocks;
import org.moorage.testkit.Pods;
import org.openqa.selenium.Keys;

/** The page in a browser. Without one the tests are skipped. */
@Tag("any-jvm")
@EnabledIf("org.moorage.app.internal.page.Browser#isThere")
class PageBrowserTest {
    private static final List<String> VIEWS = List.of(
            "#/overview",
            "#/waiting",
            "#/nodes?node=node-0003",
            "#/pods",
            "#/pod",
            "#/compare",
            "#/groups",
            "#/answer");

    private static final double MOST_MILLISECONDS = 100;
    private static final int TIMES = 5;

    private static Browser browser;
    private static String small;
    private static String large;
    private static String hostile;

    @BeforeAll
    static void open(@TempDir Path folder) throws IOException {
        small = write(folder.resolve("small.html"), withEverything(folder));
        large = write(folder.resolve("large.html"), PageFixture.generated(folder, 5_000, 20_000));
        hostile = write(folder.resolve("hostile.html"), PageFixture.hostile(folder));
        browser = Browser.open();
    }

    private static String write(Path file, PageContent.Builder content) {
        HtmlReport.write(file, content.build());
        return file.toUri().toString();
    }

    private static PageContent.Builder withEverything(Path folder) {
        PageContent.Builder content = PageFixture.simulated(folder, 20, 110, "web", "search");
        GroupResult group = new GroupResult(
                "PodGroup",
                "team-a/training",
                Optional.empty(),
                "unschedulable",
                "0/20 nodes are available",
                1,
                4,
                4,
                "",
                Optional.empty(),
                List.of(Pods.named("training-0").namespace("team-a").build()),
                List.of());
        ObjectNode answer = PageFixture.JSON.createObjectNode().put("question", "drain");
        answer.putArray("nodes").addObject().put("node", "node-0001").put("pods", 3);
        return content.groups(List.of(group))
                .answer(new PageAnswer(
                        "drain node-0001",
                        true,
                        "node-0001 is drained: of 3 pods 3 are rescheduled.",
                        List.of(new PageAnswer.Figure("rescheduled", "3")),
                        List.of(
                                new ReportBlocks.Heading("Budgets:"),
                                new ReportBlocks.Table(
                                        List.of(
                                                new ReportBlocks.Column("POD", false),
                                                new ReportBlocks.Column("ROUND", true)),
                                        List.of(List.of(
                                                new ReportBlocks.Value("team-a/training-0", ""),
                                                new ReportBlocks.Value("1", "good")))),
                                new ReportBlocks.Text("Nothing is preempted.", "")),
                        new JsonAnswer(answer)));
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void forgetComplaints() {
        List<String> ignored = browser.complaints();
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void noViewHasAnErrorOrAnAccessibilityFinding(String theme) throws IOException {
        browser.show(small, "#/");
        browser.theme(theme);
        for (String view : VIEWS) {
            browser.go(view);
            assertThat(browser.accessibilityFindings()).as(view).isEmpty();
            assertThat(browser.count("#failure:not([hidden])")).as(view).isZero();
        }
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void showsTextsOfStrangersAsTexts() {
        browser.show(hostile, "#/");
        for (String view : List.of(
                "#/overview", "#/waiting", "#/nodes?node=node-a", "#/pods", "#/pod?key=default/pod-a", "#/answer")) {
            browser.go(view);
            assertThat(browser.run("return String(window.pwned)")).as(view).isEqualTo("undefined");
            assertThat(browser.count("img")).as(view).isZero();
        }
        assertThat(browser.text("h1")).isEqualTo(PageFixture.HOSTILE);
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void isUsedByTheKeyboardAlone() {
        browser.show(small, "#/");

        browser.press("/");
        browser.press("node-0003", Keys.ENTER);
        assertThat(browser.address()).endsWith("#/nodes?node=node-0003");
        assertThat(browser.text(".side h2")).isEqualTo("node-0003");

        assertThat(browser.tabTo("canvas.tiles")).isTrue();
        browser.press(Keys.HOME);
        String first = (String) browser.run("return document.querySelector('canvas.tiles').ariaValueText");
        browser.press(Keys.ARROW_RIGHT);
        String second = (String) browser.run("return document.querySelector('canvas.tiles').ariaValueText");
        assertThat(first).startsWith("node-");
        assertThat(second).startsWith("node-").isNotEqualTo(first);
        browser.press(Keys.ENTER);
        assertThat(browser.text(".side h2")).isEqualTo(second.substring(0, second.indexOf(',')));
        browser.press(Keys.ESCAPE);
        browser.press(Keys.ESCAPE);
        assertThat(browser.address()).endsWith("#/nodes");

        browser.press("5");
        assertThat(browser.address()).endsWith("#/pods");
        assertThat(browser.tabTo("table.data")).isTrue();
        browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN);
        browser.press(Keys.ENTER);
        assertThat(browser.address()).contains("#/pod?key=");
    }

    @Test
    void searchesAndKeepsWhatIsSearchedInTheAddress() {
        browser.show(small, "#/pods");
        browser.type("input[aria-label='Search pods']", "web node-0001");
        String found = browser.text(".summary");
        assertThat(found).matches("\\d+ of \\d+ pods");
        browser.click("th button[title='Sort by cpu']");
        String address = browser.address();
        assertThat(address).contains("q=web+node-0001").contains("sort=-cpu");
        String firstRow = browser.text("table.data tbody tr:not(.space)");

        browser.show(address.substring(0, address.indexOf('#')), address.substring(address.indexOf('#')));

        assertThat(browser.text(".summary")).isEqualTo(found);
        assertThat(browser.text("table.data tbody tr:not(.space)")).isEqualTo(firstRow);
        assertThat(browser.count("th[aria-sort='descending']")).isEqualTo(1);
    }

    @Test
    void showsAMessageForAnUnknownAddress() {
        browser.show(small, "#/%");
        for (String place : List.of(
                "#/nobody",
                "#/pod?key=constructor",
                "#/pod?key=__proto__",
                "#/nodes?node=nobody&by=nothing&group=x&sort=-y",
                "#/pods?q=%00&namespace=x&state=toString",
                "#/waiting?row=x",
                "#/compare?kind=x&sort=x")) {
            browser.go(place);

            assertThat(browser.count("#view *")).as(place).isPositive();
            assertThat(browser.count("#failure:not([hidden])")).as(place).isZero();
        }
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void goesBackToWhatWasSelected() {
        browser.show(small, "#/waiting");
        browser.click(".reason-row .head");
        assertThat(browser.count(".reason-row.open")).isEqualTo(1);
        browser.click(".reason-row.open .detail td a");
        assertThat(browser.address()).contains("#/pod?key=");
        browser.back();
        assertThat(browser.count(".reason-row.open")).isEqualTo(1);
    }

    @Test
    void hasOneRowForEqualSetsOfReasonsRegardlessOfCounts() {
        browser.show(large, "#/waiting");
        List<Object> rows = new ArrayList<>((List<?>) browser.run(
                "return [...document.querySelectorAll('.reason-row .reasons')].map((row) => row.textContent)"));
        assertThat(rows).isNotEmpty().doesNotHaveDuplicates();
        assertThat(rows).noneMatch(row -> row.toString().matches(".*\\d+ node\\(s\\).*"));
    }

    @Test
    void hasNoCutColumnAt1280Pixels() {
        browser.size(1280, 900);
        browser.show(small, "#/");
        for (String view : VIEWS) {
            browser.go(view);
            assertThat(browser.run("return [...document.querySelectorAll('.scroller')]"
                            + ".filter((table) => table.scrollWidth > table.clientWidth).length"))
                    .as(view)
                    .isEqualTo(0L);
        }
        browser.size(1440, 900);
    }

    @Test
    void isNoWiderThanAPhoneAndShowsTheCurrentTab() {
        browser.size(390, 844);
        browser.show(small, "#/");
        for (String view : VIEWS) {
            browser.go(view);
            assertThat(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"))
                    .as(view)
                    .isEqualTo(true);
            assertThat(browser.run("const tab = document.querySelector('#tabs [aria-current]').getBoundingClientRect();"
                            + " return tab.left >= 0 && tab.right <= window.innerWidth"))
                    .as(view)
                    .isEqualTo(true);
        }
        browser.size(1440, 900);
    }

    @Test
    void fillsTilesByCpuFirst() {
        browser.show(small, "#/nodes");
        assertThat(browser.run("return document.querySelector('.choice select').value"))
                .isEqualTo("cpu");
        assertThat(browser.text(".legend")).startsWith("cpu requested:").contains("100% of allocatable");

        browser.go("#/nodes?by=fullest");
        assertThat(browser.text(".legend")).startsWith("The fullest resource requested:");
    }

    @Test
    void drawsAHistogramOfNodesForEachResource() {
        browser.show(small, "#/overview");
        browser.until("document.querySelectorAll('.plot canvas').length === 3");

        assertThat(browser.run("return [...document.querySelectorAll('.plot')].map((plot) => plot.ariaLabel)"))
                .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                .satisfiesExactly(
                        label -> assertThat(label)
                                .matches("Nodes by utilization of cpu. \\d+ nodes below 25%, \\d+ below 50%,"
                                        + " \\d+ below 75%, \\d+ above"),
                        label -> assertThat(label).startsWith("Nodes by utilization of memory."),
                        label -> assertThat(label).startsWith("Nodes by utilization of nvidia.com/gpu."));
        assertThat(browser.run("return [...document.querySelectorAll('.plot .u-axis')].length"))
                .isEqualTo(6L);
    }

    @Test
    void showsWhatPluginsSayOfEachNode() {
        browser.show(small, "#/pod");
        assertThat(browser.text("main")).contains("Scheduling decision", "Weighted scores", "Nodes and plugins");
    }

    @Test
    void remembersTheThemeThatIsChosen() {
        browser.show(small, "#/");
        browser.theme("dark");
        browser.show(small, "#/");
        assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo("dark");
        browser.theme("light");
    }

    @Test
    void followsTheThemeOfTheSystemUntilOneIsChosen() {
        browser.systemTheme("light");
        browser.show(small, "#/");
        browser.run("localStorage.removeItem('moorage-theme')");
        browser.show(small, "#/");
        browser.systemTheme("dark");
        assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo("dark");

        browser.theme("light");
        browser.systemTheme("light");
        browser.systemTheme("dark");
        assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo("light");
        browser.systemTheme("light");
    }

    private List<String> suggested(String typed) {
        browser.type("#search", typed);
        return Stream.of(browser.run("return [...document.querySelectorAll('#suggestions option')]"
                                + ".map((option) => option.value).join('\\n')")
                        .toString()
                        .split("\n", -1))
                .toList();
    }

    @Test
    void suggestsNamesOfNodesPodsAndOwnersWhileTyping() {
        browser.show(large, "#/");

        assertThat(suggested("NODE-12")).hasSize(20).allMatch(name -> name.startsWith("node-12"));
        assertThat(suggested("no such name")).containsExactly("");
        List<String> owners = suggested("web");
        assertThat(owners).hasSizeBetween(2, 20).allMatch(name -> name.contains("/web"));

        browser.type("#search", owners.get(0));
        browser.press(Keys.ENTER);
        assertThat(browser.address()).contains("#/pods?q=");
        assertThat(browser.text(".summary")).matches("[\\d,]+ of 20,000 pods").doesNotStartWith("0 ");
        browser.type("#search", browser.text("table.data tbody tr:not(.space) td"));
        browser.press(Keys.ENTER);
        assertThat(browser.address()).contains("#/pod?key=");
    }

    @Test
    void copiesTheCommand() {
        browser.show(small, "#/");
        browser.run("Object.defineProperty(navigator, 'clipboard', {configurable: true, value:"
                + " {writeText: (text) => { window.copied = text; return Promise.resolve(); }}})");

        browser.click(".copy");

        assertThat(browser.run("return window.copied"))
                .isEqualTo("moorage simulate cluster-20.jsonl --report page.html");
        assertThat(browser.run("return document.getElementById('announcement').textContent"))
                .isEqualTo("Copied");
    }

    @Test
    void selectsTheCommandWhereItMayNotBeCopied() {
        browser.show(small, "#/");
        browser.run("Object.defineProperty(navigator, 'clipboard', {configurable: true, value: undefined});"
                + " document.execCommand = () => false");

        browser.click(".copy");

        assertThat(browser.run("return getSelection().toString()"))
                .isEqualTo("moorage simulate cluster-20.jsonl --report page.html");
        assertThat(browser.run("return document.getElementById('announcement').textContent"))
                .isEqualTo("Selected: press Ctrl+C");
    }

    private record Interaction(String name, String view, String script) {
        @Override
        public String toString() {
            return name;
        }

        List<String> scripts() {
            List<String> scripts = new ArrayList<>();
            for (int i = 0; i < TIMES; i++) {
                scripts.add(script.replace("%d", Integer.toString(i + 1)));
            }
            return scripts;
        }
    }

    private static String typed(String label, String text) {
        return "(() => { const field = document.querySelector(\"input[aria-label='" + label + "']\"); field.value = '"
                + text + "'; field.dispatchEvent(new Event('input')); })()";
    }

    static final List<Interaction> INTERACTIONS = List.of(
            new Interaction("nodes are searched", "#/nodes", typed("Search nodes", "node-%d")),
            new Interaction(
                    "nodes are sorted", "#/nodes", "document.querySelector(\"th[data-key='cpu'] button\").click()"),
            new Interaction("a node is selected", "#/nodes", "location.hash = '#/nodes?node=node-000%d'"),
            new Interaction(
                    "tiles are grouped otherwise",
                    "#/nodes",
                    "location.hash = %d % 2 ? '#/nodes?group=type' : '#/nodes?group=none'"),
            new Interaction(
                    "tiles are ordered otherwise",
                    "#/nodes",
                    "location.hash = %d % 2 ? '#/nodes?order=name' : '#/nodes'"),
            new Interaction(
                    "a key moves over the tiles",
                    "#/nodes",
                    "document.querySelector('canvas.tiles').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}))"),
            new Interaction("pods are searched", "#/pods", typed("Search pods", "team-a web-%d")),
            new Interaction("names are suggested", "#/pods", typed("Find a node, pod or owner", "7%d")),
            new Interaction(
                    "pods are sorted", "#/pods", "document.querySelector(\"th[data-key='memory'] button\").click()"),
            new Interaction(
                    "a table is scrolled", "#/pods", "document.querySelector('.scroller').scrollTop = 40000 * %d"),
            new Interaction("another view is shown", "#/pods", "location.hash = %d % 2 ? '#/nodes' : '#/overview'"));

    @ParameterizedTest
    @FieldSource("INTERACTIONS")
    void answersAtOnceAtFiveThousandNodes(Interaction interaction) {
        if (browser.address().startsWith(large)) {
            browser.go(interaction.view);
        } else {
            browser.show(large, interaction.view);
        }

        Browser.Took took = browser.took(interaction.scripts());

        System.err.println(String.format(
                Locale.ROOT,
                "%s: %.0f ms, %.0f ms of the processor",
                interaction.name,
                took.byClock(),
                took.ofProcessor()));
        assertThat(took.ofProcessor()).isLessThan(MOST_MILLISECONDS);
    }
}
