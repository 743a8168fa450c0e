// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.app.internal.extender.ExtenderCommand;
import org.moorage.app.internal.process.CommandException;

class ExtenderCommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"TRACE, TRACE", "debug, DEBUG", "Info, INFO", "WARNING, WARN", "error, ERROR", "ALERT, ERROR"})
    void readsLevelsInSmallAndCapitalLetters(String name, String level) {
        assertThat(ExtenderCommand.level(name)).contains(Level.toLevel(level));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "WARN", "verbose", "5"})
    void knowsNoOtherLevels(String name) {
        assertThat(ExtenderCommand.level(name)).isEmpty();
    }

    @Test
    void takesThePortOfTheFlagThenOfTheEnvironment() {
        Map<String, String> environment = Map.of("HTTP_PORT", "80");

        assertThat(ExtenderCommand.firstPort(Optional.of(5401), environment)).isEqualTo(5401);
        assertThat(ExtenderCommand.firstPort(Optional.empty(), environment)).isEqualTo(80);
        assertThat(ExtenderCommand.firstPort(Optional.empty(), Map.of("HTTP_PORT", "")))
                .isEqualTo(8888);
        assertThat(ExtenderCommand.firstPort(Optional.empty(), Map.of())).isEqualTo(8888);
        assertThatThrownBy(() -> ExtenderCommand.firstPort(Optional.empty(), Map.of("HTTP_PORT", "http")))
                .isInstanceOf(CommandException.class)
                .hasMessage("HTTP_PORT: \"http\" (expected: a port)");
    }

    @Test
    void refusesAConfigurationWithAllThatIsWrong() throws IOException {
        Path file = Files.writeString(folder.resolve("extender.yaml"), """
                apiVersion: moorage.org/v1
                kind: ExtenderConfiguration
                agents:
                - name: a
                  prot: 1
                  plugins:
                  - {name: NodeResourceFit}
                  - {name: NodeAffinity, maxScore: 1000}
                """);

        CapturedRun run = CapturedRun.of("extender", "--config=" + file);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains(
                        "3 problems",
                        ":5:3: agents[0].prot: unknown field. Did you mean port?",
                        ":7:6: agents[0].plugins[0].name: \"NodeResourceFit\" (expected: a registered plugin; --plugin-dir adds those of jars). Did you mean"
                                + " NodeResourcesFit?",
                        ":8:26: agents[0].plugins[1].maxScore: 1000 (expected: 1 to 100)");
    }

    @Test
    void refusesTheConfigurationOfAScheduler() throws IOException {
        Path file = Files.writeString(
                folder.resolve("scheduler.yaml"),
                "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n");

        assertThat(CapturedRun.of("extender", "--config=" + file).err())
                .contains("(expected: moorage.org/v1)", "(expected: ExtenderConfiguration)");
        assertThat(CapturedRun.of("extender", "--config=" + folder.resolve("none"))
                        .err())
                .contains("no such file (expected: an ExtenderConfiguration)");
        assertThat(CapturedRun.of("extender").exitCode()).isEqualTo(2);
    }
}
