// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.ResourceName;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.NodeLoss;
import org.moorage.simulation.whatif.NodeLossResult;
import org.moorage.simulation.whatif.ZoneRoom;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** A node of four CPUs in each of two zones, of which the east is lost. */
class NodeLossTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig DEFAULTS = ConfigLoader.defaults(PLUGINS);
    private static final Node EAST = node("e").zone("east").build();
    private static final Node WEST = node("w").zone("west").build();

    private static Nodes node(String name) {
        return Nodes.named(name).allocatable("cpu", "4").allocatable("memory", "8Gi");
    }

    private static Pods web(String name) {
        return Pods.named(name)
                .label("app", "web")
                .controlledBy("apps/v1", "ReplicaSet", "web")
                .requests("cpu", "1");
    }

    private static NodeLossResult lose(List<ClusterObject> objects, String... nodes) {
        try (WhatIf cluster = Scheduler.whatIf(objects, DEFAULTS, PLUGINS)) {
            return NodeLoss.of(new KnownCluster(cluster, objects, DEFAULTS, Instant.EPOCH), List.of(nodes));
        }
    }

    private static List<String> told(List<DisruptedPod> pods) {
        return pods.stream()
                .map(pod -> pod.pod().name() + " " + pod.outcome()
                        + pod.newNodeName().map(name -> " " + name).orElse(""))
                .toList();
    }

    @Test
    void losesPodsRegardlessOfBudgets() {
        PodDisruptionBudget none = new PodDisruptionBudget(
                ObjectMeta.named("web").namespace("default").build(),
                Optional.of(new LabelSelector(Map.of("app", "web"), List.of())),
                0,
                Set.of());
        NodeLossResult result = lose(
                List.of(
                        EAST,
                        WEST,
                        none,
                        web("a").on("e").build(),
                        web("b").on("e").requests("cpu", "4").build(),
                        Pods.named("bare").on("e").build(),
                        Pods.named("proxy")
                                .controlledBy("apps/v1", "DaemonSet", "proxy")
                                .on("e")
                                .build(),
                        web("waiting").requests("cpu", "6").build()),
                "e");

        assertThat(told(result.pods()))
                .containsExactly("a RESCHEDULED w", "b PENDING", "bare LOST", "proxy DAEMON_PODS");
        assertThat(result.waitedBefore()).extracting(pod -> pod.pod().name()).containsExactly("waiting");
        assertThat(result.isComplete()).isFalse();
        assertThat(lose(List.of(EAST, WEST, web("a").on("e").build()), "e").isComplete())
                .isTrue();
    }

    @Test
    void reportsLostVolumesAndStatefulSets() {
        Pod database = Pods.named("db-0")
                .controlledBy("apps/v1", "StatefulSet", "db")
                .claim("data-db-0")
                .on("e")
                .build();
        PersistentVolumeClaim claim = PersistentVolumeClaim.of(
                        ObjectMeta.named("data-db-0").namespace("default").build())
                .volumeName("disk")
                .phase("Bound")
                .build();
        PersistentVolume disk = PersistentVolume.of(ObjectMeta.named("disk").build())
                .nodeAffinity(new NodeSelector(List.of(new NodeSelector.Term(
                        List.of(new NodeSelector.Requirement("topology.kubernetes.io/zone", "In", List.of("east"))),
                        List.of()))))
                .phase("Bound")
                .build();

        NodeLossResult result = lose(List.of(EAST, WEST, database, claim, disk), "e");

        assertThat(told(result.withVolume())).containsExactly("db-0 PENDING");
        assertThat(told(result.ofStatefulSets())).containsExactly("db-0 PENDING");
    }

    @Test
    void preemptsForWhatWasLost() {
        NodeLossResult result = lose(
                List.of(
                        EAST,
                        WEST,
                        web("high").priority(5).requests("cpu", "3").on("e").build(),
                        web("low").requests("cpu", "3").on("w").build()),
                "e");

        assertThat(told(result.pods())).containsExactly("high RESCHEDULED w");
        assertThat(told(result.preempted())).containsExactly("low PENDING");
        assertThat(result.isComplete()).isFalse();
    }

    @Test
    void measuresTheRoomOfEachZone() {
        NodeLossResult result = lose(
                List.of(EAST, WEST, web("a").on("e").build(), web("b").on("w").build()), "e");

        assertThat(result.zones()).extracting(ZoneRoom::zone).containsExactly("east", "west");
        assertThat(result.zones().get(0).before().nodes()).isEqualTo(1);
        assertThat(result.zones().get(0).after().nodes()).isZero();
        ZoneRoom west = result.zones().get(1);
        assertThat(west.before().free(ResourceName.CPU)).isEqualTo(3000);
        assertThat(west.after().free(ResourceName.CPU)).isEqualTo(2000);
        assertThat(west.after().pods()).isEqualTo(2);
    }

    @Test
    void refusesANodeThatIsNotThere() {
        assertThatIllegalArgumentException().isThrownBy(() -> lose(List.of(EAST), "none"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void accountsForEachPodOnce(long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        List<ClusterObject> objects = RandomClusters.cluster(random);
        List<String> lost = RandomClusters.someNodes(objects, random);
        try (WhatIf whatIf = Scheduler.whatIf(objects, DEFAULTS, PLUGINS)) {
            KnownCluster cluster = new KnownCluster(whatIf, objects, DEFAULTS, Instant.EPOCH);

            NodeLossResult result = NodeLoss.of(cluster, lost);

            String about = "seed " + seed;
            Set<String> told = new HashSet<>();
            result.pods()
                    .forEach(pod ->
                            assertThat(told.add(pod.pod().uid())).as(about).isTrue());
            for (String name : lost) {
                assertThat(whatIf.podsOn(name)).as(about).allMatch(pod -> told.contains(pod.uid()));
            }
            result.preempted()
                    .forEach(pod ->
                            assertThat(told.add(pod.pod().uid())).as(about).isTrue());
            result.waitedBefore()
                    .forEach(pod ->
                            assertThat(told.add(pod.origin().uid())).as(about).isTrue());
            assertThat(NodeLoss.of(cluster, lost)).as(about).hasToString(result.toString());
        }
    }
}
