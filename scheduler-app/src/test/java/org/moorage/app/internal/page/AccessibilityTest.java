// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.app.CapturedRun;

/**
 * States of a report's page in which parts are opened or selected, for axe-core. Without a browser the tests are
 * skipped.
 */
@Tag("any-jvm")
@EnabledIf("org.moorage.app.internal.page.Browser#isThere")
class AccessibilityTest {
    private static final List<String> SIMULATED = List.of("simulate", CapturedRun.FIRST);
    private static final List<String> DRAINED =
            List.of("drain", "node-1", "--delete-emptydir-data", "--cluster", CapturedRun.ZONES);
    private static final List<String> EXPLAINED = List.of("explain", "train", "--cluster", CapturedRun.FIRST);
    private static final List<String> GROUPS =
            List.of("simulate", CapturedRun.GROUPS, "--feature-gates", CapturedRun.GROUP_GATES);

    @AutoClose
    private static Browser browser;

    @TempDir
    private Path folder;

    @BeforeAll
    static void open() {
        browser = Browser.open();
    }

    /** A place in a page, and what is clicked there; nothing if it is empty. */
    private record State(String name, List<String> command, String place, String click) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<State> STATES = List.of(
            new State("an opened row of pending pods", SIMULATED, "#/waiting", ".reason-row .head"),
            new State("cordoned nodes", SIMULATED, "#/nodes", ""),
            new State("a selected node that is cordoned", SIMULATED, "#/nodes?node=web-3", ""),
            new State("pending pods among others", SIMULATED, "#/pods?sort=node", ""),
            new State("all fields of an answer", DRAINED, "#/answer", "details.fields > summary"),
            new State("drained nodes", DRAINED, "#/compare?show=changed", ""),
            new State("a pod that no node takes", EXPLAINED, "#/pod", "tbody tr:not(.space) td"),
            new State("a selected group", GROUPS, "#/groups", "tbody tr:not(.space) td"),
            new State("a search without a match", SIMULATED, "#/pods?q=nothing+like+this", ""));

    static Stream<Arguments> states() {
        return STATES.stream().flatMap(state -> Stream.of("light", "dark").map(theme -> Arguments.of(state, theme)));
    }

    @ParameterizedTest
    @MethodSource("states")
    void hasNoFinding(State state, String theme) throws IOException {
        Path file = folder.resolve("page.html");
        List<String> line = new ArrayList<>(state.command);
        line.addAll(List.of("--report", file.toString()));
        assertThat(CapturedRun.of(line.toArray(String[]::new)).err()).contains("the page is in");
        browser.show(file.toUri().toString(), state.place);
        browser.theme(theme);
        if (!state.click.isEmpty()) {
            browser.click(state.click);
        }

        assertThat(browser.accessibilityFindings()).isEmpty();
    }
}
