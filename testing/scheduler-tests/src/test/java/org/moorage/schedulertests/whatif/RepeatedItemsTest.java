// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Placement;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.PlacedPods;
import org.moorage.runtime.whatif.Questions;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PodGroups;
import org.moorage.testkit.Pods;

/**
 * Nodes and pods that a caller or a plugin names several times: a selection is a set, while objects to add and pods to
 * place must be distinct. Each node has 4 CPUs.
 */
@Timeout(120)
class RepeatedItemsTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig CONFIG = ConfigLoader.defaults(PLUGINS);
    private static final FeatureGates GROUPS = FeatureGates.of(
            Map.of(FeatureGates.GENERIC_WORKLOAD, true, FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true));

    private static final Node A = node("a");
    private static final Node B = node("b");
    private static final Node C = node("c");
    private static final Node LARGER_A = Nodes.named("a")
            .allocatable("cpu", "8")
            .allocatable("memory", "8Gi")
            .build();
    private static final Pod ON_A = pod("on-a", "1").on("a").build();
    private static final Pod ALSO_ON_A = pod("also-on-a", "2").on("a").build();
    private static final Pod P = pod("p", "4").build();
    private static final Pod Q = pod("q", "4").build();
    private static final PodGroup GROUP = PodGroups.named("g").gang(2).build();

    private static Node node(String name) {
        return Nodes.named(name)
                .allocatable("cpu", "4")
                .allocatable("memory", "8Gi")
                .build();
    }

    private static Pods pod(String name, String cpu) {
        return Pods.named(name).uid(name).requests("cpu", cpu);
    }

    private static Pod member(String name) {
        return pod(name, "4").podGroup("g").build();
    }

    private static WhatIf asked(ClusterObject... objects) {
        return asked(List.of(objects));
    }

    private static WhatIf asked(List<ClusterObject> objects) {
        return Scheduler.whatIf(objects, CONFIG, PLUGINS);
    }

    private static List<String> nodes(PlacedPods placed) {
        return placed.pods().stream().map(pod -> pod.nodeName().orElse("-")).toList();
    }

    /**
     * A selection with repetitions, the same one without, and the nodes that two pods of 4 CPUs are then scheduled to.
     */
    private record Selection(
            String name, Function<WhatIf, WhatIf> repeated, Function<WhatIf, WhatIf> once, List<String> placed) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Selection> SELECTIONS = List.of(
            new Selection(
                    "a single node twice",
                    cluster -> cluster.among(List.of("b", "b")),
                    cluster -> cluster.among(List.of("b")),
                    List.of("b", "-")),
            new Selection(
                    "as many names as the cluster has nodes",
                    cluster -> cluster.among(List.of("b", "b", "b")),
                    cluster -> cluster.among(List.of("b")),
                    List.of("b", "-")),
            new Selection(
                    "more names than the cluster has nodes",
                    cluster -> cluster.among(List.of("c", "b", "c", "b", "c")),
                    cluster -> cluster.among(List.of("b", "c")),
                    List.of("b", "c")),
            new Selection(
                    "removed nodes",
                    cluster -> cluster.without(List.of("b", "b")),
                    cluster -> cluster.without(List.of("b")),
                    List.of("c", "-")),
            new Selection(
                    "evicted pods",
                    cluster -> cluster.evict(List.of(ON_A, ON_A, ALSO_ON_A, ON_A)),
                    cluster -> cluster.evict(List.of(ON_A, ALSO_ON_A)),
                    List.of("a", "b")));

    @ParameterizedTest
    @FieldSource("SELECTIONS")
    void aSelectionIsASet(Selection selection) {
        try (WhatIf cluster = asked(A, B, C, ON_A, ALSO_ON_A)) {
            WhatIf repeated = selection.repeated.apply(cluster);
            WhatIf once = selection.once.apply(cluster);
            assertThat(nodes(repeated.place(List.of(P, Q)))).isEqualTo(selection.placed);
            assertSame(repeated, once);
        }
    }

    private static void assertSame(Questions repeated, Questions once) {
        assertThat(repeated.nodeNames()).isEqualTo(once.nodeNames());
        assertThat(nodes(repeated.place(List.of(P, Q)))).isEqualTo(nodes(once.place(List.of(P, Q))));
        assertThat(repeated.fits(P).feasible()).isEqualTo(once.fits(P).feasible());
        assertThat(repeated.fits(P).nodeCount()).isEqualTo(once.fits(P).nodeCount());
        assertThat(repeated.howMany(P, 9).byNode()).isEqualTo(once.howMany(P, 9).byNode());
        Evaluation evaluation = repeated.evaluate(P);
        Evaluation expected = once.evaluate(P);
        assertThat(evaluation.feasible()).isEqualTo(expected.feasible());
        assertThat(evaluation.nodeCount()).isEqualTo(expected.nodeCount());
        Pod large = pod("large", "9").build();
        assertThat(repeated.evaluate(large).message())
                .isEqualTo(once.evaluate(large).message());
        assertThat(repeated.fits(large).message()).isEqualTo(once.fits(large).message());
    }

    @Test
    void anyListOfNodesIsTheSetOfItsNodes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            objects.add(node("n" + i));
        }
        try (WhatIf cluster = asked(objects)) {
            for (int round = 0; round < 30; round++) {
                List<String> names = new ArrayList<>();
                for (int i = random.nextInt(1, 12); i > 0; i--) {
                    names.add("n" + random.nextInt(5));
                }
                List<String> once = new ArrayList<>(new TreeSet<>(names));
                Collections.shuffle(once, random);
                try {
                    assertSame(cluster.among(names), cluster.among(once));
                } catch (AssertionError different) {
                    throw new AssertionError("seed " + seed + ": " + names, different);
                }
            }
        }
    }

    @Test
    void nodesThatAreAddedLaterAreNotAmongThoseToChooseFrom() {
        try (WhatIf cluster = asked(A, B)) {
            WhatIf all = cluster.among(List.of("a", "b")).with(C);
            assertThat(all.fits(P).feasible()).containsExactly("a", "b");
            assertThat(all.nodeNames()).containsExactly("a", "b", "c");
        }
    }

    @Test
    void anEvaluationIsAboutTheNodesToChooseFrom() {
        try (WhatIf cluster = asked(A, B, C)) {
            Evaluation evaluation =
                    cluster.among(List.of("b")).evaluate(pod("large", "9").build());
            assertThat(evaluation.nodeCount()).isEqualTo(1);
            assertThat(evaluation.rejections()).containsOnlyKeys("b");
            assertThat(evaluation.objections()).containsOnlyKeys("b");
            assertThat(evaluation.message()).isEqualTo("0/1 nodes are available: 1 Insufficient cpu.");
        }
    }

    /** Something that is refused, as a question and within a transaction. */
    private record Refused(String name, Function<WhatIf, Object> question, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String P_TWICE = "objects: Pod default/p is given twice (expected: once)";

    static final List<Refused> REFUSED = List.of(
            new Refused(
                    "two nodes of one name",
                    cluster -> cluster.with(C, C),
                    "objects: Node c is given twice (expected: once)"),
            new Refused(
                    "two nodes of one name that differ",
                    cluster -> cluster.with(A, LARGER_A),
                    "objects: Node a is given twice (expected: once)"),
            new Refused(
                    "two pods of one name",
                    cluster -> cluster.with(
                            pod("x", "1").on("a").build(),
                            pod("x", "1").uid("other").on("b").build()),
                    "objects: Pod default/x is given twice (expected: once)"),
            new Refused(
                    "two pods of one UID",
                    cluster -> cluster.with(
                            pod("x", "1").on("a").build(),
                            pod("y", "1").uid("x").on("b").build()),
                    "pod default/y: metadata.uid: \"x\" is also the UID of pod default/x (expected: a unique UID)"),
            new Refused("a pod placed twice", cluster -> cluster.place(List.of(P, P)), P_TWICE),
            new Refused("a pod placed together with itself", cluster -> cluster.placeTogether(List.of(P, P)), P_TWICE),
            new Refused(
                    "a pod compared twice", cluster -> cluster.compare("default-scheduler", List.of(P, P)), P_TWICE),
            new Refused(
                    "a pod that has a node in the transaction",
                    cluster -> {
                        try (Transaction transaction = cluster.begin()) {
                            assertThat(transaction.place(List.of(P)).isComplete())
                                    .isTrue();
                            return transaction.place(List.of(P));
                        }
                    },
                    "pod default/p: placed on node b (expected: a pod without a node)"),
            new Refused(
                    "a pod that preempts after it was placed",
                    cluster -> {
                        try (Transaction transaction = cluster.begin()) {
                            assertThat(transaction.place(List.of(P)).isComplete())
                                    .isTrue();
                            return transaction.preempt(P);
                        }
                    },
                    "pod default/p: placed on node b (expected: a pod without a node)"));

    @ParameterizedTest
    @FieldSource("REFUSED")
    void whatIsAddedOrPlacedMustBeDistinct(Refused refused) {
        try (WhatIf cluster = asked(A, B, ON_A)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> refused.question.apply(cluster))
                    .withMessage(refused.message);
        }
    }

    @Test
    void membersOfAGroupMustBeDistinct() {
        LoadedConfig config = ConfigLoader.defaults(PLUGINS, GROUPS);
        Pod member = member("m");
        try (WhatIf cluster = Scheduler.whatIf(List.of(A, B), config, PLUGINS)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> cluster.place(GROUP, List.of(member, member)))
                    .withMessage("objects: Pod default/m is given twice (expected: once)");
        }
    }

    @Test
    void refusesAClusterWithTwoObjectsOfOneName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> asked(A, B, LARGER_A))
                .withMessage("objects: Node a is given twice (expected: once)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> asked(A, ON_A, pod("on-a", "2").uid("other").build()))
                .withMessage("objects: Pod default/on-a is given twice (expected: once)");
        Pod without =
                ON_A.withMetadata(ON_A.metadata().toBuilder(ON_A.name()).uid("").build());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> asked(A, without))
                .withMessageStartingWith("pod default/on-a: metadata.uid: empty (expected: ");
    }

    /** Thousands of changes in a row are one change: the cost of each would grow with the number of nodes. */
    @Test
    void aLongChainOfChangesIsAsOneChange() {
        Map<String, Integer> expected = new TreeMap<>();
        try (WhatIf cluster = asked(A)) {
            WhatIf chain = cluster;
            for (int i = 0; i < 5_000; i++) {
                chain = chain.with(node("n" + i))
                        .with(pod("p" + i, "3").on("n" + i).build());
                expected.put("n" + i, 1);
            }
            for (int i = 0; i < 4_000; i++) {
                chain = chain.without("n" + i);
                expected.remove("n" + i);
            }
            for (int i = 4_000; i < 4_999; i++) {
                chain = chain.evict(List.of(pod("p" + i, "3").on("n" + i).build()));
            }
            assertThat(chain.nodeNames()).hasSize(1_001);
            // One pod is left, and on each other node is room for another one.
            assertThat(chain.fits(P).feasible()).hasSize(1_000).doesNotContain("n4999");
            assertThat(chain.podsOn("n4999")).extracting(Pod::name).containsExactly("p4999");
        }
    }

    @Test
    void theLastOfSeveralObjectsInAChainCounts() {
        try (WhatIf cluster = asked(B, ON_A.withoutNode())) {
            assertThat(cluster.with(A)
                            .with(LARGER_A)
                            .fits(pod("p", "8").build())
                            .feasible())
                    .containsExactly("a");
            Pod there = pod("x", "3").on("a").build();
            Pod elsewhere = pod("x", "3").on("b").build();
            WhatIf moved = cluster.with(A).with(there).with(elsewhere);
            assertThat(moved.podsOn("a")).isEmpty();
            assertThat(moved.podsOn("b")).extracting(Pod::name).containsExactly("x");
            assertThatIllegalArgumentException()
                    .as("what is gone cannot go once more")
                    .isThrownBy(() -> cluster.with(A).without("a").without("a").nodeNames())
                    .withMessage("nodeName: \"a\" (expected: the name of a node)");
        }
    }

    /** A plugin whose placements name nodes several times. */
    private record Repeating(List<Integer> indexes) implements PlacementGeneratePlugin {
        @Override
        public String name() {
            return "Repeating";
        }

        @Override
        public PlacementGenerateResult generatePlacements(
                CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot) {
            List<NodeInfo> nodes =
                    indexes.stream().map(index -> parent.nodes().get(index)).toList();
            return PlacementGenerateResult.of(List.of(Placement.of("repeated", nodes)));
        }
    }

    /** Nodes of a placement by their indexes, and how many pods of 4 CPUs fit onto them. */
    private record Repeated(List<Integer> indexes, int room) {}

    static final List<Repeated> PLACEMENTS = List.of(
            new Repeated(List.of(0, 0), 1),
            new Repeated(List.of(0, 0, 1), 2),
            new Repeated(List.of(1, 0, 1, 0), 2),
            new Repeated(List.of(2, 2, 2, 2), 1),
            new Repeated(List.of(3, 2, 1, 3, 2, 1, 0), 4));

    @ParameterizedTest
    @FieldSource("PLACEMENTS")
    void aPlacementFillsANodeOnce(Repeated repeated) {
        assertThat(placed(repeated, repeated.room)).isEqualTo(repeated.room);
        assertThat(placed(repeated, repeated.room + 1)).isZero();
    }

    // How many pods of a gang get a node.
    private static long placed(Repeated repeated, int gang) {
        PluginRegistry plugins = PLUGINS.with(
                List.of(PluginFactory.of("Repeating", Repeating.class, handle -> new Repeating(repeated.indexes))));
        LoadedConfig config = ConfigLoader.load("""
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins:
                multiPoint: {enabled: [{name: Repeating}]}
                placementGenerate: {disabled: [{name: TopologyPlacementGenerator}]}
            """, "config", plugins, GROUPS);
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            objects.add(node("n" + i));
        }
        objects.add(PodGroups.named("g").gang(gang).build());
        for (int i = 0; i < gang; i++) {
            objects.add(member("m" + i));
        }
        SimulationResult result =
                Simulation.of(objects, config, plugins).seed(1).run();
        result.nodes().forEach(node -> assertThat(node.pods()).hasSizeLessThanOrEqualTo(1));
        return result.nodes().stream().mapToLong(node -> node.pods().size()).sum();
    }
}
