// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.cycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PostBindPlugin;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.plugin.point.PreBindPlugin;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.schedulertests.Samples;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Tests the whole scheduler on an in-memory cluster, with plugins that are controlled by the test. */
class SchedulerTest {
    private final InMemoryCluster cluster = new InMemoryCluster();
    private final List<String> calls = new ArrayList<>();
    private final List<Decision> decisions = new ArrayList<>();
    private final Probe probe = new Probe();
    private Scheduler scheduler;

    @AfterEach
    void close() {
        if (scheduler != null) {
            scheduler.close();
        }
    }

    record Sort(String name) implements QueueSortPlugin {
        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return first.timestamp().isBefore(second.timestamp());
        }
    }

    record Binder(String name, Handle handle) implements BindPlugin {
        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            handle.cluster().writer().bind(pod, nodeName);
            return Status.success();
        }
    }

    /** A plugin at each later extension point, which records its calls and returns the results that the test sets. */
    final class Probe
            implements FilterPlugin, ReservePlugin, PermitPlugin, PreBindPlugin, PostBindPlugin, EnqueueExtensions {
        private BiFunction<Pod, NodeInfo, Status> filter = (pod, node) -> Status.success();
        private Function<Pod, Status> reserve = pod -> Status.success();
        private Function<Pod, PermitResult> permit = pod -> PermitResult.allow();
        private PreBindPreFlightResult preFlight = PreBindPreFlightResult.run();
        private Function<Pod, Status> preBind = pod -> Status.success();

        @Override
        public String name() {
            return "Probe";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return filter.apply(pod, node);
        }

        @Override
        public Status reserve(CycleState state, Pod pod, String nodeName) {
            calls.add("reserve " + pod.name() + " " + nodeName);
            return reserve.apply(pod);
        }

        @Override
        public void unreserve(CycleState state, Pod pod, String nodeName) {
            calls.add("unreserve " + pod.name() + " " + nodeName);
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            calls.add("permit " + pod.name());
            return permit.apply(pod);
        }

        @Override
        public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
            return preFlight;
        }

        @Override
        public Status preBind(CycleState state, Pod pod, String nodeName) {
            calls.add("preBind " + pod.name());
            return preBind.apply(pod);
        }

        @Override
        public void postBind(CycleState state, Pod pod, String nodeName) {
            calls.add("postBind " + pod.name());
        }

        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of(
                    EventRegistration.always(ClusterEvent.of(EventResource.NODE, ActionType.ADD)),
                    EventRegistration.always(ClusterEvent.of(EventResource.POD, ActionType.DELETE)));
        }
    }

    private static PluginFactory<PluginArgs.None> factory(String name, Function<Handle, Plugin> make) {
        return PluginFactory.of(name, Plugin.class, make);
    }

    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint:
                  enabled: [{name: Sort}, {name: Probe}, {name: Binder}]
                  disabled: [{name: "*"}]
            """;

    private SchedulerBuilder builder() {
        return builder(FeatureGates.DEFAULTS);
    }

    private SchedulerBuilder builder(FeatureGates gates) {
        return builder(gates, handle -> {});
    }

    private SchedulerBuilder builder(FeatureGates gates, Consumer<Handle> handles) {
        PluginRegistry registry = PluginRegistry.of(List.of(
                factory("Sort", handle -> new Sort("Sort")),
                factory("Probe", handle -> {
                    handles.accept(handle);
                    return probe;
                }),
                factory("Binder", handle -> new Binder("Binder", handle))));
        return Scheduler.builder(ConfigLoader.load(CONFIG, "test.yaml", registry, gates), registry, cluster)
                .listener(new SchedulerListener() {
                    @Override
                    public void decided(Decision decision) {
                        decisions.add(decision);
                    }
                });
    }

    private void start() {
        scheduler = builder().bindingExecutor(Runnable::run).build();
        scheduler.start();
    }

    private Optional<String> nodeOf(String pod) {
        return cluster.find(ObjectKind.POD, "default", pod).map(Pod::nodeName).filter(name -> !name.isEmpty());
    }

    private String messageOf(String pod) {
        return cluster.find(ObjectKind.POD, "default", pod)
                .orElseThrow()
                .status()
                .condition(PodCondition.POD_SCHEDULED)
                .map(condition -> condition.status() + " " + condition.reason() + ": " + condition.message())
                .orElse("");
    }

    @Nested
    class OnePod {
        @Test
        void goesThroughAllPointsAndIsBound() {
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            start();
            assertThat(scheduler.scheduleNext()).hasValueSatisfying(decision -> {
                assertThat(decision.outcome()).isEqualTo(Decision.Outcome.SCHEDULED);
                assertThat(decision.node()).contains("n");
            });
            assertThat(nodeOf("p")).contains("n");
            assertThat(calls).containsExactly("reserve p n", "permit p", "preBind p", "postBind p");
            assertThat(cluster.events())
                    .extracting(PodEvent::reason, PodEvent::note)
                    .containsExactly(tuple("Scheduled", "Successfully assigned default/p to n"));
            assertThat(scheduler.scheduleNext()).isEmpty();
        }

        @Test
        void thatFitsNowhereIsToldWhyAndTriedAgainWhenANodeComes() {
            probe.filter =
                    (pod, node) -> node.name().equals("good") ? Status.success() : Status.unschedulable("not this one");
            cluster.apply(Samples.node("bad"));
            cluster.apply(Samples.pod("p"));
            start();
            scheduler.scheduleNext();
            assertThat(messageOf("p")).isEqualTo("False Unschedulable: 0/1 nodes are available: 1 not this one.");
            assertThat(cluster.events())
                    .extracting(PodEvent::type, PodEvent::reason, PodEvent::note)
                    .containsExactly(tuple("Warning", "FailedScheduling", "0/1 nodes are available: 1 not this one."));
            assertThat(scheduler.scheduleNext()).isEmpty();
            cluster.apply(Samples.node("good"));
            scheduler.scheduleNext();
            assertThat(nodeOf("p")).contains("good");
        }

        @Test
        void thatFindsRoomKeptFreeIsTriedAgainWhenTheNominatedPodGetsAnotherNode() {
            probe.filter = (pod, node) -> node.name().equals(pod.name().equals("p") ? "a" : "b")
                            && node.pods().isEmpty()
                    ? Status.success()
                    : Status.unschedulable("taken");
            cluster.apply(Samples.node("a"));
            cluster.apply(Samples.node("b"));
            start();
            cluster.apply(Samples.pod("p"));
            cluster.apply(Samples.pod("nominated")
                    .withStatus(PodStatus.builder().nominatedNodeName("a").build()));
            scheduler.scheduleNext();
            assertThat(messageOf("p")).isEqualTo("False Unschedulable: 0/2 nodes are available: 2 taken.");
            scheduler.scheduleNext();
            assertThat(nodeOf("nominated")).contains("b");
            scheduler.scheduleNext();
            assertThat(nodeOf("p")).contains("a");
        }

        @Test
        void isNotWrittenAgainWhileTheReasonStaysTheSame() {
            probe.filter = (pod, node) -> Status.unschedulable("never");
            cluster.apply(Samples.node("a"));
            cluster.apply(Samples.pod("p"));
            start();
            scheduler.scheduleNext();
            Pod first = cluster.find(ObjectKind.POD, "default", "p").orElseThrow();
            cluster.apply(Samples.pod("other").withNode("a"));
            cluster.remove(Samples.pod("other"));
            assertThat(scheduler.scheduleNext()).isPresent();
            assertThat(cluster.find(ObjectKind.POD, "default", "p")).containsSame(first);
        }

        @Test
        void withoutAnyNodeBacksOff() {
            cluster.apply(Samples.pod("p"));
            start();
            assertThat(scheduler.scheduleNext())
                    .hasValueSatisfying(decision ->
                            assertThat(decision.message()).isEqualTo("no nodes available to schedule pods"));
            assertThat(messageOf("p")).isEqualTo("False Unschedulable: no nodes available to schedule pods");
        }

        @Test
        void ofAnotherSchedulerIsLeftAlone() {
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p", PodSpec.builder().schedulerName("somebody-else")));
            start();
            assertThat(scheduler.scheduleNext()).isEmpty();
        }
    }

    @Nested
    class ARejectionAfterTheChoice {
        @Test
        void atReserveGivesTheNodeBack() {
            probe.reserve = pod -> Status.unschedulable("taken");
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            start();
            assertThat(scheduler.scheduleNext())
                    .hasValueSatisfying(
                            decision -> assertThat(decision.message()).isEqualTo("0/1 nodes are available: 1 taken."));
            assertThat(calls).containsExactly("reserve p n", "unreserve p n");
            assertThat(scheduler.evaluate(Samples.pod("q")).feasible()).containsExactly("n");
        }

        @Test
        void atPermitGivesTheNodeBack() {
            probe.permit = pod -> PermitResult.rejected(Status.unschedulable("not now"));
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            start();
            scheduler.scheduleNext();
            assertThat(calls).containsExactly("reserve p n", "permit p", "unreserve p n");
            assertThat(messageOf("p")).isEqualTo("False Unschedulable: 0/1 nodes are available: 1 not now.");
        }

        @Test
        void atPreBindIsRetriedAsAFailure() {
            probe.preBind = pod -> {
                throw new IllegalStateException("no volume");
            };
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            start();
            scheduler.scheduleNext();
            assertThat(messageOf("p")).isEqualTo("False SchedulerError: running PreBind plugin \"Probe\": no volume");
            assertThat(calls).endsWith("unreserve p n");
            assertThat(nodeOf("p")).isEmpty();
        }
    }

    @Nested
    class Expectation {
        record Case(
                String name,
                boolean gate,
                PreBindPreFlightResult preFlight,
                List<String> calls,
                List<String> expectedOn) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case(
                    "is announced while PreBind works",
                    true,
                    PreBindPreFlightResult.run(),
                    List.of("preBind p"),
                    List.of("n")),
            new Case("is not announced without work", true, PreBindPreFlightResult.skip(), List.of(), List.of()),
            new Case(
                    "is never announced while the feature is off",
                    false,
                    PreBindPreFlightResult.run(),
                    List.of("preBind p"),
                    List.of("")),
            new Case(
                    "is not called while the feature is off, and all pods are scheduled",
                    false,
                    PreBindPreFlightResult.skip(),
                    List.of("preBind p"),
                    List.of("")),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void ofANode(Case example) {
            List<String> expectedOn = new ArrayList<>();
            probe.preFlight = example.preFlight;
            probe.preBind = pod -> {
                expectedOn.add(cluster.find(ObjectKind.POD, "default", "p")
                        .orElseThrow()
                        .status()
                        .nominatedNodeName());
                return Status.success();
            };
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            scheduler = builder(FeatureGates.of(Map.of(FeatureGates.NOMINATED_NODE_NAME_FOR_EXPECTATION, example.gate)))
                    .bindingExecutor(Runnable::run)
                    .build();
            scheduler.start();
            scheduler.scheduleNext();
            assertThat(calls).filteredOn(call -> call.startsWith("preBind")).isEqualTo(example.calls);
            assertThat(expectedOn).isEqualTo(example.expectedOn);
            assertThat(nodeOf("p")).contains("n");
        }
    }

    @Nested
    class Permission {
        @Test
        void isWaitedForWithoutHoldingUpOthers() {
            probe.permit = pod ->
                    pod.name().equals("slow") ? PermitResult.waitAtMost(Duration.ofMinutes(1)) : PermitResult.allow();
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("slow"));
            cluster.apply(Samples.pod("quick"));
            start();
            scheduler.scheduleNext();
            scheduler.scheduleNext();
            assertThat(nodeOf("quick")).contains("n");
            assertThat(nodeOf("slow")).isEmpty();
            Collection<WaitingPod> waiting = scheduler.waitingPods();
            assertThat(waiting).hasSize(1);
            waiting.iterator().next().allow("Probe");
            assertThat(nodeOf("slow")).contains("n");
            assertThat(scheduler.waitingPods()).isEmpty();
        }

        @Test
        void thatIsRefusedInTheEndIsARejection() {
            probe.permit = pod -> PermitResult.waitAtMost(Duration.ofMinutes(1));
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            start();
            scheduler.scheduleNext();
            scheduler.waitingPods().iterator().next().reject("Probe", "too late");
            assertThat(messageOf("p")).isEqualTo("False Unschedulable: 0/1 nodes are available: 1 too late.");
            assertThat(calls).endsWith("unreserve p n");
        }

        @Test
        void isRefusedWhenTheTimeIsOver() throws ExecutionException, InterruptedException, TimeoutException {
            probe.permit = pod -> PermitResult.waitAtMost(Duration.ofMillis(5));
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            CompletableFuture<String> failed = new CompletableFuture<>();
            scheduler = builder()
                    .bindingExecutor(Runnable::run)
                    .listener(new SchedulerListener() {
                        @Override
                        public void bindingFailed(Pod pod, String nodeName, String message) {
                            failed.complete(message);
                        }
                    })
                    .build();
            scheduler.start();
            scheduler.scheduleNext();
            assertThat(failed.get(10, TimeUnit.SECONDS))
                    .isEqualTo("rejected due to timeout after waiting 5ms at plugin Probe");
        }

        @Test
        void isNoLongerWaitedForWhenThePodIsDeleted() {
            probe.permit = pod -> PermitResult.waitAtMost(Duration.ofMinutes(1));
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            start();
            scheduler.scheduleNext();
            cluster.remove(Samples.pod("p"));
            assertThat(scheduler.waitingPods()).isEmpty();
            assertThat(calls).endsWith("unreserve p n");
        }
    }

    @Nested
    class Failures {
        @Test
        void ofAPluginDoNotStopTheLoop() {
            probe.filter = (pod, node) -> {
                if (pod.name().equals("bad")) {
                    throw new IllegalStateException("boom");
                }
                return Status.success();
            };
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("bad"));
            cluster.apply(Samples.pod("good"));
            start();
            scheduler.scheduleNext();
            scheduler.scheduleNext();
            assertThat(messageOf("bad")).isEqualTo("False SchedulerError: running \"Probe\" filter plugin: boom");
            assertThat(nodeOf("good")).contains("n");
        }

        @Test
        void ofAProfileNameEveryProblem() {
            PluginRegistry registry = PluginRegistry.of(List.of(factory("Probe", handle -> probe)));
            var config = ConfigLoader.load(
                            CONFIG.replace("{name: Sort}, ", "").replace(", {name: Binder}", ""), "test.yaml", registry)
                    .config();
            assertThatThrownBy(
                            () -> Scheduler.builder(config, registry, cluster).build())
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("profiles[0].plugins.queueSort: only one queue sort plugin required")
                    .hasMessageContaining("profiles[0].plugins.bind: at least one bind plugin is needed");
        }
    }

    @Nested
    class PodsAreNotLost {
        @Test
        void byAListenerThatThrows() {
            scheduler = builder()
                    .bindingExecutor(Runnable::run)
                    .listener(new SchedulerListener() {
                        @Override
                        public void decided(Decision decision) {
                            throw new IllegalStateException("decided");
                        }

                        @Override
                        public void bound(Pod pod, String nodeName, Decision decision) {
                            throw new AssertionError("bound");
                        }
                    })
                    .build();
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            scheduler.start();

            scheduler.scheduleNext();

            assertThat(nodeOf("p")).contains("n");
            assertThat(calls).containsExactly("reserve p n", "permit p", "preBind p", "postBind p");
        }

        @Test
        void whenTheirBindingCannotBegin() {
            AtomicBoolean full = new AtomicBoolean(true);
            AtomicReference<Handle> handle = new AtomicReference<>();
            scheduler = builder(FeatureGates.DEFAULTS, handle::set)
                    .bindingExecutor(task -> {
                        if (full.get()) {
                            throw new RejectedExecutionException("full");
                        }
                        task.run();
                    })
                    .build();
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            scheduler.start();

            assertThat(scheduler.scheduleNext())
                    .hasValueSatisfying(
                            decision -> assertThat(decision.message()).isEqualTo("full"));
            assertThat(calls).containsExactly("reserve p n", "permit p", "unreserve p n");

            full.set(false);
            handle.get().queue().activate(List.of(Samples.pod("p")));
            scheduler.scheduleNext();
            assertThat(nodeOf("p")).contains("n");
        }
    }

    @Nested
    class AHandle {
        private final AtomicReference<Handle> handle = new AtomicReference<>();

        private void startWithHandle(SchedulerListener listener) {
            scheduler = builder(FeatureGates.DEFAULTS, handle::set)
                    .bindingExecutor(Runnable::run)
                    .listener(listener)
                    .build();
            scheduler.start();
        }

        @Test
        void showsTheSnapshotInACycleOnly() {
            List<Integer> seen = new ArrayList<>();
            probe.filter = (pod, node) -> {
                seen.add(handle.get().snapshot().nodes().size());
                return Status.success();
            };
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            startWithHandle(SchedulerListener.NONE);

            scheduler.scheduleNext();

            assertThat(seen).containsExactly(1);
            assertThatThrownBy(() -> handle.get().snapshot())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("expected: a thread of the running scheduling cycle");
        }

        @Test
        void givesNoListerOfAKindThatIsNotWatched() {
            startWithHandle(SchedulerListener.NONE);

            assertThat(handle.get().cluster().lister(ObjectKind.POD).all()).isEmpty();
            assertThatThrownBy(() -> handle.get().cluster().lister(ObjectKind.STORAGE_CLASS))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("lister: StorageClass is not watched");
        }

        @Test
        void tellsOfBackgroundTasksThatFail() {
            List<Throwable> failed = new ArrayList<>();
            startWithHandle(new SchedulerListener() {
                @Override
                public void backgroundTaskFailed(String profileName, Throwable thrown) {
                    failed.add(thrown);
                }
            });

            handle.get().tasks().background().execute(() -> {
                throw new AssertionError("broken");
            });

            assertThat(failed).singleElement().isInstanceOf(AssertionError.class);
        }
    }

    @Nested
    class MakingRoom {
        /** Nominates a victim, and records the call that evicts it. */
        private final class RoomMaker implements PostFilterPlugin {
            @Override
            public String name() {
                return "RoomMaker";
            }

            @Override
            public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
                calls.add("postFilter " + pod.name());
                return PostFilterResult.nominated("n", List.of(Samples.pod("victim")));
            }

            @Override
            public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
                calls.add("execute " + pod.name() + " " + result.victims());
                return CompletableFuture.completedStage(null);
            }
        }

        private void startWithRoomMaker() {
            probe.filter = (pod, node) -> Status.unschedulable("full");
            PluginRegistry registry = PluginRegistry.of(List.of(
                    factory("Sort", handle -> new Sort("Sort")),
                    factory("Probe", handle -> probe),
                    factory("RoomMaker", handle -> new RoomMaker()),
                    factory("Binder", handle -> new Binder("Binder", handle))));
            String config = CONFIG.replace("{name: Probe}", "{name: Probe}, {name: RoomMaker}");
            scheduler = Scheduler.builder(
                            ConfigLoader.load(config, "test.yaml", registry).config(), registry, cluster)
                    .bindingExecutor(Runnable::run)
                    .build();
            scheduler.start();
        }

        @Test
        void isDecidedAndDoneInACycle() {
            cluster.apply(Samples.node("n"));
            cluster.apply(Samples.pod("p"));
            startWithRoomMaker();
            scheduler.scheduleNext();
            assertThat(calls).containsExactly("postFilter p", "execute p [default/victim]");
            assertThat(cluster.find(ObjectKind.POD, "default", "p")
                            .orElseThrow()
                            .status()
                            .nominatedNodeName())
                    .isEqualTo("n");
        }

        @Test
        void isOnlySaidWhenSomebodyAsks() {
            cluster.apply(Samples.node("n"));
            startWithRoomMaker();
            Evaluation evaluation = scheduler.evaluate(Samples.pod("p"));
            assertThat(calls).containsExactly("postFilter p");
            assertThat(evaluation.preemption()).hasValueSatisfying(preemption -> {
                assertThat(preemption.nodeName()).isEqualTo("n");
                assertThat(preemption.victims()).extracting(Pod::name).containsExactly("victim");
            });
        }
    }

    @Test
    void tellsEveryListenerWhateverAnotherThrows() {
        List<String> told = new ArrayList<>();
        SchedulerBuilder builder = builder().bindingExecutor(Runnable::run);
        for (String name : List.of("first", "second")) {
            builder.listener(new SchedulerListener() {
                @Override
                public void bound(Pod pod, String nodeName, Decision decision) {
                    told.add(name);
                    throw new IllegalStateException(name);
                }
            });
        }
        cluster.apply(Samples.node("n"));
        cluster.apply(Samples.pod("p"));
        scheduler = builder.build();
        scheduler.start();
        scheduler.scheduleNext();

        assertThat(told).containsExactly("first", "second");
        assertThat(nodeOf("p")).contains("n");
    }

    @Test
    void runsOnThreadsOfItsOwnUntilClosed() throws InterruptedException {
        CountDownLatch bound = new CountDownLatch(50);
        for (int i = 0; i < 5; i++) {
            cluster.apply(Samples.node("n" + i));
        }
        scheduler = builder()
                .listener(new SchedulerListener() {
                    @Override
                    public void bound(Pod pod, String nodeName, Decision decision) {
                        bound.countDown();
                    }
                })
                .build();
        scheduler.start();
        Thread loop = new Thread(scheduler::run);
        loop.start();
        for (int i = 0; i < 50; i++) {
            cluster.apply(Samples.pod("p" + i));
        }
        assertThat(bound.await(20, TimeUnit.SECONDS)).isTrue();
        scheduler.close();
        loop.join(TimeUnit.SECONDS.toMillis(20));
        assertThat(loop.isAlive()).isFalse();
        assertThat(cluster.all(ObjectKind.POD)).allMatch(Pod::isBound);
    }
}
