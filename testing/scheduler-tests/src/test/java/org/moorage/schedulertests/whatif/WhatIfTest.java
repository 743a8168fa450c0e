// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.whatif.Fit;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.PlacedPods;
import org.moorage.runtime.whatif.PreemptionResult;
import org.moorage.runtime.whatif.ProfileComparison;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PodGroups;
import org.moorage.testkit.Pods;

/** Questions about a small cluster: two nodes with 4 CPUs each, on which one pod takes 3. */
class WhatIfTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final Node A = node("a").zone("east").build();
    private static final Node B = node("b").zone("west").build();
    private static final Pod THERE = pod("there", "3").on("a").build();
    private static final String TOO_LARGE = "0/2 nodes are available: 2 Insufficient cpu.";

    private static final String TWO_PROFILES = """
        apiVersion: kubescheduler.config.k8s.io/v1
        kind: KubeSchedulerConfiguration
        profiles:
        - schedulerName: default-scheduler
        - schedulerName: packed
          pluginConfig:
          - name: NodeResourcesFit
            args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
        """;

    private static final FeatureGates GROUPS = FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, true));

    private static Nodes node(String name) {
        return Nodes.named(name).allocatable("cpu", "4").allocatable("memory", "8Gi");
    }

    private static Pods pod(String name, String cpu) {
        return Pods.named(name).uid(name).requests("cpu", cpu);
    }

    private static WhatIf asked(ClusterObject... objects) {
        return Scheduler.whatIf(List.of(objects), ConfigLoader.defaults(PLUGINS), PLUGINS);
    }

    private static List<String> nodes(PlacedPods placement) {
        return placement.pods().stream()
                .map(place -> place.nodeName().orElse(""))
                .toList();
    }

    @Test
    void saysWhereAPodFitsAndWhyNotElsewhere() {
        try (WhatIf cluster = asked(A, B, THERE)) {
            Fit fit = cluster.fits(pod("p", "2").build());
            assertThat(fit.fits()).isTrue();
            assertThat(fit.feasible()).containsExactly("b");
            assertThat(fit.nodeCount()).isEqualTo(2);
            assertThat(fit.whyNot("a").map(PluginStatus::plugin)).contains("NodeResourcesFit");
            assertThat(fit.whyNot("b")).isEmpty();
            assertThat(fit.whyNot("no such node")).isEmpty();
            assertThat(fit.rejections()).containsOnlyKeys("a");
            assertThat(fit.message()).isEmpty();

            Fit none = cluster.fits(pod("p", "5").build());
            assertThat(none.fits()).isFalse();
            assertThat(none.message()).isEqualTo(TOO_LARGE);
        }
    }

    @Test
    void saysWhatGatesAPod() {
        try (WhatIf cluster = asked(A, B)) {
            Pod gated = pod("p", "1").schedulingGate("example.com/wait").build();
            Fit fit = cluster.fits(gated);
            assertThat(fit.fits()).isFalse();
            assertThat(fit.gate().map(PluginStatus::plugin)).contains("SchedulingGates");
            assertThat(fit.feasible()).containsExactly("a", "b");
            PlacedPods placement = cluster.place(List.of(gated));
            assertThat(placement.isComplete()).isFalse();
            assertThat(placement.pods().get(0).message())
                    .isEqualTo(fit.message())
                    .contains("example.com/wait");
        }
    }

    @Test
    void placesEachPodWithThoseBeforeIt() {
        try (WhatIf cluster = asked(A, B, THERE)) {
            List<Pod> pods = List.of(
                    pod("p1", "3").build(),
                    pod("p2", "5").build(),
                    pod("p3", "1").build(),
                    pod("p4", "1").build());
            PlacedPods placement = cluster.place(pods);
            assertThat(nodes(placement)).containsExactly("b", "", "a", "b");
            assertThat(placement.placed()).isEqualTo(3);
            assertThat(placement.pods().get(1).message()).isEqualTo(TOO_LARGE);

            PlacedPods together = cluster.placeTogether(pods);
            assertThat(nodes(together)).containsExactly("", "", "", "");
            assertThat(together.message()).isEqualTo("3 of 4 pods find a node (expected: all)");
        }
    }

    @Test
    void countsHowManyThereIsRoomFor() {
        try (WhatIf cluster = asked(A, B, THERE)) {
            HowMany all = cluster.howMany(pod("p", "1").build(), 100);
            assertThat(all.count()).isEqualTo(5);
            assertThat(all.byNode()).isEqualTo(Map.of("a", 1, "b", 4));
            assertThat(all.stoppedBy()).isEqualTo(TOO_LARGE);

            HowMany some = cluster.howMany(pod("p", "1").build(), 2);
            assertThat(some.count()).isEqualTo(2);
            assertThat(some.stoppedBy()).isEmpty();
            assertThat(cluster.howMany(pod("p", "1").build(), 0).count()).isZero();
        }
    }

    @Test
    void isAskedWithOtherNodesAndPods() {
        Pod large = pod("p", "4").build();
        try (WhatIf cluster = asked(A, B, THERE)) {
            assertThat(cluster.fits(large).feasible()).containsExactly("b");
            assertThat(cluster.without("b").fits(large).feasible()).isEmpty();
            assertThat(cluster.evict(List.of(THERE)).fits(large).feasible()).containsExactly("a", "b");
            assertThat(cluster.with(node("c").build()).fits(large).feasible()).containsExactlyInAnyOrder("b", "c");
            assertThat(cluster.with(node("c").build()).without("b").fits(large).feasible())
                    .containsExactly("c");
            assertThat(cluster.among(List.of("a")).fits(large).feasible()).isEmpty();
            assertThat(cluster.with(pod("there", "1").on("b").build())
                            .fits(large)
                            .feasible())
                    .as("the pod has moved to b")
                    .containsExactly("a");
            assertThat(cluster.nodeNames()).containsExactly("a", "b");
            assertThat(cluster.without("b").nodeNames()).containsExactly("a");
            assertThat(cluster.podsOn("a")).extracting(Pod::name).containsExactly("there");
            assertThat(cluster.fits(large).feasible()).containsExactly("b");
        }
    }

    @Test
    void drainsANode() {
        try (WhatIf cluster = asked(A, B, THERE);
                Transaction drained = cluster.begin().evict(List.of(THERE)).without("a")) {
            assertThat(nodes(drained.place(List.of(THERE)))).containsExactly("b");
            assertThat(drained.fits(pod("p", "2").build()).message())
                    .isEqualTo("0/1 nodes are available: 1 Insufficient cpu.");
        }
    }

    @Test
    void makesRoomByPreemption() {
        Node full = node("a").build();
        Pod low = pod("low", "3").priority(1).on("a").build();
        Pod high = pod("high", "3").priority(10).build();
        try (WhatIf cluster = asked(full, low)) {
            PreemptionResult room = cluster.preempt(high);
            assertThat(room.nodeName()).contains("a");
            assertThat(room.victims()).extracting(Pod::name).containsExactly("low");
            assertThat(cluster.preempt(pod("small", "1").build()).victims()).isEmpty();
            PreemptionResult none =
                    cluster.preempt(pod("equal", "3").priority(1).build());
            assertThat(none.nodeName()).isEmpty();
            assertThat(none.message())
                    .isEqualTo("0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available:"
                            + " 1 No preemption victims found for incoming pod.");
            try (Transaction transaction = cluster.begin()) {
                assertThat(transaction.preempt(high).nodeName()).contains("a");
                assertThat(transaction.fits(pod("p", "2").build()).fits()).isFalse();
                assertThat(transaction.place(List.of(low)).placed()).isZero();
            }
            assertThat(cluster.podsOn("a")).extracting(Pod::name).containsExactly("low");
        }
    }

    @Test
    void comparesProfiles() {
        LoadedConfig config = ConfigLoader.load(TWO_PROFILES, "two-profiles.yaml", PLUGINS);
        try (WhatIf cluster =
                Scheduler.whatIf(List.of(A, B, pod("there", "1").on("a").build()), config, PLUGINS)) {
            Pod pod = pod("p", "1").build();
            ProfileComparison comparison = cluster.compare("packed", List.of(pod));
            assertThat(nodes(comparison.own())).containsExactly("b");
            assertThat(nodes(comparison.other())).containsExactly("a");
            assertThat(comparison.moved()).containsExactly(pod);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> cluster.compare("other", List.of(pod)))
                    .withMessage("profile: \"other\" (expected: one of the profiles [default-scheduler, packed])");
        }
    }

    @Test
    void answersByTheProfileThatAPodNames() {
        LoadedConfig config = ConfigLoader.load(TWO_PROFILES, "two-profiles.yaml", PLUGINS);
        try (WhatIf cluster =
                Scheduler.whatIf(List.of(A, B, pod("there", "1").on("a").build()), config, PLUGINS)) {
            Pod pod = pod("p", "1").build();
            assertThat(nodes(cluster.place(List.of(pod)))).containsExactly("b");
            assertThat(nodes(cluster.place(List.of(forProfile(pod, "packed"))))).containsExactly("a");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> cluster.place(List.of(forProfile(pod, "other"))))
                    .withMessage("pod default/p: spec.schedulerName: \"other\" (expected: one of the profiles"
                            + " [default-scheduler, packed])");
        }
    }

    private static Pod forProfile(Pod pod, String schedulerName) {
        return pod.withSpec(pod.spec().toBuilder().schedulerName(schedulerName).build());
    }

    @Test
    void placesAGroupAsAWhole() {
        LoadedConfig config = ConfigLoader.defaults(PLUGINS, GROUPS);
        PodGroup group = PodGroups.named("gang").gang(3).build();
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pods.add(pod("p" + i, "2").podGroup("gang").build());
        }
        try (WhatIf cluster = Scheduler.whatIf(List.of(A, B), config, PLUGINS)) {
            assertThat(nodes(cluster.place(group, pods))).doesNotContain("");
            assertThat(cluster.with(pod("x", "3").on("a").build())
                            .place(group, pods)
                            .placed())
                    .as("two would find a node, which is not enough")
                    .isZero();
        }
        try (WhatIf cluster = asked(A, B)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> cluster.place(group, pods))
                    .withMessageStartingWith("feature GenericWorkload: off");
        }
    }

    @Test
    void hasOneAnswerForThreadsThatAskAtOnce() throws InterruptedException, ExecutionException, TimeoutException {
        ClusterDump dump = ClusterDump.read(Path.of("..", "..", "examples", "clusters", "first.yaml"));
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (WhatIf cluster = Scheduler.whatIf(dump.objects(), ConfigLoader.defaults(PLUGINS), PLUGINS)) {
            List<Pod> waiting =
                    dump.pods().stream().filter(pod -> !pod.isBound()).toList();
            List<String> expected = nodes(cluster.place(waiting));
            List<Future<List<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                answers.add(threads.submit(() -> nodes(cluster.place(waiting))));
            }
            for (Future<List<String>> answer : answers) {
                assertThat(answer.get(1, TimeUnit.MINUTES)).isEqualTo(expected);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void saysOfEachPodWhatTheSchedulerSays() {
        ClusterDump dump = ClusterDump.read(Path.of("..", "..", "examples", "clusters", "first.yaml"));
        try (Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.defaults(PLUGINS), PLUGINS, InMemoryCluster.of(dump.objects()))
                .random(() -> 0L)
                .build()) {
            scheduler.start();
            try (WhatIf cluster = scheduler.whatIf()) {
                for (Pod pod : dump.pods()) {
                    Evaluation evaluation = scheduler.evaluate(pod.withoutNode());
                    WhatIf without = pod.isBound() ? cluster.with(pod.withoutNode()) : cluster;
                    Fit fit = without.fits(pod.withoutNode());
                    if (!pod.isBound()) {
                        assertThat(fit.feasible()).containsExactlyInAnyOrderElementsOf(evaluation.feasible());
                        assertThat(fit.rejections().keySet())
                                .isEqualTo(evaluation.rejections().keySet());
                        assertThat(without.evaluate(pod).scores()).isEqualTo(evaluation.scores());
                        if (fit.gate().isEmpty()) {
                            assertThat(fit.message()).isEqualTo(evaluation.message());
                        }
                    }
                }
            }
        }
    }

    @Test
    void refusesWhatCannotBe() throws InterruptedException {
        try (WhatIf cluster = asked(A, B, THERE)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> cluster.fits(THERE))
                    .withMessage("pod default/there: on node a (expected: a pending or evicted pod)");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> cluster.without("c").fits(THERE.withoutNode()))
                    .withMessage("nodeName: \"c\" (expected: the name of a node)");
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> cluster.evict(List.of(pod("p", "1").build())).begin())
                    .withMessage("pod default/p: on no node (expected: a pod with a node)");
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            cluster.fits(pod("p", "1").schedulerName("other").build()))
                    .withMessage("pod default/p: spec.schedulerName: \"other\""
                            + " (expected: one of the profiles [default-scheduler])");
            Transaction transaction = cluster.begin();
            try (transaction) {
                Transaction inner = transaction.begin();
                assertThatIllegalStateException()
                        .isThrownBy(() -> transaction.fits(pod("p", "1").build()))
                        .withMessageStartingWith("transaction: one within it is open");
                inner.close();
                assertThatIllegalStateException().isThrownBy(transaction::keep);
                Thread other = new Thread(() -> assertThatIllegalStateException()
                        .isThrownBy(() -> transaction.fits(pod("p", "1").build()))
                        .withMessageStartingWith("transaction: used on thread"));
                List<Throwable> failures = new ArrayList<>();
                other.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
                other.start();
                other.join();
                assertThat(failures).isEmpty();
            }
            assertThatIllegalStateException()
                    .isThrownBy(() -> transaction.fits(pod("p", "1").build()))
                    .withMessage("transaction: closed (expected: an open one)");
        }
        WhatIf closed = asked(A);
        closed.close();
        closed.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> closed.fits(pod("p", "1").build()))
                .withMessage("what-if: closed (expected: asked before it is)");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void answersAsBeforeOnceChangesAreReverted(long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            objects.add(node("n" + i)
                    .label("disk", i % 3 == 0 ? "ssd" : "hdd")
                    .zone("z" + i % 4)
                    .build());
        }
        for (int i = 0; i < 30; i++) {
            objects.add(anyPod("bound" + i, random).on("n" + random.nextInt(12)).build());
        }
        List<Pod> waiting = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            waiting.add(anyPod("waiting" + i, random).build());
        }
        try (WhatIf cluster = Scheduler.whatIf(objects, ConfigLoader.defaults(PLUGINS), PLUGINS)) {
            List<String> placed = nodes(cluster.place(waiting));
            List<List<String>> feasible = feasible(cluster, waiting);
            try (Transaction transaction = cluster.begin()) {
                for (int i = 0; i < 20; i++) {
                    change(transaction, objects, waiting, random);
                }
                try (Transaction inner = transaction.begin()) {
                    change(inner, objects, waiting, random);
                }
            }
            assertThat(nodes(cluster.place(waiting))).as("seed " + seed).isEqualTo(placed);
            assertThat(feasible(cluster, waiting)).as("seed " + seed).isEqualTo(feasible);
        }
    }

    private static List<List<String>> feasible(WhatIf cluster, List<Pod> pods) {
        return pods.stream().map(pod -> cluster.fits(pod).feasible()).toList();
    }

    private static Pods anyPod(String name, RandomGenerator random) {
        Pods pod = pod(name, random.nextInt(100, 1500) + "m").label("app", "app" + random.nextInt(3));
        switch (random.nextInt(5)) {
            case 0 -> pod.nodeSelector("disk", "ssd");
            case 1 -> pod.requiresPodAntiAffinity("kubernetes.io/hostname", "app", "app1");
            case 2 -> pod.requiresPodAffinity("topology.kubernetes.io/zone", "app", "app2");
            case 3 -> pod.hostPort(8000 + random.nextInt(3));
            default -> pod.priority(random.nextInt(5));
        }
        return pod;
    }

    private static void change(
            Transaction transaction, List<ClusterObject> objects, List<Pod> waiting, RandomGenerator random) {
        Pod pod = waiting.get(random.nextInt(waiting.size()));
        try {
            switch (random.nextInt(6)) {
                case 0 -> transaction.place(List.of(pod));
                case 1 -> transaction.preempt(pod);
                case 2 -> transaction.without("n" + random.nextInt(12));
                case 3 ->
                    transaction.with(node("n" + random.nextInt(15)).zone("z9").build());
                case 4 -> transaction.howMany(pod, 5);
                default -> transaction.evict(List.of((Pod) objects.get(12 + random.nextInt(30))));
            }
        } catch (IllegalArgumentException ofAnEarlierChange) {
            // The pod or the node is gone, or the pod has a node by now.
            assertThat(ofAnEarlierChange).hasMessageContaining("expected");
        }
    }

    @Test
    void aClusterWithoutNodesHasKubeSchedulersMessage() {
        String noNodes = "no nodes available to schedule pods";
        Pod pod = pod("p", "1").build();
        try (WhatIf empty = asked();
                WhatIf cluster = asked(A, B)) {
            for (WhatIf asked : List.of(empty, cluster.without("a", "b"), cluster.among(List.of()))) {
                assertThat(asked.fits(pod).message()).isEqualTo(noNodes);
                assertThat(asked.fits(pod).rejections()).isEmpty();
                Evaluation evaluation = asked.evaluate(pod);
                assertThat(evaluation.message()).isEqualTo(noNodes);
                assertThat(evaluation.postFilter()).isEmpty();
                assertThat(asked.place(List.of(pod)).pods().get(0).message()).isEqualTo(noNodes);
                assertThat(asked.preempt(pod).message()).isEqualTo(noNodes);
                assertThat(asked.howMany(pod, 3).stoppedBy()).isEqualTo(noNodes);
            }
        }
    }

    @Test
    void answersCannotBeChanged() {
        try (WhatIf cluster = asked(A, B, THERE)) {
            Pod pod = pod("p", "4").build();
            Fit fit = cluster.fits(pod);
            Evaluation evaluation = cluster.evaluate(pod);
            PreemptionResult preempted = cluster.preempt(pod);
            List<Object> collections = List.of(
                    cluster.nodeNames(),
                    cluster.podsOn("a"),
                    cluster.podsOn("b"),
                    cluster.nominatedPods("a"),
                    fit.feasible(),
                    fit.rejections(),
                    cluster.fits(pod("p", "9").build()).feasible(),
                    cluster.place(List.of(pod)).pods(),
                    cluster.placeTogether(List.of(pod)).pods(),
                    cluster.howMany(pod, 2).byNode(),
                    preempted.victims(),
                    cluster.compare("default-scheduler", List.of(pod)).moved(),
                    evaluation.rejections(),
                    evaluation.objections(),
                    evaluation.objections().get("a"),
                    evaluation.feasible(),
                    evaluation.scores(),
                    evaluation.scores().get("b"),
                    evaluation.totals());
            for (int i = 0; i < collections.size(); i++) {
                Object collection = collections.get(i);
                assertThatThrownBy(() -> change(collection))
                        .as("collection " + i + ": " + collection)
                        .isInstanceOf(UnsupportedOperationException.class);
            }
        }
    }

    @SuppressWarnings("unchecked") // what is put in is never read
    private static void change(Object collection) {
        if (collection instanceof Map<?, ?> map) {
            ((Map<Object, Object>) map).put("x", "x");
        } else {
            ((Collection<Object>) collection).add("x");
        }
    }
}
