// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
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
import org.moorage.simulation.whatif.SeedVariation;
import org.moorage.simulation.whatif.SeedVariation.Answer;
import org.moorage.simulation.whatif.SeedVariation.Range;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PodGroups;
import org.moorage.testkit.Pods;

/** Answers with different seeds differ where kube-scheduler chooses at random, and nowhere else. */
@Tag("any-jvm")
class SeedVariationTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig DEFAULTS = ConfigLoader.defaults(PLUGINS);

    private final ExecutorService executor = Executors.newFixedThreadPool(3);

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private static Nodes node(String name) {
        return Nodes.named(name).allocatable("cpu", "4").allocatable("memory", "8Gi");
    }

    private static Pods web(String name) {
        return Pods.named(name).controlledBy("apps/v1", "ReplicaSet", name);
    }

    /**
     * A lost node with a small pod that may go to either node, and a large one of lower priority that fits on an empty
     * SSD node only.
     */
    private static List<ClusterObject> cluster(String cpuOfSecond) {
        return List.of(
                node("lost").label("disk", "ssd").build(),
                node("first").label("disk", "ssd").build(),
                node("second").allocatable("cpu", cpuOfSecond).build(),
                web("small").requests("cpu", "1").priority(1).on("lost").build(),
                web("large")
                        .requests("cpu", "4")
                        .nodeSelector("disk", "ssd")
                        .on("lost")
                        .build());
    }

    private SeedVariation lose(List<ClusterObject> objects, int threads) {
        try (WhatIf whatIf = Scheduler.whatIf(objects, DEFAULTS, PLUGINS)) {
            KnownCluster cluster = new KnownCluster(whatIf, objects, DEFAULTS, Instant.EPOCH);
            return SeedVariation.of(
                    seed -> {
                        NodeLossResult result = NodeLoss.of(cluster.breakingTiesAtRandom(seed), List.of("lost"));
                        int pending = (int) result.pods().stream()
                                .filter(pod -> pod.outcome() == DisruptedPod.Outcome.PENDING)
                                .count();
                        return new Answer(
                                result.isComplete(),
                                Map.of(
                                        "pending",
                                        pending,
                                        "disrupted",
                                        result.pods().size()));
                    },
                    1,
                    64,
                    executor,
                    threads,
                    asked -> {});
        }
    }

    @Test
    void tieDecidesWhetherTheLastPodFits() {
        SeedVariation variation = lose(cluster("4"), 2);

        assertThat(variation.ranges().get("pending").min()).isZero();
        assertThat(variation.ranges().get("pending").max()).isEqualTo(1);
        assertThat(variation.ranges()).containsEntry("disrupted", new Range(2, 2, 2));
        // With a fair choice, the chance of a count outside is below one in a million; the seeds are fixed.
        assertThat(variation.succeeded()).isBetween(12, 52);
        assertThat(variation.isConstant()).isFalse();
        assertThat(lose(cluster("4"), 4)).isEqualTo(variation);
        assertThat(lose(cluster("4"), 1)).isEqualTo(variation);
    }

    @Test
    void withoutTiesAllSeedsHaveTheSameAnswer() {
        SeedVariation variation = lose(cluster("8"), 2);

        assertThat(variation.isConstant()).isTrue();
        assertThat(variation.succeeded()).isEqualTo(variation.seeds()).isEqualTo(64);
        assertThat(variation.ranges().values()).allMatch(Range::isConstant);
    }

    /** Of 200 nodes, a cycle scores the first 100 feasible ones; the node that the pod prefers is among them or not. */
    @Test
    void seedDecidesOnTheSampleOfNodes() {
        LoadedConfig half = ConfigLoader.load("""
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                percentageOfNodesToScore: 50
                """, "half.yaml", PLUGINS);
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            objects.add(node("n" + i).allocatable("cpu", i == 150 ? "64" : "4").build());
        }
        Pod pod = Pods.named("p").requests("cpu", "2").build();
        Set<Boolean> isBest = new HashSet<>();
        try (WhatIf cluster = Scheduler.whatIf(objects, half, PLUGINS)) {
            for (long seed = 0; seed < 20; seed++) {
                String chosen = chosen(cluster.breakingTiesAtRandom(seed), pod);
                assertThat(chosen(cluster.breakingTiesAtRandom(seed), pod)).isEqualTo(chosen);
                isBest.add(chosen.equals("n150"));
                assertThat(chosen(cluster, pod)).isEqualTo(chosen(cluster.with(), pod));
            }
        }
        assertThat(isBest).containsExactlyInAnyOrder(true, false);
    }

    private static String chosen(WhatIf cluster, Pod pod) {
        return cluster.place(List.of(pod)).pods().get(0).nodeName().orElse("");
    }

    /** A cluster that was derived from one with a seed keeps it, and the order of the changes does not matter. */
    @Test
    void derivedClustersKeepTheSeed() {
        Pod pod = Pods.named("p").requests("cpu", "1").build();
        List<ClusterObject> added = List.of(node("c").build(), node("d").build());
        Set<String> chosen = new HashSet<>();
        try (WhatIf cluster =
                Scheduler.whatIf(List.of(node("a").build(), node("b").build()), DEFAULTS, PLUGINS)) {
            for (long seed = 0; seed < 40; seed++) {
                String before =
                        chosen(cluster.breakingTiesAtRandom(seed).with(added).without("b"), pod);
                assertThat(chosen(cluster.with(added).without("b").breakingTiesAtRandom(seed), pod))
                        .isEqualTo(before);
                chosen.add(before);
            }
        }
        assertThat(chosen).containsExactlyInAnyOrder("a", "c", "d");
    }

    /** The pods of a group go to one of two equal zones. */
    @Test
    void seedDecidesOnThePlacementOfAGroup() {
        LoadedConfig groups = ConfigLoader.defaults(
                PLUGINS,
                FeatureGates.of(Map.of(
                        FeatureGates.GENERIC_WORKLOAD, true, FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)));
        PodGroup group = PodGroups.named("g")
                .gang(2)
                .topologyKey("topology.kubernetes.io/zone")
                .build();
        List<Pod> pods = List.of(
                Pods.named("p").podGroup("g").requests("cpu", "1").build(),
                Pods.named("q").podGroup("g").requests("cpu", "1").build());
        Set<String> zones = new HashSet<>();
        try (WhatIf cluster = Scheduler.whatIf(
                List.of(
                        node("east-1").zone("east").build(),
                        node("east-2").zone("east").build(),
                        node("west-1").zone("west").build(),
                        node("west-2").zone("west").build()),
                groups,
                PLUGINS)) {
            for (long seed = 0; seed < 40; seed++) {
                List<String> chosen = cluster.breakingTiesAtRandom(seed).place(group, pods).pods().stream()
                        .map(pod -> pod.nodeName().orElse("").replaceAll("-.*", ""))
                        .distinct()
                        .toList();
                assertThat(chosen).hasSize(1);
                zones.addAll(chosen);
            }
        }
        assertThat(zones).containsExactlyInAnyOrder("east", "west");
    }

    private record RangeCase(List<Integer> values, Range expected) {}

    static Stream<RangeCase> ranges() {
        return Stream.of(
                new RangeCase(List.of(3), new Range(3, 3, 3)),
                new RangeCase(List.of(2, 1), new Range(1, 1, 2)),
                new RangeCase(List.of(5, 1, 3), new Range(1, 3, 5)),
                new RangeCase(List.of(4, 4, 0, 9), new Range(0, 4, 9)),
                new RangeCase(List.of(-1, -3, -2, -2), new Range(-3, -2, -1)));
    }

    @ParameterizedTest
    @MethodSource("ranges")
    void rangeHasTheLeastTheMiddleAndTheGreatestValue(RangeCase example) {
        SeedVariation variation = new SeedVariation(
                7,
                example.values.stream()
                        .map(value -> new Answer(value > 3, Map.of("figure", value)))
                        .toList());

        assertThat(variation.ranges()).containsExactly(Map.entry("figure", example.expected));
        assertThat(variation.succeeded()).isEqualTo((int)
                example.values.stream().filter(value -> value > 3).count());
    }

    @Test
    void missingFigureCountsAsZero() {
        SeedVariation variation = SeedVariation.of(
                seed -> new Answer(true, seed == 11 ? Map.of("preempted", 4) : Map.of()),
                10,
                3,
                executor,
                2,
                asked -> {});

        assertThat(variation.ranges()).containsExactly(Map.entry("preempted", new Range(0, 0, 4)));
    }

    @Test
    void countsAnswersAndPassesOnFailures() {
        List<Integer> counts = new ArrayList<>();
        SeedVariation variation =
                SeedVariation.of(seed -> new Answer(seed % 2 == 0, Map.of()), -2, 5, executor, 3, counts::add);

        assertThat(counts).containsExactly(1, 2, 3, 4, 5);
        assertThat(variation.answers()).extracting(Answer::succeeded).containsExactly(true, false, true, false, true);
        assertThatIllegalStateException()
                .isThrownBy(() -> SeedVariation.of(
                        seed -> {
                            throw new IllegalStateException("seed " + seed);
                        },
                        1,
                        4,
                        executor,
                        1,
                        asked -> {}))
                .withMessage("seed 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SeedVariation.of(seed -> new Answer(true, Map.of()), 1, 0, executor, 1, asked -> {}));
    }
}
