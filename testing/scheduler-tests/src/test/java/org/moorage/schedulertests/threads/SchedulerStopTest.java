// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PreBindPlugin;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.schedulertests.Await;
import org.moorage.schedulertests.Samples;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Tests stopping a scheduler: operations in flight complete or are reverted, in that order and in time. */
@Timeout(60)
final class SchedulerStopTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint:
                  enabled: [{name: Probe}]
                  disabled: [{name: "*"}]
            """;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private final Map<Stage, Consumer<Pod>> actions = new EnumMap<>(Stage.class);
    private @Nullable Thread loop;

    enum Stage {
        FILTER,
        RESERVE,
        PRE_BIND,
        BIND,
        UNRESERVE,
        CLOSE
    }

    private final class Probe
            implements QueueSortPlugin,
                    FilterPlugin,
                    ReservePlugin,
                    PermitPlugin,
                    PreBindPlugin,
                    BindPlugin,
                    AutoCloseable {
        private final Handle handle;

        Probe(Handle handle) {
            this.handle = handle;
        }

        private void act(Stage stage, Pod pod) {
            Consumer<Pod> action = actions.get(stage);
            if (action != null) {
                action.accept(pod);
            }
        }

        @Override
        public String name() {
            return "Probe";
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return first.timestamp().isBefore(second.timestamp());
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            act(Stage.FILTER, pod);
            return Status.success();
        }

        @Override
        public Status reserve(CycleState state, Pod pod, String nodeName) {
            act(Stage.RESERVE, pod);
            return Status.success();
        }

        @Override
        public void unreserve(CycleState state, Pod pod, String nodeName) {
            calls.add("unreserve " + pod.name());
            act(Stage.UNRESERVE, pod);
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            calls.add("permit " + pod.name());
            return pod.name().equals("permit") ? PermitResult.waitAtMost(Duration.ofMinutes(10)) : PermitResult.allow();
        }

        @Override
        public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
            return PreBindPreFlightResult.run();
        }

        @Override
        public Status preBind(CycleState state, Pod pod, String nodeName) {
            calls.add("preBind " + pod.name());
            act(Stage.PRE_BIND, pod);
            if (pod.name().equals("preBind")) {
                handle.binding().pause(pod, Duration.ofMinutes(10));
            }
            return Status.success();
        }

        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            calls.add("bind " + pod.name());
            act(Stage.BIND, pod);
            handle.cluster().writer().bind(pod, nodeName);
            calls.add("bound " + pod.name());
            return Status.success();
        }

        @Override
        public void close() {
            calls.add("close");
            act(Stage.CLOSE, Samples.pod("none"));
        }
    }

    private static PluginFactory<?> factory(String name, Function<Handle, Plugin> make) {
        return PluginFactory.of(name, Plugin.class, make);
    }

    private Scheduler connect() {
        PluginRegistry registry = PluginRegistry.of(List.of(factory("Probe", Probe::new)));
        Scheduler started = Scheduler.builder(ConfigLoader.load(CONFIG, "test.yaml", registry), registry, cluster)
                .build();
        cluster.apply(Samples.node("n"));
        started.start();
        return started;
    }

    private Scheduler start() {
        Scheduler started = connect();
        loop = new Thread(started::run, "runner");
        loop.start();
        return started;
    }

    private void awaitCall(String call) throws InterruptedException {
        Await.until(call, () -> calls.contains(call));
    }

    private void hang(Pod pod) {
        boolean interrupted = true;
        while (interrupted) {
            try {
                released.await();
                interrupted = false;
            } catch (InterruptedException e) {
                // This plugin ignores interrupts.
                calls.add("interrupted " + pod.name());
            }
        }
    }

    private static Set<Thread> threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .collect(Collectors.toSet());
    }

    @AfterEach
    void end() throws InterruptedException {
        released.countDown();
        if (loop != null) {
            loop.join(TimeUnit.SECONDS.toMillis(20));
            assertThat(loop.isAlive()).isFalse();
        }
    }

    @Test
    void finishesBindingsAndGivesBackWhatWaits() throws InterruptedException {
        actions.put(Stage.BIND, pod -> {
            try {
                // Waits until the scheduler stops.
                awaitCall("unreserve preBind");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Scheduler scheduler = start();
        for (String name : List.of("permit", "preBind", "bind")) {
            cluster.apply(Samples.pod(name));
        }
        awaitCall("permit permit");
        awaitCall("preBind preBind");
        awaitCall("bind bind");

        scheduler.stop();

        assertThat(calls)
                .contains("unreserve permit", "unreserve preBind", "bound bind")
                .doesNotContain("close");
        assertThat(cluster.find(ObjectKind.POD, "default", "bind").orElseThrow().isBound())
                .isTrue();

        scheduler.close();
        scheduler.close();

        assertThat(calls).last().isEqualTo("close");
        assertThat(calls).filteredOn("close"::equals).hasSize(1);
        cluster.apply(Samples.pod("late"));
        assertThat(calls).doesNotContain("permit late");
    }

    @Test
    void runsNothingOnceItIsClosed() {
        Scheduler scheduler = connect();
        scheduler.close();
        cluster.apply(Samples.pod("p"));

        scheduler.run();

        assertThat(calls).containsExactly("close");
    }

    @ParameterizedTest
    @EnumSource(Stage.class)
    void isNotKeptByAPluginThatDoesNotReturn(Stage stage) throws InterruptedException {
        CountDownLatch hangs = new CountDownLatch(1);
        actions.put(stage, pod -> {
            hangs.countDown();
            hang(pod);
        });
        Scheduler scheduler = start();
        cluster.apply(Samples.pod(stage == Stage.UNRESERVE ? "preBind" : "p"));
        if (stage == Stage.UNRESERVE) {
            awaitCall("preBind preBind");
        } else if (stage != Stage.CLOSE) {
            hangs.await();
        }

        // The plugin does not return before the end of the test.
        scheduler.close();

        assertThat(calls).contains("close");
    }

    @Test
    void leavesNothingBehindWhereAConfigurationIsRefused() {
        Set<Thread> before = threads("scheduler-");
        PluginRegistry registry = PluginRegistry.of(List.of(factory("Probe", Probe::new), factory("Broken", handle -> {
            throw new IllegalStateException("boom");
        })));
        String config = CONFIG.replace("{name: Probe}", "{name: Probe}, {name: Broken}");

        assertThatThrownBy(() -> Scheduler.builder(ConfigLoader.load(config, "test.yaml", registry), registry, cluster)
                        .build())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("initializing plugin \"Broken\": boom");

        assertThat(calls).containsExactly("close");
        // Threads of schedulers that other tests closed may still be ending.
        assertThat(threads("scheduler-")).isSubsetOf(before);
    }
}
