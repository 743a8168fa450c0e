// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.config.older.PolicyTexts.PolicyText;

/** Tests a program with additional plugins, except for its exit. */
class SchedulerAppTest {
    private static final PluginFactory<?> NOWHERE =
            PluginFactory.of("Nowhere", Nowhere.class, handle -> new Nowhere("Nowhere"));

    /** Rejects each node. */
    private record Nowhere(String name) implements FilterPlugin {
        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return Status.unschedulable("nowhere");
        }
    }

    @Test
    void hasThePluginInEachCommand(@TempDir Path folder) throws IOException {
        Path config = Files.writeString(folder.resolve("scheduler.yaml"), """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - plugins:
                    filter: {enabled: [{name: Nowhere}]}
                """);
        for (List<String> command : List.of(
                List.of("plugins"),
                List.of("config", "show", config.toString()),
                List.of("config", "validate", config.toString()),
                List.of("simulate", "--config=" + config, CapturedRun.FIRST),
                List.of("explain", "--config=" + config, "shop-1", "--cluster", CapturedRun.FIRST))) {
            CapturedRun run = CapturedRun.withPlugins(List.of(NOWHERE), command.toArray(String[]::new));

            assertThat(run.err()).as(command.toString()).doesNotContain("error:");
            assertThat(run.out())
                    .as(command.toString())
                    .containsIgnoringCase(command.contains("validate") ? "valid" : "nowhere");
        }
    }

    @Test
    void takesItsOwnConfigurationUnlessThereIsAnother(@TempDir Path folder) throws IOException {
        String config = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - plugins:
                    filter: {enabled: [{name: %s}]}
                """;
        Path other = Files.writeString(folder.resolve("scheduler.yaml"), config.formatted("NodeName"));
        Additions additions = new Additions(
                List.of(NOWHERE), Optional.of(new PolicyText(config.formatted("Nowhere"), "Nowhere's configuration")));
        for (List<String> command : List.of(
                List.of("simulate", CapturedRun.FIRST), List.of("explain", "shop-1", "--cluster", CapturedRun.FIRST))) {
            List<String> withOther = new ArrayList<>(command);
            withOther.add(1, "--config=" + other);

            assertThat(CapturedRun.with(additions, command.toArray(String[]::new))
                            .out())
                    .contains("nowhere");
            assertThat(CapturedRun.with(additions, withOther.toArray(String[]::new))
                            .out())
                    .doesNotContain("nowhere");
        }
        Additions wrong = new Additions(
                List.of(), Optional.of(new PolicyText(config.formatted("Nowhere"), "Nowhere's configuration")));
        assertThat(CapturedRun.with(wrong, "simulate", CapturedRun.FIRST).err())
                .contains(
                        "error: Nowhere's configuration:5:25: profiles[0].plugins.filter.enabled[0].name: \"Nowhere\"");
    }

    @Test
    void refusesAPluginWithTheNameOfAnother() {
        CapturedRun run = CapturedRun.withPlugins(List.of(NOWHERE, NOWHERE), "plugins");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("plugin \"Nowhere\": registered by");
    }
}
