// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.CycleState;
import org.moorage.api.Placement;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.group.PlacementFeasiblePlugin;
import org.moorage.api.plugin.group.PlacementFeasibleResult;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.api.plugin.group.PlacementScorePlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerHealth;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PodGroups;
import org.moorage.testkit.Pods;

/**
 * Exceptions of plugins that do harm when they are read, at each extension point of pod groups: the group is tried
 * again.
 */
@Timeout(120)
final class HostileGroupPluginsTest {
    private static final FeatureGates GATES = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true);
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint:
                  enabled: [{name: Hostile}, {name: PrioritySort}, {name: NodeResourcesFit}, {name: DefaultBinder}]
                  disabled: [{name: "*"}]
            """;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final Hostile plugin = new Hostile();
    private @Nullable Scheduler scheduler;

    enum Method {
        GENERATE,
        FEASIBLE,
        SCORE,
        NORMALIZE,
        POST_FILTER,
        EXECUTE
    }

    private static final class Hostile
            implements PlacementGeneratePlugin,
                    PlacementFeasiblePlugin,
                    PlacementScorePlugin,
                    PodGroupPostFilterPlugin {
        private @Nullable Method method;
        private Runnable raise = () -> {};
        private int raised;

        private void act(Method called) {
            if (called == method) {
                raised++;
                raise.run();
            }
        }

        @Override
        public String name() {
            return "Hostile";
        }

        @Override
        public PlacementGenerateResult generatePlacements(
                CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot) {
            act(Method.GENERATE);
            return PlacementGenerateResult.of(List.of(
                    Placement.of("all", parent.nodes()),
                    Placement.of("one", parent.nodes().subList(0, 1))));
        }

        @Override
        public PlacementFeasibleResult placementFeasible(
                CycleState state, PodGroupInfo group, PlacementProgress progress) {
            act(Method.FEASIBLE);
            return isRejecting() ? PlacementFeasibleResult.unschedulable("no") : PlacementFeasibleResult.feasible();
        }

        private boolean isRejecting() {
            return method == Method.POST_FILTER || method == Method.EXECUTE;
        }

        @Override
        public long scorePlacement(CycleState state, PodGroupInfo group, PodGroupAssignments assignments) {
            act(Method.SCORE);
            return 1;
        }

        @Override
        public PlacementScores normalizePlacementScores(CycleState state, PodGroupInfo group, PlacementScores scores) {
            act(Method.NORMALIZE);
            return scores;
        }

        @Override
        public PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial) {
            act(Method.POST_FILTER);
            return method == Method.EXECUTE
                    ? PodGroupPostFilterResult.nominated(Map.of(), List.of(), "room")
                    : PodGroupPostFilterResult.rejected(Status.unschedulable("no room"));
        }

        @Override
        public CompletionStage<?> execute(CycleState state, PodGroupInfo group, PodGroupPostFilterResult result) {
            act(Method.EXECUTE);
            return PodGroupPostFilterPlugin.super.execute(state, group, result);
        }
    }

    private static void scheduleAll(Scheduler running) {
        boolean ignored = Thread.interrupted();
        for (int i = 0; i < 20 && running.scheduleNext().isPresent(); i++) {
            ignored = Thread.interrupted();
        }
    }

    private boolean isBound(String pod) {
        return cluster.find(ObjectKind.POD, "default", pod).map(Pod::isBound).orElse(false);
    }

    @AfterEach
    void close() {
        boolean ignored = Thread.interrupted();
        if (scheduler != null) {
            scheduler.close();
        }
    }

    static Stream<Arguments> methodsAndKinds() {
        List<Arguments> cases = new ArrayList<>();
        for (Method method : Method.values()) {
            for (HostileExceptions.Kind kind : HostileExceptions.Kind.values()) {
                cases.add(Arguments.of(method, kind));
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("methodsAndKinds")
    void costOneAttemptOfTheGroup(Method method, HostileExceptions.Kind kind) {
        for (int i = 0; i < 2; i++) {
            cluster.apply(Nodes.named("n" + i)
                    .allocatable("cpu", "4")
                    .allocatable("pods", "10")
                    .build());
        }
        cluster.apply(PodGroups.named("g").gang(2).build());
        cluster.apply(Pods.named("g-0").podGroup("g").requests("cpu", "1").build());
        cluster.apply(Pods.named("g-1").podGroup("g").requests("cpu", "1").build());
        cluster.apply(Pods.named("good").requests("cpu", "1").build());
        plugin.method = method;
        plugin.raise = kind::raise;
        List<PluginFactory<?>> factories = new ArrayList<>(KubeSchedulerPlugins.all());
        factories.add(PluginFactory.of("Hostile", Plugin.class, handle -> plugin));
        PluginRegistry registry = PluginRegistry.of(factories);
        Scheduler running = Scheduler.builder(
                        ConfigLoader.load(CONFIG, "test.yaml", registry, GATES), registry, cluster)
                .bindingExecutor(Runnable::run)
                .clock(now::get)
                .build();
        scheduler = running;
        running.start();

        scheduleAll(running);

        assertThat(plugin.raised).isPositive();
        assertThat(isBound("good")).isTrue();
        assertThat(isBound("g-0")).isFalse();
        assertThat(isBound("g-1")).isFalse();
        assertNothingIsKept(running);

        plugin.method = null;
        now.set(now.get().plusSeconds(120));
        running.flushBackoff();
        scheduleAll(running);
        assertThat(isBound("g-0")).isTrue();
        assertThat(isBound("g-1")).isTrue();
        assertNothingIsKept(running);
    }

    private static void assertNothingIsKept(Scheduler running) {
        assertThat(running.dump().queue().inFlightPods()).isEmpty();
        assertThat(running.dump().queue().inFlightEvents().values()).allMatch(count -> count == 0);
        assertThat(running.health().checks()).allMatch(SchedulerHealth.Check::isHealthy);
    }
}
