// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
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
import org.junit.jupiter.api.Tag;
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
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.NodeRemoval;
import org.moorage.simulation.whatif.NodeRemovalResult;
import org.moorage.simulation.whatif.NodeRemovalResult.Obstacle;
import org.moorage.simulation.whatif.NodeRemovalResult.RemovableNode;
import org.moorage.simulation.whatif.RemovalRules;
import org.moorage.simulation.whatif.Rescheduling;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Tests clusters of nodes with four CPUs each. */
@Tag("any-jvm")
class NodeRemovalTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig DEFAULTS = ConfigLoader.defaults(PLUGINS);
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final int CLUSTERS = 200;
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

    private static RemovalRules threshold(double value) {
        return RemovalRules.builder().utilizationThreshold(value).build();
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
            KnownCluster known = new KnownCluster(cluster, objects, DEFAULTS, NOW);
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
        RemovalRules unafraid = RemovalRules.builder()
                .skipNodesWithLocalStorage(false)
                .skipNodesWithSystemPods(false)
                .build();
        return Stream.of(
                asked("an empty node can go", RemovalRules.DEFAULTS, List.of()),
                asked("a node can go whose pods fit elsewhere", RemovalRules.DEFAULTS, List.of(web("a").build())),
                asked(
                        "a node stays whose pods fit nowhere else",
                        RemovalRules.DEFAULTS,
                        List.of(
                                web("a").requests("cpu", "3").build(),
                                web("b").requests("cpu", "2").on("b").build()),
                        "unschedulable elsewhere: Insufficient cpu"),
                asked(
                        "no pod is preempted",
                        RemovalRules.DEFAULTS,
                        List.of(
                                web("a").priority(9).requests("cpu", "3").build(),
                                web("b").requests("cpu", "2").on("b").build()),
                        "unschedulable elsewhere: Insufficient cpu"),
                asked(
                        "the place of what waits is not given away",
                        RemovalRules.DEFAULTS,
                        List.of(
                                web("a").requests("cpu", "3").build(),
                                web("w").requests("cpu", "2").on("").build()),
                        "unschedulable elsewhere: Insufficient cpu"),
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
                        "kube-system pods without a disruption budget, of unknown age"),
                asked(
                        "a new pod of kube-system keeps its node",
                        RemovalRules.DEFAULTS,
                        List.of(web("a").namespace("kube-system")
                                .created(NOW.minusSeconds(3599))
                                .build()),
                        "kube-system pods without a disruption budget, less than 1h0m0s old"),
                asked(
                        "an older one does not",
                        RemovalRules.DEFAULTS,
                        List.of(web("a").namespace("kube-system")
                                .created(NOW.minusSeconds(3600))
                                .build())),
                asked(
                        "the age is a flag",
                        RemovalRules.builder()
                                .blockingSystemPodTimeout(Duration.ofHours(2))
                                .build(),
                        List.of(web("a").namespace("kube-system")
                                .created(NOW.minusSeconds(3600))
                                .build()),
                        "kube-system pods without a disruption budget, less than 2h0m0s old"),
                asked(
                        "a pod of a custom controller keeps its node",
                        RemovalRules.DEFAULTS,
                        List.of(Pods.named("clone")
                                .controlledBy("apps.example.io/v1", "CloneSet", "clone")
                                .build()),
                        "pods of custom controllers"),
                asked(
                        "a custom controller may be trusted",
                        RemovalRules.builder()
                                .skipNodesWithCustomControllerPods(false)
                                .build(),
                        List.of(Pods.named("clone")
                                .controlledBy("apps.example.io/v1", "CloneSet", "clone")
                                .build())),
                asked(
                        "the kind of a controller counts, and not its group",
                        RemovalRules.DEFAULTS,
                        List.of(Pods.named("db")
                                .controlledBy("apps.example.io/v1", "StatefulSet", "db")
                                .build())),
                asked(
                        "a Job is a controller that replicates pods",
                        RemovalRules.DEFAULTS,
                        List.of(Pods.named("job")
                                .controlledBy("batch/v1", "Job", "job")
                                .build())),
                asked(
                        "a pod annotated as one of a DaemonSet is ignored",
                        RemovalRules.DEFAULTS,
                        List.of(
                                Pods.named("agent")
                                        .annotation("cluster-autoscaler.kubernetes.io/daemonset-pod", "true")
                                        .requests("cpu", "4")
                                        .build(),
                                web("b").on("b").build())),
                asked(
                        "a DaemonSet of another group is one as well",
                        RemovalRules.DEFAULTS,
                        List.of(
                                Pods.named("agent")
                                        .controlledBy("apps.example.io/v1", "DaemonSet", "agent")
                                        .requests("cpu", "4")
                                        .build(),
                                web("b").on("b").build())),
                asked(
                        "a pod that is safe to evict on completion is left to complete",
                        RemovalRules.DEFAULTS,
                        List.of(
                                Pods.named("batch")
                                        .annotation(SAFE, "on-completion")
                                        .requests("cpu", "4")
                                        .build(),
                                web("b").on("b").build())),
                asked(
                        "an expendable pod does not keep its node",
                        RemovalRules.DEFAULTS,
                        List.of(Pods.named("filler").priority(-11).build())),
                asked(
                        "at the cutoff a pod is not expendable",
                        RemovalRules.DEFAULTS,
                        List.of(Pods.named("filler").priority(-10).build()),
                        "pods that declare no controller"),
                asked(
                        "expendable pods take no room elsewhere",
                        RemovalRules.DEFAULTS,
                        List.of(
                                web("a").build(),
                                web("filler")
                                        .priority(-11)
                                        .requests("cpu", "4")
                                        .on("b")
                                        .build())),
                asked(
                        "few replicas keep the node",
                        RemovalRules.builder().minReplicaCount(3).build(),
                        List.of(web("a").build(), web("b").on("b").build()),
                        "pods with fewer than 3 replicas"),
                asked(
                        "enough replicas do not",
                        RemovalRules.builder().minReplicaCount(2).build(),
                        List.of(web("a").build(), web("b").on("b").build())),
                asked(
                        "volumes that are safe are named exactly",
                        RemovalRules.DEFAULTS,
                        List.of(web("a").annotation(SAFE + "-local-volumes", " v0")
                                .volume(folder)
                                .build()),
                        "pods with local storage"),
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
                        threshold(0.2),
                        List.of(web("a").build()),
                        "utilization of 20% or more"),
                asked(
                        "a node that is used just so much stays",
                        threshold(0.25),
                        List.of(web("a").build()),
                        "utilization of 25% or more"),
                asked("a node that is used less can go", threshold(0.26), List.of(web("a").build())),
                asked(
                        "expendable pods do not count as use",
                        threshold(0.26),
                        List.of(
                                web("a").build(),
                                web("filler").priority(-11).requests("cpu", "3").build())),
                asked(
                        "all reasons are reported",
                        RemovalRules.DEFAULTS,
                        List.of(
                                Pods.named("bare").build(),
                                web("a").volume(folder).build()),
                        "pods that declare no controller",
                        "pods with local storage"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void reportsWhyANodeStays(Case asked) {
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
    void keepsANodeThatIsAnnotated() {
        String key = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
        Node annotated = node("a").toBuilder()
                .metadata(ObjectMeta.named("a").annotations(Map.of(key, "true")).build())
                .build();

        NodeRemovalResult result = removable(List.of(annotated, node("b")), RemovalRules.DEFAULTS, "a");

        assertThat(result.nodes().get(0).obstacles())
                .extracting(Obstacle::reason)
                .containsExactly("annotated with " + key);
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
                    .isSubsetOf(Outcome.RESCHEDULED, Outcome.DAEMON_PODS);
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
        }
    }

    @Test
    void answersForAllNodesAsForEach() {
        int sameTogether = 0;
        for (long seed = 0; seed < CLUSTERS; seed++) {
            List<ClusterObject> objects = RandomClusters.cluster(
                    RandomGeneratorFactory.of("L64X128MixRandom").create(seed));
            try (WhatIf whatIf = Scheduler.whatIf(objects, DEFAULTS, PLUGINS)) {
                KnownCluster known = new KnownCluster(whatIf, objects, DEFAULTS, Instant.EPOCH);
                NodeRemoval removal = new NodeRemoval(known, threshold(1));

                NodeRemovalResult all = removal.of(whatIf.nodeNames(), Runnable::run, 1, count -> {});

                for (RemovableNode node : all.nodes()) {
                    NodeRemovalResult alone = removal.of(List.of(node.nodeName()), Runnable::run, 1, count -> {});
                    assertThat(alone.nodes()).as("seed " + seed).hasToString("[" + node + "]");
                }
                List<String> together = together(all, known);
                assertThat(together).as("seed " + seed).containsAll(all.together());
                sameTogether += together.equals(all.together()) ? 1 : 0;
            }
        }
        // In the others, the final drain finds a pod that is unschedulable in the order of a drain.
        assertThat(sameTogether).isGreaterThan(CLUSTERS * 9 / 10);
    }

    /** Removes the removable nodes in turn, trying all pods of each among the nodes that are left. */
    private static List<String> together(NodeRemovalResult result, KnownCluster known) {
        List<String> together = new ArrayList<>();
        try (Transaction transaction = known.whatIf().begin()) {
            Set<String> left = new LinkedHashSet<>(transaction.nodeNames());
            Rescheduling waiting = known.rescheduling(transaction).waiting(known.waitingPods());
            assertThat(waiting.schedule().pods()).hasSize(known.waitingPods().size());
            for (RemovableNode node : result.nodes()) {
                List<Pod> pods = new ArrayList<>(transaction.podsOn(node.nodeName()));
                pods.removeIf(pod -> pod.metadata()
                        .controller()
                        .filter(owner -> owner.kind().equals("DaemonSet"))
                        .isPresent());
                pods.sort(Comparator.comparing(Pod::key));
                left.remove(node.nodeName());
                if (node.isRemovable()
                        && (pods.isEmpty() || !left.isEmpty() && areMoved(pods, transaction, left, known))) {
                    together.add(node.nodeName());
                } else {
                    left.add(node.nodeName());
                }
            }
        }
        return together;
    }

    private static boolean areMoved(List<Pod> pods, Transaction transaction, Set<String> left, KnownCluster known) {
        Transaction trial = transaction.begin();
        try {
            Transaction among = trial.evict(pods).among(left);
            boolean areMoved =
                    known.rescheduling(among).withoutPreemption().goneWithNodes(pods).schedule().pods().stream()
                            .allMatch(pod -> pod.nodeName().isPresent());
            if (areMoved) {
                trial.keep();
            }
            return areMoved;
        } finally {
            trial.close();
        }
    }
}
