// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/**
 * Tests bindings whose outcome is unknown: the server fails, succeeds, or succeeds and then fails, and cannot be read
 * for a while.
 */
class UncertainBindingsTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins:
                multiPoint: {enabled: [{name: Reservation}]}
            """;
    private static final ClusterException NO_ANSWER = new ClusterException("no answer", 0, null);

    /**
     * A binding.
     *
     * @param before the change in the server before it fails
     * @param failure the failure
     * @param failingReads the number of failing reads of the pod
     * @param meanwhile the change in the server while the pod cannot be read
     * @param outcome the expected outcome
     */
    private record Case(
            String name,
            Consumer<InMemoryCluster> before,
            ClusterException failure,
            int failingReads,
            Consumer<InMemoryCluster> meanwhile,
            Outcome outcome) {
        @Override
        public String toString() {
            return name;
        }
    }

    private enum Outcome {
        BOUND(ImmutableList.of("Scheduled"), ImmutableList.of("bound"), false),
        FAILED(ImmutableList.of("FailedScheduling"), ImmutableList.of("failed"), true),
        DROPPED(ImmutableList.of(), ImmutableList.of("failed"), true);

        private final ImmutableList<String> reported;
        private final ImmutableList<String> told;
        private final boolean unreserved;

        Outcome(ImmutableList<String> reported, ImmutableList<String> told, boolean unreserved) {
            this.reported = reported;
            this.told = told;
            this.unreserved = unreserved;
        }
    }

    private static void nothing(InMemoryCluster cluster) {}

    private static void bindTo(InMemoryCluster cluster, String nodeName) {
        cluster.bind(pod(cluster), nodeName);
    }

    private static void apply(InMemoryCluster cluster) {
        bindTo(cluster, "n");
    }

    private static void bindElsewhere(InMemoryCluster cluster) {
        bindTo(cluster, "other");
    }

    private static void delete(InMemoryCluster cluster) {
        cluster.remove(pod(cluster));
    }

    private static void replace(InMemoryCluster cluster) {
        Pod pod = pod(cluster);
        cluster.remove(pod);
        cluster.apply(pod.withMetadata(
                pod.metadata().toBuilder().uid("another").resourceVersion("").build()));
    }

    private static Pod pod(InMemoryCluster cluster) {
        return cluster.find(ObjectKind.POD, "default", "p").orElseThrow();
    }

    private static ClusterException answer(int status) {
        return new ClusterException("answer " + status, status, null);
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "is bound although no answer came",
                    UncertainBindingsTest::apply,
                    NO_ANSWER,
                    0,
                    UncertainBindingsTest::nothing,
                    Outcome.BOUND),
            new Case(
                    "is not bound, and no answer came",
                    UncertainBindingsTest::nothing,
                    NO_ANSWER,
                    0,
                    UncertainBindingsTest::nothing,
                    Outcome.FAILED),
            new Case(
                    "is bound although the answer was 500",
                    UncertainBindingsTest::apply,
                    answer(500),
                    0,
                    UncertainBindingsTest::nothing,
                    Outcome.BOUND),
            new Case(
                    "is not bound, and the answer was 500",
                    UncertainBindingsTest::nothing,
                    answer(500),
                    0,
                    UncertainBindingsTest::nothing,
                    Outcome.FAILED),
            new Case(
                    "was bound elsewhere, which is a conflict",
                    UncertainBindingsTest::bindElsewhere,
                    answer(409),
                    0,
                    UncertainBindingsTest::nothing,
                    Outcome.DROPPED),
            new Case(
                    "was bound by an earlier request, which is a conflict",
                    UncertainBindingsTest::apply,
                    answer(409),
                    0,
                    UncertainBindingsTest::nothing,
                    Outcome.BOUND),
            new Case(
                    "is gone",
                    UncertainBindingsTest::delete,
                    answer(404),
                    0,
                    UncertainBindingsTest::nothing,
                    Outcome.DROPPED),
            new Case(
                    "is another one of its name",
                    UncertainBindingsTest::replace,
                    answer(409),
                    0,
                    UncertainBindingsTest::nothing,
                    Outcome.DROPPED),
            new Case(
                    "may not be bound, which is no question",
                    UncertainBindingsTest::nothing,
                    answer(403),
                    Integer.MAX_VALUE,
                    UncertainBindingsTest::nothing,
                    Outcome.FAILED),
            new Case(
                    "was not asked for, which is no question",
                    UncertainBindingsTest::nothing,
                    ClusterException.notSent("not sent", null),
                    Integer.MAX_VALUE,
                    UncertainBindingsTest::nothing,
                    Outcome.FAILED),
            new Case(
                    "is bound, and cannot be read for a while",
                    UncertainBindingsTest::apply,
                    NO_ANSWER,
                    3,
                    UncertainBindingsTest::nothing,
                    Outcome.BOUND),
            new Case(
                    "is not bound, and cannot be read for a while",
                    UncertainBindingsTest::nothing,
                    NO_ANSWER,
                    3,
                    UncertainBindingsTest::nothing,
                    Outcome.FAILED),
            new Case(
                    "is bound, and deleted while it cannot be read",
                    UncertainBindingsTest::apply,
                    NO_ANSWER,
                    3,
                    UncertainBindingsTest::delete,
                    Outcome.DROPPED),
            new Case(
                    "is bound, and replaced by one of its name while it cannot be read",
                    UncertainBindingsTest::apply,
                    NO_ANSWER,
                    3,
                    UncertainBindingsTest::replace,
                    Outcome.DROPPED),
            new Case(
                    "is bound late, while it cannot be read",
                    UncertainBindingsTest::nothing,
                    NO_ANSWER,
                    3,
                    UncertainBindingsTest::apply,
                    Outcome.BOUND));

    private final InMemoryCluster cluster = InMemoryCluster.of(List.of(
            Nodes.named("n").allocatable("cpu", "2").build(),
            Pods.named("p").requests("cpu", "2").build()));
    private final FaultyCluster faulty = new FaultyCluster(cluster);
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final List<String> unreserved = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private Optional<Scheduler> opened = Optional.empty();

    @AfterEach
    void close() {
        opened.ifPresent(Scheduler::close);
    }

    private final class Reservation implements ReservePlugin {
        @Override
        public String name() {
            return "Reservation";
        }

        @Override
        public Status reserve(CycleState state, Pod pod, String nodeName) {
            return Status.success();
        }

        @Override
        public void unreserve(CycleState state, Pod pod, String nodeName) {
            unreserved.add(pod.name());
        }
    }

    private Scheduler scheduler() {
        List<PluginFactory<?>> factories = new ArrayList<>(KubeSchedulerPlugins.all());
        factories.add(PluginFactory.of("Reservation", Reservation.class, handle -> new Reservation()));
        PluginRegistry registry = PluginRegistry.of(factories);
        Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.load(CONFIG, "test.yaml", registry), registry, faulty.api())
                .bindingExecutor(tasks::add)
                .listener(new SchedulerListener() {
                    @Override
                    public void bound(Pod pod, String nodeName, Decision decision) {
                        told.add("bound");
                    }

                    @Override
                    public void bindingFailed(Pod pod, String nodeName, String message) {
                        told.add("failed");
                    }
                })
                .build();
        opened = Optional.of(scheduler);
        scheduler.start();
        return scheduler;
    }

    /** Throws this for the first reads. */
    private void failReads(int failing, Throwable thrown) {
        AtomicInteger reads = new AtomicInteger();
        doAnswer(read -> {
                    if (reads.getAndIncrement() < failing) {
                        throw thrown;
                    }
                    return faulty.real().answer(read);
                })
                .when(faulty.api())
                .read(any(), any(), any());
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void areLookedUpBeforeAnythingIsUndone(Case c) throws InterruptedException {
        // The server's state can only be determined by reading.
        doAnswer(bind -> {
                    faulty.freezeWatch();
                    c.before.accept(cluster);
                    throw c.failure;
                })
                .when(faulty.api())
                .bind(any(), any());
        failReads(c.failingReads, NO_ANSWER);
        Scheduler scheduler = scheduler();
        scheduler.scheduleNext();
        runTasks();
        if (c.failingReads > 0 && c.failingReads < Integer.MAX_VALUE) {
            assertThat(unreserved).isEmpty();
            assertThat(told).isEmpty();
            Pod second = Pods.named("second").requests("cpu", "1").build();
            assertThat(scheduler.evaluate(second).feasible()).isEmpty();
            c.meanwhile.accept(cluster);
        }
        while (told.isEmpty()) {
            Runnable task = tasks.poll(20, TimeUnit.SECONDS);
            assertThat(task).as("a task within 20 s").isNotNull();
            task.run();
        }
        // A status with the reason, if there is one, must not be written for a pod that has a node.
        faulty.relist();
        runTasks();
        assertThat(told).isEqualTo(c.outcome.told);
        assertThat(unreserved).hasSize(c.outcome.unreserved ? 1 : 0);
        assertThat(cluster.events()).extracting(PodEvent::reason).isEqualTo(c.outcome.reported);
    }

    static final List<Throwable> UNEXPECTED = List.of(
            new IllegalArgumentException("unexpected"),
            new NoClassDefFoundError("org/example/Missing"),
            new StackOverflowError());

    @ParameterizedTest
    @FieldSource("UNEXPECTED")
    void areLookedUpAgainAfterAnyException(Throwable thrown) throws InterruptedException {
        doAnswer(bind -> {
                    faulty.freezeWatch();
                    apply(cluster);
                    throw NO_ANSWER;
                })
                .when(faulty.api())
                .bind(any(), any());
        failReads(2, thrown);
        scheduler().scheduleNext();
        while (told.isEmpty()) {
            Runnable task = tasks.poll(5, TimeUnit.SECONDS);
            assertThat(task).as("a task within 5 s").isNotNull();
            task.run();
        }
        assertThat(told).containsExactly("bound");
        assertThat(unreserved).isEmpty();
    }
}
