// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/** Tests the log of a scheduler about its plugins and about an attempt at a pod. */
class SchedulerLogTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins: {filter: {enabled: [{name: FailsOnN1}]}}
            """;

    private static final String TWO_PROFILES = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: first
            - schedulerName: second
              plugins: {multiPoint: {disabled: [{name: VolumeBinding}]}}
            """;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("org.moorage.runtime");

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
    }

    /** Fails on one node. */
    static final class FailsOnN1 implements FilterPlugin {
        static final PluginFactory<?> FACTORY =
                PluginFactory.of("FailsOnN1", FailsOnN1.class, handle -> new FailsOnN1());

        @Override
        public String name() {
            return "FailsOnN1";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return node.name().equals("n1") ? Status.error("disk is full") : Status.success();
        }
    }

    @Test
    void namesEnabledPluginsThatAreNotRegisteredOnce() {
        List<PluginFactory<?>> some = new ArrayList<>(KubeSchedulerPlugins.all());
        some.removeIf(factory -> Set.of("DynamicResources", "VolumeBinding").contains(factory.name()));
        PluginRegistry registry = PluginRegistry.of(some);
        LoadedConfig config = ConfigLoader.load(TWO_PROFILES, "scheduler.yaml", registry);
        Scheduler.builder(config, registry, new InMemoryCluster()).build().close();

        assertThat(config.warnings()).singleElement().asString().contains("VolumeBinding, DynamicResources");
        assertThat(log.list).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.WARN);
            assertThat(event.getKeyValuePairs())
                    .containsExactly(new KeyValuePair("plugins", "[VolumeBinding, DynamicResources]"));
        });
    }

    @Test
    void saysNothingOfPluginsThatAreAllThere() {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        for (FeatureGates features : List.of(
                FeatureGates.DEFAULTS,
                FeatureGates.DEFAULTS
                        .with(FeatureGates.GENERIC_WORKLOAD, true)
                        .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
                        .with(FeatureGates.IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION, true))) {
            LoadedConfig config = ConfigLoader.defaults(registry, features);
            Scheduler.builder(config, registry, new InMemoryCluster()).build().close();

            assertThat(config.missingPlugins()).isEmpty();
        }

        assertThat(log.list).isEmpty();
    }

    @Test
    void namesPodNodeAndPluginOfAFilterThatFailsOnTheNominatedNode() {
        InMemoryCluster cluster = InMemoryCluster.of(List.of(
                Nodes.named("n1").build(), Pods.named("web").nominatedTo("n1").build()));
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(FailsOnN1.FACTORY));
        try (Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.load(CONFIG, "scheduler.yaml", registry), registry, cluster)
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();

            assertThat(scheduler.scheduleNext().orElseThrow().outcome()).isEqualTo(Decision.Outcome.ERROR);
        }

        assertThat(log.list)
                .filteredOn(event -> event.getFormattedMessage().equals("Evaluation failed on nominated node"))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getLevel()).isEqualTo(Level.ERROR);
                    assertThat(event.getKeyValuePairs())
                            .contains(
                                    new KeyValuePair("pod", "default/web"),
                                    new KeyValuePair("node", "n1"),
                                    new KeyValuePair("plugin", "FailsOnN1"));
                    assertThat(event.getThrowableProxy().getMessage()).contains("disk is full");
                });
    }
}
