// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.PluginFactory;

/** What a program with plugins of its own is, but for the process that it ends. */
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
                List.of("explain", "--config=" + config, "shop-1", CapturedRun.FIRST))) {
            CapturedRun run = CapturedRun.withPlugins(List.of(NOWHERE), command.toArray(String[]::new));

            assertThat(run.err()).as(command.toString()).doesNotContain("error:");
            assertThat(run.out())
                    .as(command.toString())
                    .containsIgnoringCase(command.contains("validate") ? "valid" : "nowhere");
        }
    }

    @Test
    void refusesAPluginWithTheNameOfAnother() {
        CapturedRun run = CapturedRun.withPlugins(List.of(NOWHERE, NOWHERE), "plugins");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("plugin \"Nowhere\": registered by");
    }
}
