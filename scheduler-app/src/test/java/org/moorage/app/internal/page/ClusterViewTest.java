// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.app.internal.page.ClusterView.PodView;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.ClusterDump;

class ClusterViewTest {
    private static final String NODE =
            "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"status\":{\"allocatable\":{\"cpu\":\"1\",\"pods\":\"9\"}}}\n";

    private record Case(String name, String spec, String status, List<String> view) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("a pod on its node", "\"nodeName\":\"a\"", "", List.of("a", "bound", "")),
            new Case(
                    "a pod whose node is gone",
                    "\"nodeName\":\"b\"",
                    "",
                    List.of("", "lost", "node b is not in the cluster")),
            new Case("a pod that was never tried", "", "", List.of("", "pending", "")),
            new Case(
                    "a pod that a scheduler has tried",
                    "",
                    "\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"message\":\"no room\"}]",
                    List.of("", "unschedulable", "no room")),
            new Case(
                    "a gated pod",
                    "\"schedulingGates\":[{\"name\":\"x\"}]",
                    "",
                    List.of("", "gated", "waiting for scheduling gates: [x]")),
            new Case("a pod that has ended", "\"nodeName\":\"a\"", "\"phase\":\"Succeeded\"", List.of()));

    @TempDir
    Path folder;

    private ClusterDump dump(String spec, String status) {
        return PageFixture.cluster(
                folder,
                NODE
                        + "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"spec\":{"
                        + spec + (spec.isEmpty() ? "" : ",")
                        + "\"containers\":[{\"name\":\"c\",\"image\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]},\"status\":{"
                        + status + "}}\n");
    }

    private static List<String> texts(List<PodView> pods) {
        return pods.isEmpty()
                ? List.of()
                : List.of(
                        pods.get(0).nodeName(), pods.get(0).state(), pods.get(0).message());
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void ofObjects(Case c) {
        ClusterView view = ClusterView.of(dump(c.spec, c.status).objects());

        assertThat(view.nodes()).hasSize(1);
        assertThat(texts(view.pods())).isEqualTo(c.view);
    }

    @Test
    void ofASimulationHasWhatBecameOfPods() {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());

        ClusterView view =
                ClusterView.of(Simulation.of(dump("", "").objects(), ConfigLoader.defaults(registry), registry)
                        .run());

        assertThat(view.pods()).hasSize(1);
        assertThat(view.pods().get(0).state()).isEqualTo("unschedulable");
        assertThat(view.pods().get(0).message()).startsWith("0/1 nodes are available: 1 Insufficient cpu.");
    }

    @Test
    void ofASchedulerHasItsQueue() {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        InMemoryCluster cluster = InMemoryCluster.of(dump("", "").objects());
        try (Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(registry), registry, cluster)
                .build()) {
            scheduler.start();
            assertThat(texts(ClusterView.of(scheduler.dump()).pods())).containsExactly("", "active", "");

            assertThat(scheduler.scheduleNext()).isPresent();

            ClusterView view = ClusterView.of(scheduler.dump());
            assertThat(view.nodes()).hasSize(1);
            assertThat(view.pods()).hasSize(1);
            assertThat(view.pods().get(0).state()).isEqualTo("unschedulable");
            assertThat(view.pods().get(0).queued())
                    .hasValueSatisfying(queued -> assertThat(queued.attempts()).isEqualTo(1));
        }
    }
}
