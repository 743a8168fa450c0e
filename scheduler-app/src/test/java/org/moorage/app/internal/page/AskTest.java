// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.app.CapturedRun;
import org.moorage.app.RunningUi;

/** Questions that are asked in the page of {@code ui}. Without a browser the tests are skipped. */
@Tag("any-jvm")
@EnabledIf("org.moorage.app.internal.page.Browser#isThere")
class AskTest {
    private static final Path FITTING = Path.of("..", "examples", "clusters", "stateful-set.yaml");

    private static @Nullable Browser opened;
    private static @Nullable RunningUi ui;

    private final Browser browser = Objects.requireNonNull(opened, "opened");

    @BeforeAll
    static void open() throws InterruptedException, ExecutionException, TimeoutException {
        opened = Browser.open();
        ui = RunningUi.of("--now", CapturedRun.ZONES);
    }

    @AfterAll
    static void close() throws InterruptedException, ExecutionException, TimeoutException {
        if (opened != null) {
            opened.close();
        }
        if (ui != null) {
            ui.stop();
        }
    }

    @BeforeEach
    void show() {
        browser.show("https://" + Objects.requireNonNull(ui, "ui").address() + "/", "#/ask");
        // Those of the test before.
        List<String> ignored = browser.complaints();
    }

    private record Asked(String form, String field, String text, List<String> command) {
        @Override
        public String toString() {
            return form;
        }
    }

    static final List<Asked> ASKED = List.of(
            new Asked("Drain nodes", "input[type=text]", "node-1", List.of("drain", "node-1")),
            new Asked("Fail nodes", "input[type=text]", "zone=a", List.of("outage", "zone=a")),
            new Asked("Add nodes", "input[type=text]", "node-1", List.of("scale-up", "node-1", "--max-nodes=10")));

    private void send(String form) {
        browser.click(".panel[aria-label='" + form + "'] button");
        browser.until("!document.querySelector('.ask button[disabled]')");
        browser.settle();
    }

    @ParameterizedTest
    @FieldSource("ASKED")
    void showsTheAnswerOfTheCommand(Asked asked) {
        List<String> command = new ArrayList<>(asked.command);
        command.addAll(List.of("--cluster", CapturedRun.ZONES));
        String printed = CapturedRun.of(command.toArray(String[]::new)).out();

        browser.type(".panel[aria-label='" + asked.form + "'] " + asked.field, asked.text);
        send(asked.form);

        assertThat(browser.address()).endsWith("#/answer");
        assertThat(printed).contains(browser.text(".headline").replaceFirst("^(Yes|No) ", ""));

        browser.click("#home");
        assertThat(browser.address()).endsWith("#/overview");
        assertThat(browser.count("#tabs [data-view=answer]")).isZero();
        browser.go("#/ask");
        assertThat(browser.run("return document.querySelector(\".panel[aria-label='" + asked.form + "'] " + asked.field
                        + "\").value"))
                .isEqualTo(asked.text);
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void fitsAManifest() throws IOException {
        Object ignored = browser.run("document.querySelector('.ask textarea').value = "
                + PageFixture.JSON.writeValueAsString(Files.readString(FITTING)));
        send("Fit a manifest");

        assertThat(CapturedRun.of("fit", FITTING.toString(), "--cluster", CapturedRun.ZONES)
                        .out())
                .contains(browser.text(".headline").replaceFirst("^(Yes|No) ", ""));
    }

    @Test
    void showsWhyAQuestionIsRefused() {
        browser.type(".panel[aria-label='Drain nodes'] input[type=text]", "no-such-node");
        send("Drain nodes");

        assertThat(browser.text(".ask .failure:not([hidden])"))
                .isEqualTo("node \"no-such-node\" is not among the 5 nodes of the cluster.");
        assertThat(browser.address()).endsWith("#/ask");
    }

    @Test
    void suggestsTheNamesOfNodes() {
        browser.type(".panel[aria-label='Drain nodes'] input[type=text]", "node-1 node-2");

        assertThat(browser.run("return [...document.querySelectorAll('.ask datalist')][0].firstElementChild.value"))
                .isEqualTo("node-1 node-2");
    }

    @Test
    void leadsFromANodeToItsDrain() {
        browser.go("#/nodes?node=node-1");
        browser.run(
                "[...document.querySelectorAll('.side a')].find((a) => a.textContent === 'drain this node').click()");
        browser.settle();

        assertThat(browser.run("return document.querySelector('.ask input[type=text]').value"))
                .isEqualTo("node-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void hasNoFinding(String theme) throws IOException {
        browser.theme(theme);
        assertThat(browser.accessibilityFindings()).isEmpty();

        browser.type(".panel[aria-label='Drain nodes'] input[type=text]", "no-such-node");
        send("Drain nodes");
        assertThat(browser.accessibilityFindings()).isEmpty();

        browser.type(".panel[aria-label='Drain nodes'] input[type=text]", "node-1");
        send("Drain nodes");
        assertThat(browser.accessibilityFindings()).isEmpty();
    }
}
