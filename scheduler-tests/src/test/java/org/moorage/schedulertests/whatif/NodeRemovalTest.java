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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.Volume;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.NodeRemoval;
import org.moorage.simulation.whatif.NodeRemovalResult;
import org.moorage.simulation.whatif.NodeRemovalResult.Obstacle;
import org.moorage.simulation.whatif.NodeRemovalResult.RemovableNode;
import org.moorage.simulation.whatif.RemovalRules;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Clusters of nodes with four CPUs each. */
class NodeRemovalTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig DEFAULTS = ConfigLoader.defaults(PLUGINS);
    private static final String SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict";

    private static Node node(String name) {
        return Nodes.named(name)
                .allocatable("cpu", "4")
                .allocatable("memory", "8Gi")
                .build();
    }

    private static Pods web(String name) {
        return Pods.named(name)
                .label("app", "web")
                .controlledBy("apps/v1", "ReplicaSet", "web")
                .requests("cpu", "1");
    }

    private static PodDisruptionBudget budget(String name, String namespace, int allowed) {
        return new PodDisruptionBudget(
                ObjectMeta.named(name).namespace(namespace).build(),
                Optional.of(new LabelSelector(Map.of("app", "web"), List.of())),
                allowed,
                Set.of());
    }

    private static NodeRemovalResult removable(List<ClusterObject> objects, RemovalRules rules, String... names) {
        try (WhatIf cluster = Scheduler.whatIf(objects, DEFAULTS, PLUGINS)) {
            KnownCluster known = new KnownCluster(cluster, objects, DEFAULTS, Instant.EPOCH);
            return new NodeRemoval(known, rules).of(List.of(names), Runnable::run, 1, count -> {});
        }
    }

    record Case(String name, RemovalRules rules, List<ClusterObject> objects, List<String> reasons) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case asked(String name, RemovalRules rules, List<ClusterObject> objects, String... reasons) {
        return new Case(name, rules, objects, List.of(reasons));
    }

    static Stream<Case> cases() {
        Volume.Source folder = new Volume.EmptyDir("");
        RemovalRules unafraid = new RemovalRules(1, false, false);
        return Stream.of(
                asked("an empty node can go", RemovalRules.DEFAULTS, List.of()),
                asked("a node can go whose pods fit elsewhere", RemovalRules.DEFAULTS, List.of(web("a").build())),
                asked(
                        "a node stays whose pods fit nowhere else",
                        RemovalRules.DEFAULTS,
                        List.of(
                                web("a").requests("cpu", "3").build(),
                                web("b").requests("cpu", "2").on("b").build()),
                        "no place elsewhere: Insufficient cpu"),
                asked(
                        "nobody is preempted",
                        RemovalRules.DEFAULTS,
                        List.of(
                                web("a").priority(9).requests("cpu", "3").build(),
                                web("b").requests("cpu", "2").on("b").build()),
                        "no place elsewhere: Insufficient cpu"),
                asked(
                        "the place of what waits is not given away",
                        RemovalRules.DEFAULTS,
                        List.of(
                                web("a").requests("cpu", "3").build(),
                                web("w").requests("cpu", "2").on("").build()),
                        "no place elsewhere: Insufficient cpu"),
                asked(
                        "a bare pod keeps its node",
                        RemovalRules.DEFAULTS,
                        List.of(Pods.named("bare").build()),
                        "pods that declare no controller"),
                asked(
                        "a bare pod may be safe to evict",
                        RemovalRules.DEFAULTS,
                        List.of(Pods.named("bare").annotation(SAFE, "true").build())),
                asked(
                        "a pod may not be safe to evict",
                        RemovalRules.DEFAULTS,
                        List.of(web("a").annotation(SAFE, "false").build()),
                        "pods annotated as not safe to evict"),
                asked(
                        "local storage keeps its node",
                        RemovalRules.DEFAULTS,
                        List.of(web("a").volume(folder).build()),
                        "pods with local storage"),
                asked(
                        "a folder in memory does not",
                        RemovalRules.DEFAULTS,
                        List.of(web("a").volume(new Volume.EmptyDir("Memory")).build())),
                asked(
                        "local storage does not keep it unless asked to",
                        unafraid,
                        List.of(web("a").volume(folder).build())),
                asked(
                        "a pod of kube-system keeps its node",
                        RemovalRules.DEFAULTS,
                        List.of(web("a").namespace("kube-system").build()),
                        "kube-system pods without a disruption budget"),
                asked(
                        "a pod of kube-system with a budget does not",
                        RemovalRules.DEFAULTS,
                        List.of(web("a").namespace("kube-system").build(), budget("web", "kube-system", 1))),
                asked(
                        "a budget keeps the node",
                        RemovalRules.DEFAULTS,
                        List.of(web("a").build(), budget("web", "default", 0)),
                        "disruption budget default/web allows no eviction"),
                asked(
                        "two budgets keep it",
                        RemovalRules.DEFAULTS,
                        List.of(web("a").build(), budget("web", "default", 1), budget("other", "default", 1)),
                        "pods in more than one disruption budget"),
                asked(
                        "pods of DaemonSets are ignored",
                        RemovalRules.DEFAULTS,
                        List.of(Pods.named("proxy")
                                .controlledBy("apps/v1", "DaemonSet", "proxy")
                                .build())),
                asked(
                        "a node that is used too much stays",
                        new RemovalRules(0.2, true, true),
                        List.of(web("a").build()),
                        "used more than 20%"),
                asked(
                        "all reasons are told",
                        RemovalRules.DEFAULTS,
                        List.of(
                                Pods.named("bare").build(),
                                web("a").volume(folder).build()),
                        "pods that declare no controller",
                        "pods with local storage"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void tellsWhyANodeStays(Case asked) {
        List<ClusterObject> objects = new ArrayList<>(List.of(node("a"), node("b")));
        for (ClusterObject object : asked.objects) {
            boolean isMovable =
                    object instanceof Pod pod && !pod.isBound() && !pod.name().equals("w");
            objects.add(isMovable ? ((Pod) object).withNode("a") : object);
        }

        NodeRemovalResult result = removable(objects, asked.rules, "a");

        RemovableNode node = result.nodes().get(0);
        assertThat(node.obstacles()).extracting(Obstacle::reason).containsExactlyElementsOf(asked.reasons);
        assertThat(result.together()).hasSize(asked.reasons.isEmpty() ? 1 : 0);
    }

    @Test
    void takesAwayTogetherOnlyWhatFitsTogether() {
        List<ClusterObject> objects = List.of(
                node("a"),
                node("b"),
                node("c"),
                web("a1").requests("cpu", "2").on("a").build(),
                web("b1").requests("cpu", "2").on("b").build(),
                web("c1").requests("cpu", "1").on("c").build());

        NodeRemovalResult result = removable(objects, RemovalRules.DEFAULTS, "a", "b", "c");

        assertThat(result.nodes()).extracting(RemovableNode::nodeName).containsExactly("c", "a", "b");
        assertThat(result.nodes()).allMatch(RemovableNode::isRemovable);
        assertThat(result.nodes().get(0).utilization()).isEqualTo(0.25);
        assertThat(result.together()).hasSize(1);
        assertThat(result.drain().isComplete()).isTrue();
    }

    @Test
    void refusesANodeThatIsNotThere() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> removable(List.of(node("a")), RemovalRules.DEFAULTS, "none"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void answersTheSameWithSeveralThreads(long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        List<ClusterObject> objects = RandomClusters.cluster(random);
        ExecutorService executor = Executors.newFixedThreadPool(3);
        try (WhatIf whatIf = Scheduler.whatIf(objects, DEFAULTS, PLUGINS)) {
            NodeRemoval removal =
                    new NodeRemoval(new KnownCluster(whatIf, objects, DEFAULTS, Instant.EPOCH), RemovalRules.DEFAULTS);
            AtomicInteger last = new AtomicInteger();

            NodeRemovalResult one = removal.of(whatIf.nodeNames(), Runnable::run, 1, last::set);
            NodeRemovalResult several = removal.of(whatIf.nodeNames(), executor, 4, count -> {});

            assertThat(several).as("seed " + seed).hasToString(one.toString());
            assertThat(last).hasValue(one.nodes().size());
            assertThat(one.together())
                    .as("seed " + seed)
                    .isSubsetOf(one.nodes().stream()
                            .filter(RemovableNode::isRemovable)
                            .map(RemovableNode::nodeName)
                            .toList());
            assertThat(one.drain().pods())
                    .as("seed " + seed)
                    .extracting(DisruptedPod::outcome)
                    .isSubsetOf(Outcome.MOVES, Outcome.OF_NODE);
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
        }
    }
}
