// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.ControllerPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.schedulertests.Await;
import org.moorage.schedulertests.Samples;
import org.moorage.simulation.SteppingClock;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Tests when plugins that are controllers are started and called. */
final class PluginControllersTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - {schedulerName: first, plugins: {multiPoint: {enabled: [{name: NodeController}]}}}
            - {schedulerName: second, plugins: {multiPoint: {enabled: [{name: NodeController}]}}}
            """;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final SteppingClock clock = SteppingClock.startingAt(START);
    private final List<String> starts = Collections.synchronizedList(new ArrayList<>());
    /** Each call as the node and the milliseconds since the start. */
    private final List<String> calls = new ArrayList<>();

    private final Map<String, Integer> failuresLeftByNode = new HashMap<>();
    private final List<String> results = new ArrayList<>();
    private @Nullable Scheduler scheduler;

    private final class NodeController implements ControllerPlugin {
        private final Handle handle;
        private volatile @Nullable Context context;

        NodeController(Handle handle) {
            this.handle = handle;
            var ignored = handle.cluster().lister(ObjectKind.NODE);
            handle.cluster().onChange(ObjectKind.NODE, change -> {
                Context started = context;
                if (started != null) {
                    started.add("Node", "", change.latest().name());
                }
            });
        }

        @Override
        public String name() {
            return "NodeController";
        }

        @Override
        public void start(Context given) {
            context = given;
            starts.add(handle.profileName() + " "
                    + handle.cluster().lister(ObjectKind.NODE).all().size());
            handle.cluster().lister(ObjectKind.NODE).all().forEach(node -> given.add("Node", "", node.name()));
        }

        @Override
        public void reconcile(String kind, String namespace, String name) {
            calls.add(name + " "
                    + Duration.between(START, handle.monotonicClock().instant()).toMillis());
            int left = failuresLeftByNode.getOrDefault(name, 0);
            if (left > 0) {
                failuresLeftByNode.put(name, left - 1);
                throw new ClusterException(kind + " " + namespace + name + ": unavailable", 503, null);
            }
        }
    }

    private final class Results implements SchedulerListener {
        @Override
        public void reconciled(String plugin, boolean succeeded) {
            results.add(plugin + " " + succeeded);
        }
    }

    private Scheduler build(UnaryOperator<SchedulerBuilder> settings) {
        List<PluginFactory<?>> plugins = new ArrayList<>(BuiltinPlugins.all());
        plugins.add(PluginFactory.of("NodeController", NodeController.class, NodeController::new));
        PluginRegistry registry = PluginRegistry.of(plugins);
        return settings.apply(Scheduler.builder(ConfigLoader.load(CONFIG, "test.yaml", registry), registry, cluster)
                        .listener(new Results()))
                .build();
    }

    private void startOnVirtualTime() {
        Scheduler started = build(builder -> builder.clock(clock).executor(clock.timers(), clock::advance));
        scheduler = started;
        started.start();
    }

    @AfterEach
    void close() {
        if (scheduler != null) {
            scheduler.close();
        }
    }

    @Test
    void startsOnlyTheFirstProfilesAndOnlyWhereTheSchedulerRuns() throws InterruptedException {
        cluster.apply(Samples.node("a"));
        Scheduler built = build(builder -> builder);
        scheduler = built;
        built.start();
        assertThat(built.scheduleNext()).isEmpty();
        assertThat(starts).isEmpty();
        Thread running = new Thread(built::run, "runner");

        running.start();

        Await.until("the controller is started", () -> !starts.isEmpty());
        built.stop();
        running.join();
        assertThat(starts).containsExactly("first 1");
    }

    @Test
    void combinesTheChangesOfAnInterval() {
        cluster.apply(Samples.node("a"));
        startOnVirtualTime();
        for (int i = 0; i < 5; i++) {
            cluster.apply(Samples.node("a"));
        }
        cluster.apply(Samples.node("b"));
        assertThat(calls).containsExactly("a 0", "b 0");

        clock.advance(Duration.ofMinutes(10));

        assertThat(calls).containsExactly("a 0", "b 0", "a 200");
        cluster.apply(Samples.node("b"));
        assertThat(calls).hasSize(4).last().isEqualTo("b 600000");
    }

    @Test
    void repeatsFailedCallsWithGrowingDelaysAndCallsForOtherObjectsMeanwhile() {
        failuresLeftByNode.put("a", 12);
        cluster.apply(Samples.node("a"));
        startOnVirtualTime();
        cluster.apply(Samples.node("b"));

        clock.advance(Duration.ofMinutes(10));

        assertThat(calls)
                .containsExactly(
                        "a 0",
                        "b 0",
                        "a 200",
                        "a 600",
                        "a 1400",
                        "a 3000",
                        "a 6200",
                        "a 12600",
                        "a 25400",
                        "a 51000",
                        "a 102200",
                        "a 162200",
                        "a 222200",
                        "a 282200");
        assertThat(results).filteredOn("NodeController true"::equals).hasSize(2);
        assertThat(results).filteredOn("NodeController false"::equals).hasSize(12);
    }
}
