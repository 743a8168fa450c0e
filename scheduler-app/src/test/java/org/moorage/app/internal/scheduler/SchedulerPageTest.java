// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;
import org.moorage.app.internal.page.PageData;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.ClusterDump;

class SchedulerPageTest {
    private static final String GROUPS =
            Path.of("..", "examples", "clusters", "groups.yaml").toString();
    private static final FeatureGates GATES = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with("TopologyAwareWorkloadScheduling", true);

    private static List<String> groups(Scheduler scheduler) throws IOException {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        PageData.write(SchedulerPage.content(scheduler.dump()).build(), json);
        List<String> lines = new ArrayList<>();
        for (JsonNode group :
                JsonMapper.builder().build().readTree(json.toByteArray()).path("groups")) {
            lines.add(group.path("group").asText() + " " + group.path("outcome").asText() + " " + group.path("placed")
                    + "/" + group.path("members") + " needs " + group.path("needed"));
        }
        return lines;
    }

    @Test
    void hasTheGroupsAndHowManyOfTheirPodsArePlaced() throws IOException {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        LoadedConfig config = ConfigLoader.defaults(registry, GATES);
        InMemoryCluster cluster =
                InMemoryCluster.of(ClusterDump.read(List.of(GROUPS), InputStream.nullInputStream(), config, registry)
                        .objects());
        try (Scheduler scheduler = Scheduler.builder(config, registry, cluster)
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            assertThat(groups(scheduler))
                    .containsExactly(
                            "default/biology pending 0/1 needs 2",
                            "default/chemistry pending 0/3 needs 3",
                            "default/nightly scheduled 2/2 needs 2",
                            "default/physics pending 0/4 needs 4",
                            "default/render pending 0/2 needs 1");

            while (scheduler.scheduleNext().isPresent()) {}

            assertThat(groups(scheduler))
                    .containsExactly(
                            "default/biology pending 0/1 needs 2",
                            "default/chemistry scheduled 3/3 needs 3",
                            "default/nightly scheduled 2/2 needs 2",
                            "default/physics pending 0/4 needs 4",
                            "default/render scheduled 2/2 needs 1");
        }
    }
}
