// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.GroupKey;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Resources;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.whatif.Fit;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.whatif.FittingChange;
import org.moorage.simulation.whatif.FittingChange.Kind;
import org.moorage.simulation.whatif.FittingChanges;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PodGroups;
import org.moorage.testkit.Pods;

/** Nodes that are rejected because of the pods nominated to them: Filter runs with these pods, then without them. */
class NominatedPodsTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig CONFIG = ConfigLoader.defaults(PLUGINS);
    private static final String HOST = "kubernetes.io/hostname";

    private static final Node NODE = Nodes.named("n")
            .label(HOST, "n")
            .allocatable("cpu", "4")
            .allocatable("memory", "8Gi")
            .allocatable("pods", "2")
            .build();
    private static final Pod THERE = pod("there").requests("cpu", "1").on("n").build();

    private static Pods pod(String name) {
        return Pods.named(name).uid(name);
    }

    private static Pods nominated() {
        return pod("nominated").priority(100).nominatedTo("n");
    }

    private static Pods asked() {
        return pod("asked").requests("cpu", "500m");
    }

    /**
     * A pod that is asked about.
     *
     * @param objections what each plugin objects to the node; none if the pod fits
     */
    private record Case(String name, Pod nominated, Pod asked, String... objections) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("the number of pods", nominated().build(), asked().build(), "NodeResourcesFit: Too many pods"),
            new Case(
                    "cpu, and the number of pods",
                    nominated().requests("cpu", "3").build(),
                    asked().build(),
                    "NodeResourcesFit: Too many pods, Insufficient cpu"),
            new Case(
                    "a host port",
                    nominated().hostPort(8080).build(),
                    asked().hostPort(8080).build(),
                    "NodePorts: node(s) didn't have free ports for the requested pod ports",
                    "NodeResourcesFit: Too many pods"),
            new Case(
                    "an anti-affinity to the nominated pod",
                    nominated().label("app", "db").build(),
                    asked().requiresPodAntiAffinity(HOST, "app", "db").build(),
                    "NodeResourcesFit: Too many pods",
                    "InterPodAffinity: node(s) didn't match pod anti-affinity rules"),
            new Case(
                    "an affinity to the nominated pod, which may go elsewhere",
                    nominated().label("app", "db").build(),
                    asked().requiresPodAffinity(HOST, "app", "db").build(),
                    "NodeResourcesFit: Too many pods",
                    "InterPodAffinity: node(s) didn't match pod affinity rules"),
            new Case(
                    "a pod of the same priority",
                    nominated().build(),
                    asked().priority(100).build(),
                    "NodeResourcesFit: Too many pods"),
            new Case(
                    "a pod of a higher priority, for which no room is kept free",
                    nominated().build(),
                    asked().priority(101).build()),
            new Case(
                    "the nominated pod itself", nominated().build(), nominated().build()));

    private static List<String> texts(List<PluginStatus> objections) {
        return objections.stream()
                .map(objection -> objection.plugin() + ": "
                        + String.join(", ", objection.status().reasons()))
                .toList();
    }

    private static WhatIf cluster(Pod nominated) {
        return Scheduler.whatIf(List.of(NODE, THERE, nominated), CONFIG, PLUGINS);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void eachObjectionIsRecorded(Case example) {
        try (WhatIf cluster = cluster(example.nominated)) {
            Evaluation evaluation = cluster.evaluate(example.asked);
            Fit fit = cluster.fits(example.asked);
            boolean fits = example.objections.length == 0;

            assertThat(texts(evaluation.objections().getOrDefault("n", List.of())))
                    .containsExactly(example.objections);
            assertThat(evaluation.fits()).isEqualTo(fits);
            assertThat(fit.fits()).isEqualTo(fits);
            assertThat(fit.message()).isEqualTo(evaluation.message());
            assertThat(fit.whyNot("n").map(PluginStatus::plugin))
                    .isEqualTo(evaluation.whyNot("n").map(rejection -> rejection.plugin()));
        }
    }

    @Test
    void aDeletedPodFreesRoomNextToTheNominatedPod() {
        try (WhatIf cluster = cluster(nominated().build());
                Transaction transaction = cluster.begin()) {
            Evaluation evaluation = transaction.evaluate(asked().build());
            assertThat(evaluation.message()).isEqualTo("0/1 nodes are available: 1 Too many pods.");
            assertThat(new FittingChanges(transaction, List.of(NODE), evaluation).all())
                    .containsExactly(new FittingChange(Kind.FEWER_PODS, List.of("default/there"), List.of("n")));
        }
    }

    @Test
    void lowerRequestsFitNextToTheNominatedPod() {
        Node node = Nodes.named("n")
                .allocatable("cpu", "4")
                .allocatable("memory", "8Gi")
                .build();
        Pod nominated = nominated().requests("cpu", "2").build();
        try (WhatIf cluster = Scheduler.whatIf(List.of(node, nominated), CONFIG, PLUGINS);
                Transaction transaction = cluster.begin()) {
            assertThat(transaction.nominatedPods("n")).containsExactly(nominated);
            Evaluation evaluation =
                    transaction.evaluate(pod("asked").requests("cpu", "3").build());
            assertThat(new FittingChanges(transaction, List.of(node), evaluation).all())
                    .containsExactly(new FittingChange(Kind.LOWER_REQUESTS, List.of("cpu 1"), List.of("n")));

            assertThat(transaction.place(List.of(nominated)).isComplete()).isTrue();
            assertThat(transaction.nominatedPods("n")).as("it has its node now").isEmpty();
        }
    }

    @Test
    void whatAGroupIsStoppedByCountsNominatedPods() {
        FeatureGates features = FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, true));
        List<ClusterObject> objects = List.of(
                Nodes.named("n")
                        .allocatable("cpu", "4")
                        .allocatable("memory", "8Gi")
                        .build(),
                nominated().requests("cpu", "3").build(),
                PodGroups.named("g").gang(1).build(),
                pod("member").podGroup("g").requests("cpu", "2").build());
        try (Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.defaults(PLUGINS, features), PLUGINS, InMemoryCluster.of(objects))
                .build()) {
            scheduler.start();
            GroupEvaluation.Stop stop = scheduler
                    .evaluate(GroupKey.podGroup("default", "g"))
                    .attempt()
                    .orElseThrow()
                    .best()
                    .orElseThrow()
                    .stop()
                    .orElseThrow();
            assertThat(texts(stop.objections().getOrDefault("n", List.of())))
                    .containsExactly("NodeResourcesFit: Insufficient cpu");
            assertThat(stop.free().values()).extracting(Resources::milliCpu).containsExactly(1_000L);
        }
    }

    @Test
    void noRejectedNodeIsWithoutAnObjection() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 40; round++) {
            List<ClusterObject> objects = new ArrayList<>();
            int nodes = random.nextInt(1, 6);
            for (int i = 0; i < nodes; i++) {
                objects.add(Nodes.named("n" + i)
                        .label(HOST, "n" + i)
                        .zone("z" + i % 2)
                        .allocatable("cpu", "4")
                        .allocatable("memory", "8Gi")
                        .allocatable("pods", String.valueOf(random.nextInt(1, 4)))
                        .build());
            }
            for (int i = 0; i < 8; i++) {
                Pods pod = pod("p" + i)
                        .requests("cpu", random.nextInt(1, 4) + "")
                        .priority(random.nextInt(3))
                        .label("app", "a" + random.nextInt(2));
                if (random.nextInt(3) == 0) {
                    pod.requiresPodAntiAffinity(HOST, "app", "a" + random.nextInt(2));
                }
                String node = "n" + random.nextInt(nodes);
                objects.add((i < 3 ? pod.on(node) : pod.nominatedTo(node)).build());
            }
            Pod asked = pod("asked")
                    .requests("cpu", random.nextInt(1, 4) + "")
                    .priority(random.nextInt(3))
                    .label("app", "a" + random.nextInt(2))
                    .build();
            try (WhatIf cluster = Scheduler.whatIf(objects, CONFIG, PLUGINS)) {
                Evaluation evaluation = cluster.evaluate(asked);
                Fit fit = cluster.fits(asked);
                assertThat(evaluation.objections().keySet())
                        .as("seed " + seed)
                        .isEqualTo(evaluation.rejections().keySet());
                evaluation.rejections().forEach((node, rejection) -> {
                    assertThat(evaluation.objections().get(node))
                            .as("seed " + seed + ", node " + node)
                            .contains(new PluginStatus(rejection.plugin(), rejection.status()));
                    assertThat(fit.whyNot(node))
                            .as("seed " + seed + ", node " + node)
                            .contains(new PluginStatus(rejection.plugin(), rejection.status()));
                });
            }
        }
    }
}
