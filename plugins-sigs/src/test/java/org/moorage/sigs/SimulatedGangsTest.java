// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Tests that simulations with Coscheduling end, with each gang placed whole or not at all. */
class SimulatedGangsTest {
    private final List<ClusterObject> objects = new ArrayList<>();

    private Simulation simulation(String args) {
        PluginRegistry registry =
                PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(new Coscheduling.Factory()));
        LoadedConfig config = ConfigLoader.load("""
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins:
                queueSort: {disabled: [{name: PrioritySort}]}
                multiPoint: {enabled: [{name: Coscheduling}]}
              pluginConfig: [{name: Coscheduling, args: {%s}}]
            """.formatted(args), "test", registry);
        return Simulation.of(objects, config, registry);
    }

    private void node(String name, int cpu) {
        objects.add(Nodes.named(name)
                .allocatable("cpu", Integer.toString(cpu))
                .allocatable("pods", "2000")
                .build());
    }

    private void gang(String name, int size, int minMember, String cpu) {
        gang(name, size, minMember, cpu, "", 0);
    }

    private void gang(String name, int size, int minMember, String cpu, String timeout, int priority) {
        objects.add(new OtherObject(
                Coscheduling.POD_GROUP,
                ObjectMeta.named(name)
                        .namespace("default")
                        .creationTimestamp(Instant.EPOCH)
                        .build(),
                "{\"spec\": {\"minMember\": " + minMember + timeout + "}}"));
        for (int i = 0; i < size; i++) {
            objects.add(Pods.named(name + "-" + i)
                    .label(Coscheduling.LABEL, name)
                    .priority(priority)
                    .requests("cpu", cpu)
                    .build());
        }
    }

    private static List<SimulatedPod> pods(SimulationResult result, String gang, State state) {
        return result.pods().stream()
                .filter(pod -> gang.equals(pod.pod().labels().get(Coscheduling.LABEL)) && pod.state() == state)
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"3, 3, 2", "10, 10, 2", "10, 4, 3", "60, 60, 2", "60, 60, 40", "100, 100, 85"})
    void infeasibleGangIsPendingWithReasons(int size, int minMember, int room) {
        node("a", room);
        gang("gang", size, minMember, "1");
        objects.add(Pods.named("zero").build());

        SimulationResult result = simulation("").run();

        assertThat(result.count(State.SCHEDULED)).isEqualTo(1);
        List<SimulatedPod> pending = pods(result, "gang", State.UNSCHEDULABLE);
        assertThat(pending).hasSize(size);
        assertThat(pending)
                .anyMatch(pod -> pod.message().contains("Insufficient cpu")
                        && pod.message().contains("PodGroup default/gang gets rejected due to Pod"));
        assertThat(pending)
                .allMatch(pod -> pod.message().contains("Insufficient cpu")
                        || pod.message().contains("optimistic rejection in PostFilter")
                        || pod.message().contains("rejection in Unreserve"));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 9, 20})
    void oneOfSeveralCompetingGangsIsPlacedWhole(int gangs) {
        node("a", 3);
        node("b", 2);
        for (int i = 0; i < gangs; i++) {
            gang("gang" + i, 4, 4, "1");
        }

        SimulationResult result = simulation("").run();

        assertThat(result.count(State.SCHEDULED)).isEqualTo(4);
        int whole = 0;
        for (int i = 0; i < gangs; i++) {
            int placed = pods(result, "gang" + i, State.SCHEDULED).size();
            assertThat(placed).isIn(0, 4);
            whole += placed / 4;
        }
        assertThat(whole).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 60})
    void gangIsPlacedAfterAnEvictionEvenIfPermitsTimeOutBefore(int timeout) {
        node("a", 3);
        objects.add(Pods.named("low")
                .requests("cpu", "1")
                .controlledBy("apps/v1", "ReplicaSet", "low")
                .started(Instant.EPOCH)
                .on("a")
                .build());
        gang("gang", 3, 3, "1", ", \"scheduleTimeoutSeconds\": " + timeout, 10);

        // The evicted pod leaves after 30 seconds.
        SimulationResult result = simulation("").creatingPreemptedAgain().run();

        assertThat(pods(result, "gang", State.SCHEDULED)).hasSize(3);
        assertThat(result.count(State.PREEMPTED)).isEqualTo(1);
        assertThat(result.count(State.UNSCHEDULABLE)).isEqualTo(1);
    }

    @Test
    void waitingPodsTimeOutAndMakeRoomForOthers() {
        node("a", 20);
        // One pod of twenty is missing, which is below podGroupRejectPercentage, so that the others wait.
        gang("gang", 20, 20, "1", ", \"scheduleTimeoutSeconds\": 10", 0);
        objects.add(Pods.named("first").priority(100).requests("cpu", "1").build());
        objects.add(Pods.named("last").requests("cpu", "1").build());

        SimulationResult result = simulation("").run();

        assertThat(pods(result, "gang", State.SCHEDULED)).isEmpty();
        assertThat(result.pods())
                .filteredOn(pod -> pod.state() == State.SCHEDULED)
                .extracting(pod -> pod.pod().name())
                .containsExactlyInAnyOrder("first", "last");
    }

    /** The test of moorage convert simulates the same file, converted, and expects the same. */
    @ParameterizedTest
    @CsvSource({"1, 3", "2, 3", "3, 0", "4, 0"})
    void gangOfTheExampleIsPlacedWholeOrNotAtAll(String cpu, int placed) throws IOException {
        String cluster = Files.readString(Path.of("cluster.yaml")).replace("cpu: \"1\"", "cpu: \"" + cpu + "\"");
        objects.addAll(new ClusterDumpReader()
                .read(List.of("-"), new ByteArrayInputStream(cluster.getBytes(StandardCharsets.UTF_8)))
                .objects());

        assertThat(simulation("").run().count(State.SCHEDULED)).isEqualTo(placed);
    }

    @Test
    void rejectedGangThatBacksOffIsPending() {
        node("a", 2);
        gang("gang", 3, 3, "1");

        SimulationResult result = simulation("podGroupBackoffSeconds: 20").run();

        assertThat(pods(result, "gang", State.UNSCHEDULABLE)).hasSize(3);
    }

    @Test
    void gangThatIsShortOfMembersIsPending() {
        node("a", 8);
        gang("gang", 2, 3, "1");

        SimulationResult result = simulation("").run();

        assertThat(pods(result, "gang", State.UNSCHEDULABLE))
                .hasSize(2)
                .allMatch(pod -> pod.message().contains("cannot find enough sibling pods"));
    }
}
