// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Volume;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.whatif.DrainRules;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.PodSizes;
import org.moorage.simulation.whatif.Rebalance;
import org.moorage.simulation.whatif.RebalanceGoal;
import org.moorage.simulation.whatif.RebalancePlan;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Clusters of nodes with four CPUs each, whose scheduler prefers the nodes that are used most. */
class RebalanceTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig PACKING = ConfigLoader.load("""
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - pluginConfig:
              - name: NodeResourcesFit
                args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
              plugins:
                score: {disabled: [{name: NodeResourcesBalancedAllocation}, {name: PodTopologySpread}]}
            """, "packing.yaml", PLUGINS);
    private static final RebalanceGoal FREE_NODES = new RebalanceGoal.FreeNodes();
    private static final RebalanceGoal FIT_PENDING = new RebalanceGoal.FitPending();
    private static final RebalanceGoal PACK_CPU = new RebalanceGoal.Pack(ResourceName.CPU);
    private static final String GPU = "example.com/gpu";

    private static Node node(String name) {
        return Nodes.named(name)
                .allocatable("cpu", "4")
                .allocatable("memory", "8Gi")
                .build();
    }

    private static Pods web(String name, String node, String cpu) {
        return Pods.named(name)
                .label("app", "web")
                .controlledBy("apps/v1", "ReplicaSet", "web")
                .requests("cpu", cpu)
                .on(node);
    }

    private static PodDisruptionBudget budget(int allowed) {
        return new PodDisruptionBudget(
                ObjectMeta.named("web").namespace("default").build(),
                Optional.of(new LabelSelector(Map.of("app", "web"), List.of())),
                allowed,
                Set.of());
    }

    private static RebalancePlan plan(
            RebalanceGoal goal, LoadedConfig config, boolean force, int maxMoves, List<ClusterObject> objects) {
        List<Pod> pods = new ArrayList<>();
        objects.forEach(object -> {
            if (object instanceof Pod pod) {
                pods.add(pod);
            }
        });
        try (WhatIf cluster = Scheduler.whatIf(objects, config, PLUGINS)) {
            return Rebalance.of(
                    new KnownCluster(cluster, objects, config, Instant.EPOCH),
                    goal,
                    new DrainRules(force, false, false, any -> true, any -> false),
                    maxMoves,
                    PodSizes.of(pods),
                    tried -> {});
        }
    }

    private static List<String> moves(RebalancePlan plan) {
        return plan.moves().stream()
                .map(move -> move.round() + " " + move.pod().name() + " " + move.from() + " "
                        + move.to().orElse("lost"))
                .toList();
    }

    record Case(
            String name,
            RebalanceGoal goal,
            boolean force,
            List<ClusterObject> objects,
            boolean isReached,
            List<String> moves,
            String obstacle) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case reached(String name, RebalanceGoal goal, List<ClusterObject> objects, String... moves) {
        return new Case(name, goal, false, objects, true, List.of(moves), "");
    }

    private static Case missed(String name, RebalanceGoal goal, List<ClusterObject> objects, String obstacle) {
        return new Case(name, goal, false, objects, false, List.of(), obstacle);
    }

    static Stream<Case> cases() {
        Node a = node("a");
        Node b = node("b");
        Pod full = web("full", "a", "2").build();
        Pod bare = Pods.named("bare").requests("cpu", "1").on("b").build();
        Pod daemon = Pods.named("agent")
                .controlledBy("apps/v1", "DaemonSet", "agent")
                .on("b")
                .build();
        Pod wide = web("wide", "", "3").build();
        return Stream.of(
                reached(
                        "a node is emptied, whose DaemonSet pod stays",
                        FREE_NODES,
                        List.of(a, b, full, web("w", "b", "1").build(), daemon),
                        "1 w b a"),
                reached(
                        "a budget that allows one eviction takes two rounds",
                        FREE_NODES,
                        List.of(
                                a,
                                b,
                                full,
                                web("w1", "b", "1").build(),
                                web("w2", "b", "1").build(),
                                budget(1)),
                        "1 w1 b a",
                        "2 w2 b a"),
                reached(
                        "a budget that allows two evictions takes one round",
                        FREE_NODES,
                        List.of(
                                a,
                                b,
                                full,
                                web("w1", "b", "1").build(),
                                web("w2", "b", "1").build(),
                                budget(2)),
                        "1 w1 b a",
                        "1 w2 b a"),
                missed(
                        "a budget that allows no eviction blocks all pods",
                        FREE_NODES,
                        List.of(a, b, full, web("w", "b", "1").build(), budget(0)),
                        "disruption budget default/web allows no eviction"),
                missed(
                        "a pod without a controller keeps its node",
                        FREE_NODES,
                        List.of(a, b, web("huge", "a", "4").build(), bare),
                        "cannot delete Pods that declare no controller (use --force to override)"),
                new Case(
                        "a pod without a controller is lost by force",
                        FREE_NODES,
                        true,
                        List.of(a, b, web("huge", "a", "4").build(), bare),
                        true,
                        List.of("1 bare b lost"),
                        ""),
                missed(
                        "a pod with local storage keeps its node",
                        FREE_NODES,
                        List.of(
                                a,
                                b,
                                web("huge", "a", "4").build(),
                                web("w", "b", "1")
                                        .volume(new Volume.EmptyDir(""))
                                        .build()),
                        "cannot delete Pods with local storage (use --delete-emptydir-data to override)"),
                missed(
                        "pods stay that do not fit on other nodes",
                        FREE_NODES,
                        List.of(
                                a,
                                b,
                                web("w1", "a", "3").build(),
                                web("w2", "b", "2").nodeSelector("disk", "none").build()),
                        "the pods of the node do not fit on the other nodes"),
                missed("no node can be emptied without nodes", FREE_NODES, List.of(), ""),
                missed("no node can be emptied that is empty", FREE_NODES, List.of(a, b), ""),
                reached(
                        "a pod moves so that a pending pod fits",
                        FIT_PENDING,
                        List.of(
                                a,
                                b,
                                full,
                                web("w1", "b", "1").build(),
                                web("w2", "b", "1").build(),
                                wide),
                        "1 w1 b a"),
                reached("no pod is pending", FIT_PENDING, List.of(a, full)),
                missed(
                        "a pending pod is larger than each node",
                        FIT_PENDING,
                        List.of(
                                a,
                                b,
                                web("w", "a", "1").build(),
                                web("huge", "", "9").build()),
                        ""),
                reached(
                        "the remainders of two nodes become one that is of use",
                        PACK_CPU,
                        List.of(
                                a,
                                b,
                                node("c"),
                                web("small-1", "a", "1").build(),
                                web("large-1", "a", "2").build(),
                                web("small-2", "b", "1").build(),
                                web("large-2", "b", "2").build(),
                                web("large-3", "c", "2").build(),
                                web("large-4", "c", "2").build()),
                        "1 small-2 b a"),
                missed(
                        "nothing requests the resource",
                        new RebalanceGoal.Pack(ResourceName.of(GPU)),
                        List.of(a, full),
                        ""));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void plansMoves(Case asked) {
        RebalancePlan plan = plan(asked.goal, PACKING, asked.force, 10, asked.objects);

        assertThat(moves(plan)).isEqualTo(asked.moves);
        assertThat(plan.isReached()).isEqualTo(asked.isReached);
        if (!asked.obstacle.isEmpty()) {
            assertThat(plan.obstacles()).containsKey(asked.obstacle);
        }
    }

    @Test
    void aSchedulerThatSpreadsPodsFillsEmptyNodes() {
        List<ClusterObject> objects = List.of(
                node("a"),
                node("b"),
                node("c"),
                web("w1", "a", "1").build(),
                web("w2", "b", "1").build());

        RebalancePlan plan = plan(FREE_NODES, ConfigLoader.defaults(PLUGINS), false, 10, objects);

        assertThat(plan.moves()).isEmpty();
        assertThat(plan.obstacles()).containsKey("the replacement would be scheduled to an empty node");
    }

    @Test
    void aNodeIsNotEmptiedHalfway() {
        List<ClusterObject> objects = List.of(
                node("a"),
                node("b"),
                web("full", "a", "2").build(),
                web("w1", "b", "1").build(),
                web("w2", "b", "1").build());

        assertThat(plan(FREE_NODES, PACKING, false, 1, objects).moves()).isEmpty();
        RebalancePlan plan = plan(FREE_NODES, PACKING, false, 2, objects);
        assertThat(plan.emptiedNodes()).hasSize(1);
        assertThat(plan.after().balance().emptyNodes()).isEqualTo(1);
    }

    @Test
    void aReplacementThatWouldHaveToPreemptIsNoMove() {
        List<ClusterObject> objects = List.of(
                Nodes.named("a").label("zone", "a").allocatable("cpu", "4").build(),
                node("b"),
                node("c"),
                web("low", "a", "4").build(),
                web("high", "b", "1").priority(10).nodeSelector("zone", "a").build(),
                web("other", "c", "2").nodeSelector("zone", "b").build());

        RebalancePlan plan = plan(FREE_NODES, PACKING, false, 10, objects);

        assertThat(plan.moves()).isEmpty();
        assertThat(plan.obstacles()).containsEntry("the replacement would be unschedulable", 3);
    }

    @Test
    void refusesANegativeNumberOfMoves() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan(FREE_NODES, PACKING, false, -1, List.of()))
                .withMessage("maxMoves: -1 (expected: 0 or more)");
    }
}
