// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
import org.moorage.app.internal.serving.Reply;

/** The page of a running scheduler in a browser. Without one the tests are skipped. */
@Tag("any-jvm")
@EnabledIf("org.moorage.app.internal.page.Browser#isThere")
class LivePageTest {
    private static final String ASKED = "document.getElementById('view').textContent.includes('Scheduling decision')";

    private static Browser browser;
    private static LivePage live;

    @TempDir
    private Path folder;

    @BeforeAll
    static void open(@TempDir Path folder) {
        live = LivePage.start(folder, 20, 110, 5);
        browser = Browser.open();
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.close();
        }
        if (live != null) {
            live.close();
        }
    }

    @BeforeEach
    void forgetComplaints() {
        List<String> ignored = browser.complaints();
    }

    private record Case(String name, String pod, List<String> texts) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a pod that fits nowhere",
                    "llm-",
                    List.of(
                            "Unschedulable for 3m",
                            "tried 5 times",
                            "Rejected by, and tried again at",
                            "NodeResourcesFit",
                            "NodeAdd",
                            "Attempts, the last one first",
                            "4 times since",
                            "Insufficient nvidia.com/gpu",
                            "Any of these would make it fit")),
            new Case(
                    "a pod that is gated",
                    "nightly-",
                    List.of("Gated for", "by SchedulingGates", "and was not tried yet")),
            new Case("a pod on a node", "web-", List.of("It is on node-")));

    @ParameterizedTest
    @FieldSource("CASES")
    void explainsAPendingPodAndItsAttempts(Case c) {
        browser.show(live.address(), "#/pod?key=" + live.pod(c.pod));
        browser.until(ASKED);

        assertThat(browser.text("main")).contains(c.texts);
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void showsTheAttemptThatIsOpened() {
        browser.show(live.address(), "#/pod?key=" + live.pod("llm-"));
        browser.until("document.querySelectorAll('.attempts tbody tr:not(.space)').length === 2");
        assertThat(browser.text(".attempt")).contains("0/21 nodes are available");

        browser.click(".attempts tbody tr:nth-child(2) td");

        assertThat(browser.text(".attempt")).contains("0/20 nodes are available");
    }

    @Test
    void showsThePartsOfTheQueueAndTheirPods() {
        browser.show(live.address(), "#/waiting");
        assertThat(browser.text(".queue"))
                .contains("gated", "unschedulable")
                .containsPattern("for up to \\d+m \\d+s, tried up to 5 times");

        browser.click(".queue a[href*='state=gated']");

        assertThat(browser.address()).endsWith("#/waiting?state=gated");
        assertThat(browser.count(".reason-row")).isEqualTo(1);
        assertThat(browser.text(".reason-row")).contains("gated", "SchedulingGates", "not tried");

        browser.click(".reason-row .head");
        browser.click(".reason-row th[data-key='attempts'] button");
        assertThat(browser.text(".reason-row table.data")).contains("In the queue", "Attempts");
        assertThat(browser.complaints()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void hasNoAccessibilityFinding(String theme) throws IOException {
        browser.show(live.address(), "#/pod?key=" + live.pod("llm-"));
        browser.until(ASKED);
        browser.theme(theme);
        assertThat(browser.accessibilityFindings()).isEmpty();

        browser.go("#/waiting");
        assertThat(browser.accessibilityFindings()).isEmpty();
        assertThat(browser.complaints()).isEmpty();
        browser.theme("light");
    }

    @Test
    void reloadsTheClusterAndReportsAMissingPod() {
        browser.show(live.address(), "#/pod?key=" + live.pod("web-"));
        browser.until(ASKED);
        browser.run("document.querySelector('main').dataset.old = 'yes'; document.querySelector('#view > *').remove()");
        browser.click("#refresh");
        browser.until(ASKED);

        browser.go("#/pod?key=default/nobody");
        browser.until(
                "document.getElementById('view').textContent.includes('404 pod default/nobody: the scheduler knows no such pod')");
        browser.until("document.getElementById('view').textContent.includes('404 pod: \"default/nobody\"')");
    }

    @Test
    void saysThatNoAttemptsAreKept() {
        try (LivePage page = LivePage.start(folder, 5, 20, 0)) {
            browser.show(page.address(), "#/pod?key=" + page.pod("llm-"));
            browser.until("document.getElementById('view').textContent.includes('it runs without --keep-attempts')");

            assertThat(browser.text("main")).contains("Why it is pending");
        }
    }

    @Test
    void showsTextsOfStrangersAsTexts() {
        ObjectNode told = PageFixture.JSON
                .createObjectNode()
                .put("pod", PageFixture.HOSTILE)
                .put("state", "queued")
                .put("node", "")
                .put("nominatedNode", PageFixture.HOSTILE)
                .put("podGroup", PageFixture.HOSTILE)
                .put("keptAttempts", 1);
        ObjectNode queue = told.putObject("queue")
                .put("in", "gated")
                .put("forSeconds", 1)
                .put("attempts", 1)
                .put("backoffSeconds", 0);
        queue.putObject("gate").put("plugin", PageFixture.HOSTILE).put("message", PageFixture.HOSTILE);
        queue.putArray("rejectedBy")
                .addObject()
                .put("plugin", PageFixture.HOSTILE)
                .putArray("movedBy")
                .add(PageFixture.HOSTILE);
        for (String list : List.of("attempts", "groupAttempts")) {
            ArrayNode attempts = told.putArray(list);
            ObjectNode attempt = attempts.addObject().put("times", 2).put("evaluatedNodes", 1);
            for (String field : List.of("at", "firstAt", "result", "node", "message", "postFilter", "nominatedNode")) {
                attempt.put(field, PageFixture.HOSTILE);
            }
            attempt.putArray("reasons")
                    .addObject()
                    .put("plugin", PageFixture.HOSTILE)
                    .put("reason", PageFixture.HOSTILE)
                    .put("nodes", 2)
                    .putArray("examples")
                    .add(PageFixture.HOSTILE);
            attempt.putArray("best")
                    .addObject()
                    .put("node", PageFixture.HOSTILE)
                    .put("score", 1);
        }
        try (LivePage page = LivePage.telling(folder, 5, 20, query -> Reply.json(200, told.toString()))) {
            browser.show(page.address(), "#/pod?key=" + page.pod("llm-"));
            browser.until("document.querySelectorAll('.attempts').length === 2");

            assertThat(browser.text(".attempts")).contains(PageFixture.HOSTILE);
            assertThat(browser.run("return String(window.pwned)")).isEqualTo("undefined");
            assertThat(browser.count("img")).isZero();
            assertThat(browser.complaints()).isEmpty();
        }
    }
}
