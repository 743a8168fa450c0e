// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PostBindPlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.schedulertests.Samples;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Values of plugins that do harm when they are read: no pod is lost, and other pods are scheduled. */
final class HostileValuesTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            percentageOfNodesToScore: 100
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint:
                  enabled: [{name: Hostile}, {name: PrioritySort}, {name: Binder}]
                  disabled: [{name: "*"}]
            """;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private @Nullable Scheduler scheduler;

    private record Binder(String name, Handle handle) implements BindPlugin {
        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            handle.cluster().writer().bind(pod, nodeName);
            return Status.success();
        }
    }

    private Scheduler start(Function<Handle, Plugin> make) {
        cluster.apply(Samples.node("n0"));
        cluster.apply(Samples.node("n1"));
        List<PluginFactory<?>> factories = new ArrayList<>(BuiltinPlugins.all());
        factories.add(PluginFactory.of("Hostile", Plugin.class, make));
        factories.add(PluginFactory.of("Binder", Plugin.class, handle -> new Binder("Binder", handle)));
        PluginRegistry registry = PluginRegistry.of(factories);
        Scheduler started = Scheduler.builder(ConfigLoader.load(CONFIG, "test.yaml", registry), registry, cluster)
                .bindingExecutor(Runnable::run)
                .build();
        scheduler = started;
        started.start();
        return started;
    }

    private Pod pod(String name) {
        return cluster.find(ObjectKind.POD, "default", name).orElseThrow();
    }

    @AfterEach
    void close() {
        if (scheduler != null) {
            scheduler.close();
        }
    }

    private static void scheduleAll(Scheduler running) {
        for (int i = 0; i < 50 && running.scheduleNext().isPresent(); i++) {
            // The next one.
        }
    }

    /** A signature of a plugin that cannot be compared. */
    private record Signed() {
        @Override
        public boolean equals(@Nullable Object other) {
            throw new IllegalStateException("not comparable");
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    private record Signing(String name) implements SignPlugin, FilterPlugin {
        @Override
        public Optional<?> sign(Pod pod) {
            return Optional.of(new Signed());
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return Status.success();
        }
    }

    @Test
    void signaturesThatCannotBeComparedAreDifferent() {
        Scheduler running = start(handle -> new Signing("Hostile"));
        for (int i = 0; i < 5; i++) {
            cluster.apply(Samples.pod("p" + i));
        }

        scheduleAll(running);

        assertThat(cluster.all(ObjectKind.POD)).allMatch(Pod::isBound);
    }

    /** A list of nodes that can be measured once. */
    private static final class Once extends AbstractList<NodeInfo> {
        private final List<NodeInfo> nodes;
        private int reads;

        Once(List<NodeInfo> nodes) {
            this.nodes = nodes;
        }

        @Override
        public NodeInfo get(int index) {
            return nodes.get(index);
        }

        @Override
        public int size() {
            reads++;
            if (reads > 2) {
                throw new IllegalStateException("measured too often");
            }
            return nodes.size();
        }
    }

    private record Scoring(String name) implements ScorePlugin {
        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            return 1;
        }

        @Override
        public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
            List<NodeInfo> nodes = List.of(scores.node(0), scores.node(1));
            return pod.name().equals("uniform")
                    ? NodeScores.uniform(new Once(nodes), 5)
                    : NodeScores.of(new Once(nodes), new long[] {1, 2});
        }
    }

    @Test
    void scoresAreReadWithoutTheListOfNodesThatAPluginGave() {
        Scheduler running = start(handle -> new Scoring("Hostile"));
        cluster.apply(Samples.pod("uniform"));
        cluster.apply(Samples.pod("different"));

        scheduleAll(running);

        assertThat(pod("uniform").isBound()).isTrue();
        assertThat(pod("different").isBound()).isTrue();
    }

    private record Talkative(String name) implements FilterPlugin {
        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return pod.name().equals("bad") ? Status.unschedulable("x".repeat(10_000_000)) : Status.success();
        }
    }

    @Test
    void reasonsAreCut() {
        Scheduler running = start(handle -> new Talkative("Hostile"));
        cluster.apply(Samples.pod("bad"));
        cluster.apply(Samples.pod("good"));

        Decision decision = running.scheduleNext().orElseThrow();
        scheduleAll(running);

        assertThat(decision.pod().name()).isEqualTo("bad");
        assertThat(decision.message()).hasSizeLessThanOrEqualTo(32_768);
        assertThat(decision.reasons()).isEmpty();
        assertThat(pod("good").isBound()).isTrue();
        assertThat(pod("bad").status().condition("PodScheduled"))
                .hasValueSatisfying(condition -> assertThat(condition.message()).hasSizeLessThanOrEqualTo(32_768));
        assertThat(Status.unschedulable("a", "x".repeat(1_000_000), "b").message())
                .startsWith("a, xxx")
                .endsWith(" ...")
                .hasSizeLessThanOrEqualTo(32_768);
    }

    /** Pods whose collection throws while it is read. */
    private static final class Unreadable extends AbstractList<Pod> {
        @Override
        public Pod get(int index) {
            throw new IllegalStateException("unreadable");
        }

        @Override
        public int size() {
            return 1;
        }
    }

    private record Activating(String name, Handle handle) implements PostBindPlugin {
        @Override
        public void postBind(CycleState state, Pod pod, String nodeName) {
            handle.queue().activate(new Unreadable());
        }
    }

    @Test
    void aCollectionOfPodsThatCannotBeReadFailsTheCall() {
        Scheduler running = start(handle -> new Activating("Hostile", handle));
        cluster.apply(Samples.pod("p"));

        scheduleAll(running);

        assertThat(pod("p").isBound()).isTrue();
        assertThat(running.dump().queue().inFlightPods()).isEmpty();
    }
}
