// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.simulation.Explanation;
import org.moorage.simulation.Explanation.Moment;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.Simulation;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

class ExplanationTest {
    /** Draws the node of each pod. */
    private record Drawing(Handle handle) implements PreFilterPlugin {
        @Override
        public String name() {
            return "Drawing";
        }

        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            List<NodeInfo> nodes = snapshot.nodes();
            return PreFilterResult.onlyNodes(
                    Set.of(nodes.get(handle.random().nextInt(nodes.size())).name()));
        }
    }

    private static Simulation simulation(List<ClusterObject> objects, String plugins) {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all())
                .with(List.of(PluginFactory.of("Drawing", Drawing.class, Drawing::new)));
        String config = "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: "
                + "[{plugins: {multiPoint: {enabled: [" + plugins + "]}}}]}";
        return Simulation.of(objects, ConfigLoader.load(config, "test", registry), registry);
    }

    private static List<ClusterObject> nodes(int count) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            objects.add(Nodes.named("node-" + i)
                    .allocatable("cpu", "4")
                    .allocatable("pods", "10")
                    .build());
        }
        return objects;
    }

    @Test
    void drawsTheRandomNumbersOfTheSimulation() {
        List<ClusterObject> objects = nodes(20);
        for (int i = 0; i < 8; i++) {
            objects.add(Pods.named("pod-" + i).build());
        }
        Simulation simulation = simulation(objects, "{name: Drawing}");

        for (SimulatedPod pod : simulation.run().pods()) {
            Explanation explanation = simulation.explain(pod.pod());
            assertThat(explanation.outcome().orElseThrow().nodeName()).isEqualTo(pod.nodeName());
            assertThat(explanation.evaluation().feasible()).containsExactly(pod.nodeName());
        }
    }

    @Test
    void asksAtTheLastAttemptOfAPodThatPreempts() {
        List<ClusterObject> objects = nodes(1);
        Pod pod = Pods.named("urgent")
                .priority(10)
                .container("c")
                .requests("cpu", "3")
                .build();
        objects.add(Pods.named("old")
                .container("c")
                .requests("cpu", "2")
                .on("node-0")
                .build());
        objects.add(pod);

        Explanation explanation = simulation(objects, "").explain(pod);

        assertThat(explanation.moment()).isEqualTo(Moment.TURN);
        assertThat(explanation.decision().orElseThrow().attempts()).isEqualTo(2);
        assertThat(explanation.evaluation().feasible()).containsExactly("node-0");
        assertThat(explanation.outcome().orElseThrow().state()).isEqualTo(State.SCHEDULED);
    }

    @Test
    void countsThePodsBefore() {
        List<ClusterObject> objects = nodes(1);
        Pod last = Pods.named("last").priority(-1).build();
        objects.add(last);
        objects.add(Pods.named("first").build());
        objects.add(Pods.named("second").build());

        assertThat(simulation(objects, "").explain(last).podsBefore()).isEqualTo(2);
        assertThat(simulation(objects, "").explainNow(last).podsBefore()).isZero();
    }
}
