// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.binding;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PreBindPlugin;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/**
 * Tests a pod that is deleted before it is bound: its resources and its reservations are available for the next pod.
 */
class DeletedPodsTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins:
                multiPoint: {enabled: [{name: Meanwhile}]}
                bind: {enabled: [{name: Meanwhile}, {name: DefaultBinder}], disabled: [{name: "*"}]}
            """;

    /** The stage of the pod when it is deleted. */
    private enum Stage {
        BETWEEN_ASSUME_AND_PERMIT,
        PERMIT,
        PRE_BIND,
        PAUSE_IN_PRE_BIND,
        BIND,
        BOUND
    }

    /** How the scheduler observes the deletion. */
    private enum News {
        WATCH,
        /** In a list without the pod, even if the watch did not deliver its binding. */
        LIST,
        LIST_WITH_NAMESAKE,
        /** The pod has a finalizer, so that it remains for a while. */
        DELETION_TIMESTAMP
    }

    private record Case(Stage stage, News news) {}

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (Stage stage : Stage.values()) {
            for (News news : News.values()) {
                if (news != News.DELETION_TIMESTAMP || stage != Stage.BOUND) {
                    cases.add(new Case(stage, news));
                }
            }
        }
        return cases;
    }

    private final InMemoryCluster cluster =
            InMemoryCluster.of(List.of(Nodes.named("n").allocatable("cpu", "2").build()));
    // Background tasks, which wait here until the test runs them.
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> unreserved = new ArrayList<>();
    private final FaultyCluster faulty = new FaultyCluster(cluster);
    private Optional<Scheduler> opened = Optional.empty();

    @AfterEach
    void close() {
        opened.ifPresent(Scheduler::close);
    }

    /** Deletes the first pod at a stage. */
    private final class Meanwhile implements ReservePlugin, PermitPlugin, PreBindPlugin, BindPlugin {
        private final Handle handle;
        private final Case now;

        Meanwhile(Handle handle, Case now) {
            this.handle = handle;
            this.now = now;
        }

        private boolean isAt(Stage stage, Pod pod) {
            return pod.name().equals("first") && now.stage == stage;
        }

        @Override
        public String name() {
            return "Meanwhile";
        }

        @Override
        public Status reserve(CycleState state, Pod pod, String nodeName) {
            if (isAt(Stage.BETWEEN_ASSUME_AND_PERMIT, pod)) {
                delete(now.news);
            }
            return Status.success();
        }

        @Override
        public void unreserve(CycleState state, Pod pod, String nodeName) {
            unreserved.add(pod.name());
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            return isAt(Stage.BETWEEN_ASSUME_AND_PERMIT, pod) || isAt(Stage.PERMIT, pod)
                    ? PermitResult.waitAtMost(Duration.ofMinutes(10))
                    : PermitResult.allow();
        }

        @Override
        public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
            return PreBindPreFlightResult.run();
        }

        @Override
        public Status preBind(CycleState state, Pod pod, String nodeName) {
            if (isAt(Stage.PRE_BIND, pod)) {
                delete(now.news);
            } else if (isAt(Stage.PAUSE_IN_PRE_BIND, pod)) {
                delete(now.news);
                handle.binding().pause(pod, Duration.ofHours(1));
            }
            return Status.success();
        }

        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            if (isAt(Stage.BIND, pod)) {
                delete(now.news);
            }
            return Status.skip();
        }
    }

    private static Pod pod(String name) {
        return Pods.named(name).requests("cpu", "2").build();
    }

    private void delete(News news) {
        Pod pod = cluster.find(ObjectKind.POD, "default", "first").orElseThrow();
        if (news == News.DELETION_TIMESTAMP) {
            ObjectMeta metadata = pod.metadata();
            cluster.apply(pod.withMetadata(metadata.toBuilder()
                    .resourceVersion(metadata.resourceVersion() + "0")
                    .deletionTimestamp(Instant.EPOCH)
                    .build()));
            return;
        }
        if (news != News.WATCH) {
            faulty.freezeWatch();
        }
        cluster.remove(pod);
        if (news == News.LIST_WITH_NAMESAKE) {
            Pod namesake = pod("first");
            cluster.apply(namesake.withMetadata(
                    namesake.metadata().toBuilder().uid("another").build()));
        }
        if (news != News.WATCH) {
            faulty.relist();
        }
    }

    private Scheduler scheduler(Case c) {
        List<PluginFactory<?>> factories = new ArrayList<>(KubeSchedulerPlugins.all());
        factories.add(PluginFactory.of("Meanwhile", Meanwhile.class, handle -> new Meanwhile(handle, c)));
        PluginRegistry registry = PluginRegistry.of(factories);
        Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.load(CONFIG, "test.yaml", registry), registry, faulty.api())
                .bindingExecutor(tasks::add)
                .build();
        opened = Optional.of(scheduler);
        scheduler.start();
        return scheduler;
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void leaveTheirPlaceAtOnce(Case c) {
        Scheduler scheduler = scheduler(c);
        cluster.apply(pod("first"));
        assertThat(scheduler.scheduleNext())
                .get()
                .extracting(Decision::nodeName)
                .isEqualTo("n");
        if (c.stage == Stage.BOUND) {
            // If a list shows the deletion of the pod, the watch does not deliver its binding.
            if (c.news != News.WATCH) {
                faulty.freezeWatch();
            }
            runTasks();
            delete(c.news);
        } else if (c.stage == Stage.PERMIT) {
            runTasks();
            delete(c.news);
        }
        runTasks();
        assertThat(scheduler.waitingPods()).isEmpty();
        assertThat(unreserved).isEqualTo(c.stage == Stage.BOUND ? List.of() : List.of("first"));

        Pod second = pod("second");
        cluster.apply(second);
        assertThat(scheduler.evaluate(second).best()).containsExactly("n");
    }
}
