// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PreBindPlugin;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Tests preemption of pods that have a node but are not bound to it yet. */
class VictimsUnderWayTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins:
                multiPoint: {enabled: [{name: Meanwhile}]}
                bind: {enabled: [{name: Meanwhile}, {name: DefaultBinder}], disabled: [{name: "*"}]}
            """;

    private final InMemoryCluster cluster = new InMemoryCluster();
    // Background tasks, which wait here until the test runs them.
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<Scheduler> schedulers = new ArrayList<>();

    @AfterEach
    void close() {
        schedulers.forEach(Scheduler::close);
    }

    /** The stage of the other pod when the important pod is created. */
    enum Stage {
        PERMIT,
        PRE_BIND,
        PRE_BIND_WITH_PAUSE,
        BIND
    }

    /** Creates the important pod while another pod is at that stage. */
    private final class Meanwhile implements PermitPlugin, PreBindPlugin, BindPlugin {
        private final Handle handle;
        private final Stage stage;

        Meanwhile(Handle handle, Stage stage) {
            this.handle = handle;
            this.stage = stage;
        }

        @Override
        public String name() {
            return "Meanwhile";
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            return stage == Stage.PERMIT && pod.name().equals("low")
                    ? PermitResult.waitAtMost(Duration.ofMinutes(1))
                    : PermitResult.allow();
        }

        @Override
        public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
            return PreBindPreFlightResult.run();
        }

        @Override
        public Status preBind(CycleState state, Pod pod, String nodeName) {
            if (pod.name().equals("low") && (stage == Stage.PRE_BIND || stage == Stage.PRE_BIND_WITH_PAUSE)) {
                makeRoom();
                if (stage == Stage.PRE_BIND_WITH_PAUSE) {
                    handle.binding().pause(pod, Duration.ofHours(1));
                }
            }
            return Status.success();
        }

        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            if (pod.name().equals("low") && stage == Stage.BIND) {
                makeRoom();
            }
            return Status.skip();
        }
    }

    private Scheduler scheduler(Stage stage, FeatureGates gates) {
        List<PluginFactory<?>> factories = new ArrayList<>(KubeSchedulerPlugins.all());
        factories.add(PluginFactory.of("Meanwhile", Meanwhile.class, handle -> new Meanwhile(handle, stage)));
        PluginRegistry registry = PluginRegistry.of(factories);
        Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.load(CONFIG, "test.yaml", registry, gates), registry, cluster)
                .bindingExecutor(tasks::add)
                .build();
        schedulers.add(scheduler);
        scheduler.start();
        return scheduler;
    }

    private void runTasks() {
        Runnable task = tasks.poll();
        while (task != null) {
            task.run();
            task = tasks.poll();
        }
    }

    private void makeRoom() {
        cluster.apply(Pods.named("high").requests("cpu", "2").priority(100).build());
        schedulers.get(0).scheduleNext();
        runTasks();
    }

    private Pod pod(String name) {
        return cluster.find(ObjectKind.POD, "default", name).orElseThrow();
    }

    private String message(Pod pod) {
        return pod.status()
                .condition(PodCondition.POD_SCHEDULED)
                .map(condition -> condition.reason() + ": " + condition.message())
                .orElse("");
    }

    record Case(String name, Stage stage, boolean async, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("waiting for a permit", Stage.PERMIT, true, "waiting on permit for pod: preempted"),
        new Case("in PreBind", Stage.PRE_BIND, true, "preempted by DefaultPreemption"),
        new Case(
                "waiting in PreBind",
                Stage.PRE_BIND_WITH_PAUSE,
                true,
                "running PreBind plugin \"Meanwhile\": preempted by DefaultPreemption"),
        new Case("in PreBind, at once", Stage.PRE_BIND, false, "preempted by DefaultPreemption"),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void giveWayWithoutBeingDeleted(Case example) {
        cluster.apply(Nodes.named("n").allocatable("cpu", "2").build());
        cluster.apply(Pods.named("low").requests("cpu", "2").build());
        Scheduler scheduler = scheduler(
                example.stage, FeatureGates.of(Map.of(FeatureGates.SCHEDULER_ASYNC_PREEMPTION, example.async)));
        scheduler.scheduleNext();
        runTasks();
        if (example.stage == Stage.PERMIT) {
            makeRoom();
        }

        Pod low = pod("low");
        assertThat(message(low)).isEqualTo("SchedulerError: " + example.message);
        assertThat(low.nodeName()).isEmpty();
        assertThat(low.metadata().isDeleting()).isFalse();
        assertThat(low.status().condition(PodCondition.DISRUPTION_TARGET)).isEmpty();
        assertThat(cluster.events())
                .filteredOn(event -> event.reason().equals("Preempted"))
                .extracting(PodEvent::note)
                .containsExactly("Preempted by pod " + pod("high").uid() + " on node n (in kube-scheduler memory).");

        scheduler.scheduleNext();
        runTasks();
        assertThat(pod("high").nodeName()).isEqualTo("n");
    }

    @Test
    void areDeletedWhenTheyAreBeingBound() {
        cluster.apply(Nodes.named("n").allocatable("cpu", "2").build());
        cluster.apply(Pods.named("low").requests("cpu", "2").build());
        Scheduler scheduler = scheduler(Stage.BIND, FeatureGates.DEFAULTS);
        scheduler.scheduleNext();
        runTasks();

        assertThat(cluster.find(ObjectKind.POD, "default", "low")).isEmpty();
        assertThat(cluster.events())
                .filteredOn(event -> event.reason().equals("Preempted"))
                .extracting(PodEvent::note)
                .containsExactly("Preempted by pod " + pod("high").uid() + " on node n");
    }
}
