// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.groups;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PodGroups;
import org.moorage.testkit.Pods;

/** Pods of a group that come while the group is being scheduled: the attempt is repeated once, with them. */
final class PodGroupNewcomersTest {
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
                  enabled: [{name: During}]
            """;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final During during = new During();
    private final List<String> decisions = new ArrayList<>();
    private @Nullable Scheduler scheduler;

    /** Does something while a pod is filtered for the first time. */
    private static final class During implements FilterPlugin {
        private String pod = "";
        private Runnable action = () -> {};

        @Override
        public String name() {
            return "During";
        }

        @Override
        public Status filter(CycleState state, Pod filtered, NodeInfo node) {
            if (filtered.name().equals(pod)) {
                pod = "";
                action.run();
            }
            return Status.success();
        }

        void first(String name, Runnable doing) {
            pod = name;
            action = doing;
        }
    }

    @BeforeEach
    void start() {
        // Each node has room for two pods; the second rack is the one that is fuller with one pod.
        for (String node : List.of("n1", "n2", "n3", "n4")) {
            cluster.apply(Nodes.named(node)
                    .label("rack", node.equals("n4") ? "rack-2" : "rack-1")
                    .allocatable("cpu", "2")
                    .allocatable("memory", "8Gi")
                    .allocatable("pods", "110")
                    .build());
        }
        List<PluginFactory<?>> factories = new ArrayList<>(KubeSchedulerPlugins.all());
        factories.add(PluginFactory.of("During", Plugin.class, handle -> during));
        PluginRegistry registry = PluginRegistry.of(factories);
        Scheduler started = Scheduler.builder(
                        ConfigLoader.load(CONFIG, "test.yaml", registry, GATES), registry, cluster)
                .bindingExecutor(Runnable::run)
                .clock(now::get)
                .listener(new SchedulerListener() {
                    @Override
                    public void decided(Decision decision) {
                        decisions.add(
                                decision.pod().name() + " " + decision.outcome() + " attempt " + decision.attempts());
                    }
                })
                .build();
        scheduler = started;
        started.start();
    }

    @AfterEach
    void close() {
        if (scheduler != null) {
            scheduler.close();
        }
    }

    private Scheduler running() {
        Scheduler known = scheduler;
        assertThat(known).isNotNull();
        return known;
    }

    private void group(String name) {
        cluster.apply(PodGroups.named(name).topologyKey("rack").build());
    }

    private static Pods member(String name, String group) {
        return Pods.named(name).podGroup(group).requests("cpu", "1");
    }

    private void scheduleAll() {
        for (int i = 0; i < 10; i++) {
            running().scheduleNext();
        }
    }

    private String nodeOf(String pod) {
        return cluster.find(ObjectKind.POD, "default", pod).map(Pod::nodeName).orElse("gone");
    }

    private void assertNothingIsInFlight() {
        assertThat(running().dump().queue().inFlightPods()).isEmpty();
        assertThat(running().dump().queue().inFlightEvents().values()).allMatch(count -> count == 0);
    }

    @Test
    void aPodThatComesDuringTheFirstAttemptIsPlacedBeforeAGroupThatCameAfterIt() {
        group("pg1");
        group("pg2");
        cluster.apply(member("p1", "pg1").build());
        during.first("p1", () -> {
            cluster.apply(member("p2", "pg1").build());
            cluster.apply(member("p3", "pg2").build());
        });

        scheduleAll();

        assertThat(nodeOf("p1")).isEqualTo("n4");
        assertThat(nodeOf("p2")).isEqualTo("n4");
        assertThat(nodeOf("p3")).isIn("n1", "n2", "n3");
        assertThat(decisions)
                .containsExactly("p1 SCHEDULED attempt 1", "p2 SCHEDULED attempt 1", "p3 SCHEDULED attempt 1");
        assertNothingIsInFlight();
    }

    @Test
    void anAttemptIsRepeatedOnce() {
        group("pg1");
        cluster.apply(member("p1", "pg1").build());
        during.first("p1", () -> {
            cluster.apply(member("p2", "pg1").build());
            during.first("p2", () -> cluster.apply(member("p3", "pg1").build()));
        });

        assertThat(running().scheduleNext()).isPresent();

        assertThat(nodeOf("p1")).isNotEmpty();
        assertThat(nodeOf("p2")).isNotEmpty();
        assertThat(nodeOf("p3")).isEmpty();
        scheduleAll();
        assertThat(decisions)
                .containsExactly("p1 SCHEDULED attempt 1", "p2 SCHEDULED attempt 1", "p3 UNSCHEDULABLE attempt 1");
        assertNothingIsInFlight();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gated", "of another priority", "of another scheduler"})
    void aPodThatCannotBeTriedWithTheOthersDoesNotDelayThem(String what) {
        group("pg1");
        cluster.apply(member("p1", "pg1").build());
        Pods other = member("p2", "pg1");
        switch (what) {
            case "gated" -> other.schedulingGate("wait");
            case "of another priority" -> other.priority(5);
            default -> other.schedulerName("other");
        }
        during.first("p1", () -> cluster.apply(other.build()));

        assertThat(running().scheduleNext()).isPresent();

        assertThat(nodeOf("p1")).isEqualTo("n4");
        assertThat(nodeOf("p2")).isEmpty();
        assertNothingIsInFlight();
    }

    @Test
    void aPodThatIsGoneWhenTheAttemptIsRepeatedIsNotTriedAgain() {
        group("pg1");
        Pod first = member("p1", "pg1").build();
        cluster.apply(first);
        during.first("p1", () -> {
            cluster.apply(member("p2", "pg1").build());
            cluster.delete(first);
        });

        scheduleAll();

        assertThat(nodeOf("p1")).isEqualTo("gone");
        assertThat(nodeOf("p2")).isEqualTo("n4");
        assertThat(decisions).containsExactly("p2 SCHEDULED attempt 1");
        assertNothingIsInFlight();
    }
}
