// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.cycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.ClusterDump;

/** Tests the evaluation of pods, one after another and concurrently. */
class EvaluationsTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 25;

    private final ClusterDump dump = ClusterDump.read(Path.of("..", "..", "examples", "clusters", "first.yaml"));
    private final InMemoryCluster cluster = InMemoryCluster.of(dump.objects());
    private final PluginRegistry own = PluginRegistry.of(KubeSchedulerPlugins.all());
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    private Scheduler scheduler(LoadedConfig config, PluginRegistry registry) {
        // Preemption starts its search at a random node.
        return Scheduler.builder(config, registry, cluster)
                .random(() -> 0L)
                .bindingExecutor(Runnable::run)
                .build();
    }

    @Test
    void needTheObjectsOfTheCluster() {
        try (Scheduler scheduler = scheduler(ConfigLoader.defaults(own), own)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> scheduler.evaluate(dump.pods().get(0)))
                    .withMessage("evaluate: the scheduler knows no objects yet (expected: start() before it)");
        }
    }

    @Test
    void sayInOneWordWhereAPodFitsAndWhyNotElsewhere() {
        try (Scheduler scheduler = scheduler(ConfigLoader.defaults(own), own)) {
            scheduler.start();
            for (Pod pod : dump.pods()) {
                Evaluation evaluation = scheduler.evaluate(pod.withoutNode());

                assertThat(evaluation.fits()).isEqualTo(!evaluation.feasible().isEmpty());
                evaluation
                        .feasible()
                        .forEach(node -> assertThat(evaluation.whyNot(node)).isEmpty());
                evaluation
                        .rejections()
                        .forEach((node, rejection) -> assertThat(evaluation.whyNot(node))
                                .map(PluginStatus::plugin)
                                .contains(rejection.plugin()));
            }
        }
    }

    @Test
    void areTheSameOneAfterTheOtherAndAtOnce() throws InterruptedException, ExecutionException {
        try (Scheduler scheduler = scheduler(ConfigLoader.defaults(own), own)) {
            scheduler.start();
            List<Pod> pods = dump.pods().stream().map(Pod::withoutNode).toList();
            List<Evaluation> alone = pods.stream().map(scheduler::evaluate).toList();

            List<Future<List<Evaluation>>> together = new ArrayList<>();
            for (int i = 0; i < THREADS * ROUNDS; i++) {
                together.add(threads.submit(
                        () -> pods.stream().map(scheduler::evaluate).toList()));
            }

            assertThat(alone).anyMatch(Evaluation::fits).anyMatch(evaluation -> !evaluation.fits());
            for (Future<List<Evaluation>> answers : together) {
                assertThat(answers.get()).isEqualTo(alone);
            }
        }
    }

    @Test
    void seeWhatWasScheduledBeforeTheyBegan() throws InterruptedException, ExecutionException {
        try (Scheduler scheduler = scheduler(ConfigLoader.defaults(own), own)) {
            scheduler.start();
            List<Pod> pods = dump.pods().stream().map(Pod::withoutNode).toList();
            boolean more = true;
            while (more) {
                List<Future<List<Evaluation>>> together = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    together.add(threads.submit(
                            () -> pods.stream().map(scheduler::evaluate).toList()));
                }
                List<Evaluation> alone = pods.stream().map(scheduler::evaluate).toList();
                for (Future<List<Evaluation>> answers : together) {
                    assertThat(answers.get()).isEqualTo(alone);
                }
                more = scheduler.scheduleNext().map(Decision::nodeName).isPresent();
            }
        }
    }

    /** Waits at the first node until an evaluation on each thread has reached it, and then reads the snapshot. */
    private record Meeting(CyclicBarrier barrier, Handle handle) implements FilterPlugin {
        static final String NAME = "Meeting";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            if (node.index() == 0) {
                try {
                    barrier.await(10, TimeUnit.SECONDS);
                } catch (InterruptedException | BrokenBarrierException | TimeoutException alone) {
                    throw new IllegalStateException("no other evaluation came", alone);
                }
            }
            return handle.snapshot()
                            .node(node.name())
                            .filter(same -> same == node)
                            .isPresent()
                    ? Status.success()
                    : Status.unschedulable("another evaluation's snapshot");
        }
    }

    @Test
    void runBesideOneAnotherEachWithASnapshotOfItsOwn() throws InterruptedException, ExecutionException {
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        PluginRegistry registry = own.with(
                List.of(PluginFactory.of(Meeting.NAME, Meeting.class, handle -> new Meeting(barrier, handle))));
        LoadedConfig config = ConfigLoader.load("""
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - plugins:
                    multiPoint:
                      disabled: [{name: "*"}]
                      enabled: [{name: PrioritySort}, {name: Meeting}, {name: DefaultBinder}]
                """, "meeting.yaml", registry);
        try (Scheduler scheduler = scheduler(config, registry)) {
            scheduler.start();
            Pod pod = dump.pods().get(0).withoutNode();

            List<Future<Evaluation>> together = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                together.add(threads.submit(() -> scheduler.evaluate(pod)));
            }

            for (Future<Evaluation> evaluation : together) {
                assertThat(evaluation.get().rejections()).isEmpty();
            }
        }
    }
}
