// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

class SimulationTest {
    /** Holds back, breaks down, keeps waiting, or fails to bind for the pods with these names. */
    private static final class Misbehaving implements PreEnqueuePlugin, PermitPlugin, BindPlugin {
        @Override
        public String name() {
            return "Misbehaving";
        }

        @Override
        public Status preEnqueue(Pod pod) {
            if (pod.name().equals("breaking")) {
                throw new IllegalStateException("no");
            }
            return pod.name().equals("held") ? Status.unresolvable("held") : Status.success();
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            return pod.name().equals("asking") ? PermitResult.waitAtMost(Duration.ofMinutes(15)) : PermitResult.allow();
        }

        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            if (pod.name().equals("unbindable")) {
                throw new IllegalStateException("no");
            }
            return Status.skip();
        }
    }

    private final List<String> steps = new ArrayList<>();

    private SimulationResult simulate(ClusterObject... objects) {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all())
                .with(List.of(PluginFactory.of("Misbehaving", Misbehaving.class, handle -> new Misbehaving())));
        String config = "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: "
                + "[{plugins: {multiPoint: {enabled: [{name: Misbehaving}, {name: SchedulingGates}, {name: PrioritySort},"
                + " {name: NodeResourcesFit}, {name: DefaultBinder}], disabled: [{name: '*'}]}}}]}";
        return Simulation.of(List.of(objects), ConfigLoader.load(config, "test", registry), registry)
                .seed(1)
                .listener(this::step)
                .run();
    }

    private void step(Decision decision) {
        steps.add(decision.pod().name() + " " + decision.nodeName());
    }

    private static SimulatedPod only(SimulationResult result) {
        assertThat(result.pods()).hasSize(1);
        return result.pods().get(0);
    }

    private static Nodes node() {
        return Nodes.named("a").allocatable("cpu", "2").allocatable("pods", "10");
    }

    @Test
    void placesPodsOfEqualPriorityInTheirOrder() {
        List<ClusterObject> objects = new ArrayList<>();
        objects.add(node().build());
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            objects.add(Pods.named("pod-" + i).build());
            expected.add("pod-" + i + " a");
        }

        simulate(objects.toArray(ClusterObject[]::new));

        assertThat(steps).isEqualTo(expected);
    }

    @Test
    void reportsAPodThatAPluginGates() {
        SimulatedPod held = only(simulate(node().build(), Pods.named("held").build()));

        assertThat(held.state()).isEqualTo(State.GATED);
        assertThat(held.plugin()).isEqualTo("Misbehaving");
        assertThat(held.message()).isEqualTo("held");
        assertThat(steps).isEmpty();
    }

    @Test
    void reportsAPodThatWaitsInPermit() {
        SimulatedPod asking = only(simulate(node().build(), Pods.named("asking").build()));

        assertThat(asking.state()).isEqualTo(State.WAITING_FOR_PERMIT);
        assertThat(asking.nodeName()).isEqualTo("a");
        assertThat(asking.message()).isEqualTo("waits for a permit of Misbehaving");
        assertThat(steps).containsExactly("asking a");
    }

    @Test
    void countsAPodThatWaitsForAPermitOnItsNode() {
        SimulationResult result = simulate(node().build(), Pods.named("asking").build());

        assertThat(result.nodes().get(0).pods()).extracting(Pod::name).containsExactly("asking");
    }

    @Test
    void takesAPodForFailedWhosePreEnqueuePluginFailed() {
        SimulatedPod breaking =
                only(simulate(node().build(), Pods.named("breaking").build()));

        assertThat(breaking.state()).isEqualTo(State.ERROR);
        assertThat(breaking.state().isFailure()).isTrue();
        assertThat(breaking.plugin()).isEqualTo("Misbehaving");
        assertThat(breaking.message()).contains("no");
    }

    @Test
    void reportsAPodThatCouldNotBeBound() {
        SimulatedPod unbindable =
                only(simulate(node().build(), Pods.named("unbindable").build()));

        assertThat(unbindable.state()).isEqualTo(State.ERROR);
        assertThat(unbindable.nodeName()).isEmpty();
        assertThat(unbindable.message()).contains("Misbehaving").contains("no");
        assertThat(steps).containsOnly("unbindable ").hasSize(10);
    }

    @Test
    void reportsPodsThatItDoesNotSchedule() {
        SimulationResult result = simulate(
                node().build(),
                Pods.named("foreign").schedulerName("other").build(),
                Pods.named("leaving").deleting(Instant.EPOCH).build(),
                Pods.named("ended").status(status -> status.phase("Succeeded")).build());

        assertThat(result.pods())
                .extracting(simulated -> simulated.pod().name(), SimulatedPod::state)
                .containsExactly(tuple("foreign", State.OTHER_SCHEDULER), tuple("leaving", State.DELETING));
    }

    @Test
    void countsOnlyPodsThatStillRun() {
        SimulationResult result = simulate(
                node().build(),
                Pods.named("runs").on("a").build(),
                Pods.named("ended")
                        .on("a")
                        .status(status -> status.phase("Failed"))
                        .build());

        assertThat(result.pods()).isEmpty();
        assertThat(result.nodes().get(0).pods()).extracting(Pod::name).containsExactly("runs");
    }

    private static SimulationResult preempting(boolean again, ClusterObject... objects) {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        Simulation simulation = Simulation.of(List.of(objects), ConfigLoader.defaults(registry), registry)
                .seed(1);
        return (again ? simulation.creatingPreemptedAgain() : simulation).run();
    }

    private static Pods victim(String name, int priority) {
        return Pods.named(name).priority(priority).requests("cpu", "1").controlledBy("apps/v1", "ReplicaSet", "set");
    }

    @Test
    void recreatesPreemptedPodsOnRequest() {
        ClusterObject[] objects = {
            node().build(),
            Nodes.named("b").allocatable("cpu", "1").allocatable("pods", "10").build(),
            victim("first", 5).build().withNode("a"),
            victim("second", 5).build().withNode("a"),
            Pods.named("bare").requests("cpu", "1").build().withNode("b"),
            Pods.named("high").priority(10).requests("cpu", "2").build()
        };

        SimulationResult alone = preempting(false, objects);
        SimulationResult again = preempting(true, objects);

        assertThat(alone.pods())
                .extracting(pod -> pod.pod().name(), SimulatedPod::state)
                .containsExactly(
                        tuple("high", State.SCHEDULED),
                        tuple("first", State.PREEMPTED),
                        tuple("second", State.PREEMPTED));
        assertThat(again.count(State.PREEMPTED)).isEqualTo(3);
        List<SimulatedPod> created = again.pods().stream()
                .filter(pod -> pod.pod().name().startsWith("set-"))
                .toList();
        // One of them has the place of the pod without controller, which had the least priority.
        assertThat(created)
                .extracting(SimulatedPod::state)
                .containsExactlyInAnyOrder(State.SCHEDULED, State.UNSCHEDULABLE);
        assertThat(again.pods())
                .filteredOn(pod -> pod.state() == State.PREEMPTED)
                .extracting(pod -> pod.pod().name(), pod -> pod.createdAgainAs().isEmpty())
                .containsExactlyInAnyOrder(tuple("first", false), tuple("second", false), tuple("bare", true));
        assertThat(again.nodes().get(1).pods())
                .extracting(Pod::name)
                .containsExactly(created.stream()
                        .filter(pod -> pod.state() == State.SCHEDULED)
                        .findFirst()
                        .orElseThrow()
                        .pod()
                        .name());
    }
}
