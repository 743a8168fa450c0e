// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.debug.PodState;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.AttemptDetails.NodeReason;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/**
 * Tests the details of an attempt that listeners receive in addition to its decision, and the location of the pod after
 * it.
 */
final class AttemptDetailsTest {
    private final Map<String, AttemptDetails> told = new LinkedHashMap<>();

    private Scheduler scheduler(List<ClusterObject> objects) {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(registry), registry, InMemoryCluster.of(objects))
                .bindingExecutor(Runnable::run)
                .listener(new SchedulerListener() {
                    @Override
                    public boolean takesDetails() {
                        return true;
                    }

                    @Override
                    public void explained(Pod pod, AttemptDetails details) {
                        told.put(pod.name(), details);
                    }
                })
                .build();
        scheduler.start();
        return scheduler;
    }

    private static Node node(String name, String cpu) {
        return Nodes.named(name)
                .allocatable("cpu", cpu)
                .allocatable("memory", "8Gi")
                .allocatable("pods", "10")
                .build();
    }

    private static Pod pod(String name, String cpu) {
        return Pods.named(name).uid(name).container("main").requests("cpu", cpu).build();
    }

    @Test
    void countTheNodesOfEachReasonAndNameAFew() {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            objects.add(node("small-" + i, "1"));
        }
        objects.add(
                Nodes.named("closed").allocatable("cpu", "8").unschedulable().build());
        objects.add(pod("large", "2"));
        try (Scheduler scheduler = scheduler(objects)) {
            assertThat(scheduler.scheduleNext()).isPresent();

            AttemptDetails details = told.get("large");
            assertThat(details.reasons())
                    .containsExactly(
                            new NodeReason(
                                    "NodeResourcesFit",
                                    "Insufficient cpu",
                                    5,
                                    List.of("small-0", "small-1", "small-2")),
                            new NodeReason("NodeUnschedulable", "node(s) were unschedulable", 1, List.of("closed")));
            assertThat(details.best()).isEmpty();
            assertThat(details.postFilter())
                    .hasValueSatisfying(answer ->
                            assertThat(answer.status().message()).startsWith("preemption: 0/6 nodes are available"));

            Optional<PodState.Queued> queued =
                    scheduler.podState("default", "large").orElseThrow().queued();
            assertThat(queued).hasValueSatisfying(state -> {
                assertThat(state.in()).isEqualTo("unschedulable");
                assertThat(state.attempts()).isEqualTo(1);
                assertThat(state.rejectors()).contains("NodeResourcesFit", "NodeUnschedulable");
                assertThat(state.eventsByPlugin().get("NodeUnschedulable")).isNotEmpty();
            });
        }
    }

    @Test
    void nameTheNodesWithTheHighestTotals() {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            objects.add(node("node-" + i, String.valueOf(2 * i)));
        }
        objects.add(pod("web", "1"));
        try (Scheduler scheduler = scheduler(objects)) {
            String chosen = scheduler.scheduleNext().orElseThrow().nodeName();

            AttemptDetails details = told.get("web");
            assertThat(details.reasons()).isEmpty();
            assertThat(details.best()).hasSize(3);
            assertThat(details.best().get(0).nodeName()).isEqualTo(chosen);
            assertThat(details.best())
                    .extracting(AttemptDetails.NodeTotal::total)
                    .isSortedAccordingTo((first, second) -> Long.compare(second, first));
            assertThat(scheduler.podState("default", "web").orElseThrow().place())
                    .isEqualTo(PodState.Place.BOUND);
        }
    }

    @Test
    void areOfNoPodThatIsNotKnown() {
        try (Scheduler scheduler = scheduler(List.of())) {
            assertThat(scheduler.podState("default", "nobody")).isEmpty();
        }
    }
}
