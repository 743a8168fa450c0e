// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.UnschedulableReasons;
import org.moorage.runtime.whatif.PlacedPods.PlacedPod;
import org.moorage.runtime.whatif.PreemptionResult;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** The reasons of decisions and of what-if answers in random clusters. */
class UnschedulableReasonsTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig DEFAULTS = ConfigLoader.defaults(PLUGINS);

    // Some are unschedulable everywhere: by all nodes, by PreFilter, or by several reasons.
    private static List<ClusterObject> cluster(RandomGenerator random) {
        List<ClusterObject> objects = new ArrayList<>(RandomClusters.cluster(random));
        for (int i = 0; i < 20; i++) {
            Pods pod = Pods.named("u" + i)
                    .requests("cpu", Integer.toString(random.nextInt(2, 12)))
                    .priority(random.nextInt(4));
            if (random.nextInt(3) == 0) {
                pod = pod.requests("memory", random.nextInt(1, 30) + "Gi");
            }
            if (random.nextInt(3) == 0) {
                pod = pod.nodeSelector("topology.kubernetes.io/zone", "z" + random.nextInt(4));
            }
            if (random.nextInt(6) == 0) {
                pod = pod.claim("none");
            }
            objects.add(pod.build());
        }
        return objects;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void haveTheTextOfTheCondition(long seed) {
        InMemoryCluster cluster = InMemoryCluster.of(cluster(random(seed)));
        int checked = 0;
        try (Scheduler scheduler = Scheduler.builder(DEFAULTS, PLUGINS, cluster)
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            for (Optional<Decision> next = scheduler.scheduleNext();
                    next.isPresent();
                    next = scheduler.scheduleNext()) {
                Decision decision = next.get();
                assertThat(decision.reasons().isPresent())
                        .isEqualTo(decision.outcome() == Decision.Outcome.UNSCHEDULABLE);
                if (decision.reasons().isPresent()) {
                    assertThat(decision.reasons().get()).hasToString(decision.message());
                    assertThat(condition(cluster, decision.pod())).isEqualTo(decision.message());
                    checked++;
                }
            }
        }
        assertThat(checked).isPositive();
    }

    @Test
    void areSharedByPodsThatFollowEachOther() {
        InMemoryCluster cluster = InMemoryCluster.of(List.of(
                Nodes.named("n").allocatable("cpu", "1").build(),
                Pods.named("a").requests("cpu", "2").build(),
                Pods.named("b").requests("cpu", "3").build()));
        try (Scheduler scheduler = Scheduler.builder(DEFAULTS, PLUGINS, cluster)
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            Decision first = scheduler.scheduleNext().orElseThrow();
            Decision second = scheduler.scheduleNext().orElseThrow();

            assertThat(second.pod()).isNotEqualTo(first.pod());
            assertThat(second.reasons().orElseThrow()).isSameAs(first.reasons().orElseThrow());
            assertThat(second.message()).isSameAs(first.message());
        }
    }

    private static String condition(InMemoryCluster cluster, Pod pod) {
        return cluster.find(ObjectKind.POD, pod.namespace(), pod.name())
                .orElseThrow()
                .status()
                .condition(PodCondition.POD_SCHEDULED)
                .orElseThrow()
                .message();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void haveTheTextOfWhatIfAnswers(long seed) {
        List<ClusterObject> objects = cluster(random(seed));
        int checked = 0;
        try (WhatIf whatIf = Scheduler.whatIf(objects, DEFAULTS, PLUGINS);
                Transaction transaction = whatIf.begin()) {
            for (ClusterObject object : objects) {
                if (object instanceof Pod pod && !pod.isBound()) {
                    PlacedPod placed = transaction.place(List.of(pod)).pods().get(0);
                    checked += check(placed.nodeName(), placed.message(), placed.reasons());
                    // Preemption fails for a claim that does not exist.
                    if (placed.nodeName().isEmpty() && pod.spec().claimNames().isEmpty()) {
                        PreemptionResult result = transaction.preempt(pod);
                        checked += check(result.nodeName(), result.message(), result.reasons());
                    }
                }
            }
        }
        assertThat(checked).isPositive();
    }

    private static int check(Optional<String> nodeName, String message, Optional<UnschedulableReasons> reasons) {
        assertThat(reasons.isEmpty()).isEqualTo(nodeName.isPresent());
        assertThat(reasons.map(UnschedulableReasons::toString).orElse("")).isEqualTo(message);
        return reasons.isPresent() ? 1 : 0;
    }

    private static RandomGenerator random(long seed) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }
}
