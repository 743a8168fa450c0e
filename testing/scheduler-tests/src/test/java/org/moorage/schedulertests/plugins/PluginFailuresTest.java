// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
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
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterExtensions;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.schedulertests.Samples;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * Tests the failures of a plugin in each of its methods: one pod's attempt fails, no pod is lost, and the scheduler
 * continues.
 */
class PluginFailuresTest {
    private static final int NODES = 1_000;
    private static final int SLOW_NODES = 16;
    private static final Pod BAD = Samples.pod("bad");
    private static final Pod GOOD = Samples.pod("good");

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final Faulty plugin = new Faulty();
    private @Nullable Scheduler scheduler;

    /** A method of the plugin, and the start of its failure message. */
    enum Method {
        PRE_ENQUEUE(""),
        LESS(""),
        PRE_FILTER("running PreFilter plugin \"Faulty\": "),
        ADD_POD("running AddPod on PreFilter plugin \"Faulty\": "),
        FILTER("running \"Faulty\" filter plugin: "),
        PRE_SCORE("running PreScore plugin \"Faulty\": "),
        SCORE("running Score plugins: plugin \"Faulty\" failed with: "),
        NORMALIZE("running Normalize on Score plugins: plugin \"Faulty\" failed with: "),
        RESERVE("running Reserve plugin \"Faulty\": "),
        PERMIT("running Permit plugin \"Faulty\": "),
        PRE_BIND_PRE_FLIGHT("running PreBindPreFlight \"Faulty\": "),
        PRE_BIND("running PreBind plugin \"Faulty\": "),
        BIND("running Bind plugin \"Faulty\": "),
        POST_FILTER(""),
        EXECUTE(""),
        UNRESERVE(""),
        POST_BIND(""),
        HINT(""),
        EVENTS_TO_REGISTER(""),
        CLOSE("");

        private final String failure;

        Method(String failure) {
            this.failure = failure;
        }
    }

    /** The fault of the plugin, and its message. */
    enum Fault {
        EXCEPTION("boom"),
        LINKAGE_ERROR("java.lang.NoClassDefFoundError: gone"),
        STACK_OVERFLOW("java.lang.StackOverflowError"),
        ASSERTION_ERROR("java.lang.AssertionError: wrong"),
        NULL("answered null"),
        OUT_OF_RANGE("");

        private final String text;

        Fault(String text) {
            this.text = text;
        }

        boolean isThrown() {
            return this != NULL && this != OUT_OF_RANGE;
        }
    }

    /** Behaves correctly in all methods except one method for the pod named "bad". */
    private static final class Faulty
            implements PreEnqueuePlugin,
                    QueueSortPlugin,
                    PreFilterPlugin,
                    PreFilterExtensions,
                    FilterPlugin,
                    PostFilterPlugin,
                    PreScorePlugin,
                    ScorePlugin,
                    ReservePlugin,
                    PermitPlugin,
                    PreBindPlugin,
                    BindPlugin,
                    PostBindPlugin,
                    EnqueueExtensions,
                    AutoCloseable {
        private final Set<String> reserved = ConcurrentHashMap.newKeySet();
        private final Set<String> threads = ConcurrentHashMap.newKeySet();
        private final CountDownLatch workerCame = new CountDownLatch(1);
        private @Nullable Handle handle;
        private @Nullable Method method;
        private Fault fault = Fault.EXCEPTION;
        private boolean onWorker;
        private boolean rejectsAll;

        @Override
        public String name() {
            return "Faulty";
        }

        private boolean isFaulty(Method called, @Nullable Pod pod) {
            if (called != method || pod != null && !pod.name().equals("bad")) {
                return false;
            }
            boolean isWorker = Thread.currentThread().getName().startsWith("scheduler-worker");
            if (onWorker && !isWorker) {
                return false;
            }
            threads.add(isWorker ? "worker" : "caller");
            workerCame.countDown();
            if (fault == Fault.EXCEPTION) {
                throw new IllegalStateException("boom");
            } else if (fault == Fault.LINKAGE_ERROR) {
                throw new NoClassDefFoundError("gone");
            } else if (fault == Fault.STACK_OVERFLOW) {
                throw new StackOverflowError();
            } else if (fault == Fault.ASSERTION_ERROR) {
                throw new AssertionError("wrong");
            }
            return true;
        }

        @SuppressWarnings("NullAway") // that is what it does wrong
        private <T> T answer(Method called, Pod pod, T right, T outOfRange) {
            if (!isFaulty(called, pod)) {
                return right;
            }
            return fault == Fault.NULL ? null : outOfRange;
        }

        // Ensures that a worker thread calls the method: the first nodes are so slow that the caller starts workers,
        // and it leaves some of the following nodes to them.
        private void letWorkerCome(Pod pod, NodeInfo node) {
            boolean isWorker = Thread.currentThread().getName().startsWith("scheduler-worker");
            if (!onWorker || isWorker || !pod.name().equals("bad")) {
                return;
            }
            if (node.index() < SLOW_NODES) {
                spin(Duration.ofMillis(1));
            } else {
                try {
                    assertThat(workerCame.await(20, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        private static void spin(Duration time) {
            long end = System.nanoTime() + time.toNanos();
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
        }

        @Override
        public Status preEnqueue(Pod pod) {
            return answer(Method.PRE_ENQUEUE, pod, Status.success(), Status.skip());
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return isFaulty(Method.LESS, null) || first.timestamp().isBefore(second.timestamp());
        }

        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            return answer(Method.PRE_FILTER, pod, PreFilterResult.allNodes(), PreFilterResult.allNodes());
        }

        @Override
        public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
            isFaulty(Method.ADD_POD, pod);
        }

        @Override
        public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {}

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            if (method != Method.SCORE) {
                letWorkerCome(pod, node);
            }
            return rejectsAll
                    ? Status.unschedulable("full")
                    : answer(Method.FILTER, pod, Status.success(), Status.skip());
        }

        @Override
        public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
            PostFilterResult rejected = PostFilterResult.rejected(Status.unschedulable("no room"));
            return answer(Method.POST_FILTER, pod, rejected, rejected);
        }

        @Override
        public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
            CompletionStage<?> done = PostFilterPlugin.super.execute(state, pod, result);
            return this.<CompletionStage<?>>answer(Method.EXECUTE, pod, done, done);
        }

        @Override
        public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
            return answer(Method.PRE_SCORE, pod, Status.success(), Status.unschedulable("not here"));
        }

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            if (method == Method.SCORE) {
                letWorkerCome(pod, node);
            }
            return isFaulty(Method.SCORE, pod) ? 101 : 1;
        }

        @Override
        public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
            return answer(
                    Method.NORMALIZE, pod, scores, NodeScores.of(List.of(scores.node(0)), new long[] {scores.score(0)
                    }));
        }

        @Override
        public Status reserve(CycleState state, Pod pod, String nodeName) {
            reserved.add(pod.name());
            return method == Method.UNRESERVE && pod.name().equals("bad")
                    ? Status.unschedulable("taken")
                    : answer(Method.RESERVE, pod, Status.success(), Status.skip());
        }

        @Override
        public void unreserve(CycleState state, Pod pod, String nodeName) {
            reserved.remove(pod.name());
            isFaulty(Method.UNRESERVE, pod);
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            boolean isNegative = fault == Fault.OUT_OF_RANGE && isFaulty(Method.PERMIT, pod);
            return isNegative
                    ? PermitResult.waitAtMost(Duration.ofSeconds(-1))
                    : answer(Method.PERMIT, pod, PermitResult.allow(), PermitResult.allow());
        }

        @Override
        public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
            PreBindPreFlightResult run = PreBindPreFlightResult.run();
            return answer(Method.PRE_BIND_PRE_FLIGHT, pod, run, run);
        }

        @Override
        public Status preBind(CycleState state, Pod pod, String nodeName) {
            return answer(Method.PRE_BIND, pod, Status.success(), Status.skip());
        }

        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            return answer(Method.BIND, pod, Status.skip(), Status.error("no"));
        }

        @Override
        public void postBind(CycleState state, Pod pod, String nodeName) {
            isFaulty(Method.POST_BIND, pod);
        }

        @Override
        @SuppressWarnings("NullAway") // that is what it does wrong
        public List<EventRegistration> eventsToRegister() {
            if (isFaulty(Method.EVENTS_TO_REGISTER, null)) {
                return null;
            }
            return List.of(EventRegistration.of(
                    ClusterEvent.of(EventResource.NODE, ActionType.ADD),
                    Node.class,
                    (pod, change) -> answer(Method.HINT, pod, Hint.QUEUE, Hint.QUEUE)));
        }

        @Override
        public void close() {
            isFaulty(Method.CLOSE, null);
        }
    }

    private record Binder(String name, Handle handle) implements BindPlugin {
        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            handle.cluster().writer().bind(pod, nodeName);
            return Status.success();
        }
    }

    private static PluginFactory<PluginArgs.None> factory(String name, Function<Handle, Plugin> make) {
        return new PluginFactory<>() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Class<PluginArgs.None> argsType() {
                return PluginArgs.None.class;
            }

            @Override
            public Plugin create(PluginArgs.None args, Handle handle) {
                return make.apply(handle);
            }
        };
    }

    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            percentageOfNodesToScore: 100
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint:
                  enabled: [{name: Faulty}, {name: Binder}]
                  disabled: [{name: "*"}]
            """;

    private Scheduler build(Function<Handle, Plugin> makeFaulty) {
        PluginRegistry registry = PluginRegistry.of(
                List.of(factory("Faulty", makeFaulty), factory("Binder", handle -> new Binder("Binder", handle))));
        return Scheduler.builder(ConfigLoader.load(CONFIG, "test.yaml", registry), registry, cluster)
                .bindingExecutor(Runnable::run)
                .build();
    }

    private Scheduler start() {
        Scheduler started = build(handle -> {
            plugin.handle = handle;
            return plugin;
        });
        scheduler = started;
        started.start();
        return started;
    }

    private void addNodes() {
        for (int i = 0; i < NODES; i++) {
            cluster.apply(Samples.node("n" + i));
        }
    }

    private Optional<String> nodeOf(Pod pod) {
        return cluster.find(ObjectKind.POD, pod.namespace(), pod.name())
                .map(Pod::nodeName)
                .filter(name -> !name.isEmpty());
    }

    @AfterEach
    void close() {
        if (scheduler != null) {
            scheduler.close();
        }
    }

    record Case(Method method, Fault fault, boolean onWorker, String message) {
        @Override
        public String toString() {
            return method + " " + fault + (onWorker ? " on a worker" : "");
        }
    }

    static Stream<Case> failedAttempts() {
        List<Case> cases = new ArrayList<>();
        for (Method method : Method.values()) {
            if (method.failure.isEmpty()) {
                continue;
            }
            for (Fault fault : Fault.values()) {
                boolean answersNothing = method == Method.ADD_POD || method == Method.SCORE;
                if (fault.isThrown() || fault == Fault.NULL && !answersNothing) {
                    cases.add(new Case(method, fault, false, method.failure + fault.text));
                }
                if (fault.isThrown() && (method == Method.FILTER || answersNothing)) {
                    cases.add(new Case(method, fault, true, method.failure + fault.text));
                }
            }
        }
        outOfRange(cases, Method.FILTER, "answered Skip");
        outOfRange(cases, Method.PRE_SCORE, "not here");
        outOfRange(cases, Method.NORMALIZE, "answered scores of 1 nodes (expected: 1000)");
        outOfRange(cases, Method.RESERVE, "answered Skip");
        outOfRange(cases, Method.PERMIT, "timeout: PT-1S (expected: >= 0)");
        outOfRange(cases, Method.PRE_BIND, "answered Skip");
        outOfRange(cases, Method.BIND, "no");
        cases.add(new Case(
                Method.SCORE,
                Fault.OUT_OF_RANGE,
                false,
                "applying score defaultWeights on Score plugins: plugin \"Faulty\" returns an invalid score 101, it should in"
                        + " the range of [0, 100] after normalizing"));
        return cases.stream();
    }

    private static void outOfRange(List<Case> cases, Method method, String text) {
        cases.add(new Case(method, Fault.OUT_OF_RANGE, false, method.failure + text));
    }

    @ParameterizedTest
    @MethodSource("failedAttempts")
    void failOneAttemptOfOnePod(Case example) {
        if (example.onWorker) {
            assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
        }
        addNodes();
        cluster.apply(BAD);
        if (example.method == Method.ADD_POD) {
            nominate("nominated-1", "n520");
            nominate("nominated-2", "n990");
        }
        cluster.apply(GOOD);
        plugin.method = example.method;
        plugin.fault = example.fault;
        plugin.onWorker = example.onWorker;
        Scheduler running = start();

        assertThat(running.scheduleNext()).hasValueSatisfying(decision -> {
            assertThat(decision.pod().name()).isEqualTo("bad");
            assertThat(decision.outcome())
                    .isEqualTo(
                            example.method.ordinal() < Method.PRE_BIND_PRE_FLIGHT.ordinal()
                                    ? Decision.Outcome.ERROR
                                    : Decision.Outcome.SCHEDULED);
        });
        assertThat(messageOf(BAD)).isEqualTo("SchedulerError: " + example.message);
        assertThat(nodeOf(BAD)).isEmpty();
        assertThat(plugin.reserved).isEmpty();
        assertThat(plugin.threads).isNotEmpty();
        if (example.onWorker) {
            assertThat(plugin.threads).containsExactly("worker");
        }

        while (running.scheduleNext().isPresent()) {
            // Schedules the other pods.
        }
        assertThat(nodeOf(GOOD)).isPresent();
        assertIsQueued(running, BAD);
    }

    private void nominate(String name, String nodeName) {
        cluster.apply(Samples.pod(name)
                .withStatus(PodStatus.builder().nominatedNodeName(nodeName).build()));
    }

    private String messageOf(Pod pod) {
        return cluster.find(ObjectKind.POD, pod.namespace(), pod.name())
                .flatMap(found -> found.status().condition("PodScheduled"))
                .map(condition -> condition.reason() + ": " + condition.message())
                .orElse("");
    }

    // A pod that is not in the queue cannot be activated, and a pod that is still assumed would not be retried.
    private void assertIsQueued(Scheduler running, Pod pod) {
        plugin.method = null;
        plugin.rejectsAll = false;
        Handle handle = plugin.handle;
        assertThat(handle).isNotNull();
        handle.queue().activate(List.of(pod));
        assertThat(running.scheduleNext())
                .hasValueSatisfying(
                        decision -> assertThat(decision.pod().name()).isEqualTo(pod.name()));
        assertThat(nodeOf(pod)).isPresent();
    }

    static Stream<Arguments> faultsOfPostFilter() {
        return Stream.of(Method.POST_FILTER, Method.EXECUTE)
                .flatMap(method -> Stream.of(Fault.values())
                        .filter(fault -> fault != Fault.OUT_OF_RANGE)
                        .map(fault -> Arguments.of(method, fault)));
    }

    @ParameterizedTest
    @MethodSource("faultsOfPostFilter")
    void ofPostFilterAreReportedNextToTheReasons(Method method, Fault fault) {
        addNodes();
        cluster.apply(BAD);
        plugin.method = method;
        plugin.fault = fault;
        plugin.rejectsAll = true;
        Scheduler running = start();

        running.scheduleNext();

        String text = fault == Fault.NULL ? "running PostFilter plugin \"Faulty\": answered null" : fault.text;
        assertThat(messageOf(BAD)).isEqualTo("Unschedulable: 0/1000 nodes are available: 1000 full. " + text);
        assertIsQueued(running, BAD);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void ofPreEnqueueGateThePod(Fault fault) {
        cluster.apply(Samples.node("n"));
        cluster.apply(BAD);
        cluster.apply(GOOD);
        plugin.method = Method.PRE_ENQUEUE;
        plugin.fault = fault;
        Scheduler running = start();

        assertThat(running.scheduleNext())
                .hasValueSatisfying(
                        decision -> assertThat(decision.pod().name()).isEqualTo("good"));
        assertThat(running.scheduleNext()).isEmpty();
        assertIsQueued(running, BAD);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"NULL", "OUT_OF_RANGE"},
            mode = EnumSource.Mode.EXCLUDE)
    void ofQueueSortLeaveThePodsInTheOrderInWhichTheyCame(Fault fault) {
        cluster.apply(Samples.node("n"));
        plugin.method = Method.LESS;
        plugin.fault = fault;
        Scheduler running = start();
        for (int i = 0; i < 20; i++) {
            cluster.apply(Samples.pod("p" + i));
        }

        for (int i = 0; i < 20; i++) {
            String name = "p" + i;
            assertThat(running.scheduleNext())
                    .hasValueSatisfying(
                            decision -> assertThat(decision.pod().name()).isEqualTo(name));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"OUT_OF_RANGE"},
            mode = EnumSource.Mode.EXCLUDE)
    void ofAHintRetryThePod(Fault fault) {
        cluster.apply(Samples.node("n"));
        cluster.apply(BAD);
        plugin.rejectsAll = true;
        Scheduler running = start();
        running.scheduleNext();
        plugin.method = Method.HINT;
        plugin.fault = fault;
        plugin.rejectsAll = false;

        cluster.apply(Samples.node("m"));

        assertThat(running.scheduleNext()).isPresent();
        assertThat(nodeOf(BAD)).isPresent();
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"NULL", "OUT_OF_RANGE"},
            mode = EnumSource.Mode.EXCLUDE)
    void ofUnreserveDoNotLoseThePod(Fault fault) {
        cluster.apply(Samples.node("n"));
        cluster.apply(BAD);
        plugin.method = Method.UNRESERVE;
        plugin.fault = fault;
        Scheduler running = start();

        running.scheduleNext();

        assertThat(messageOf(BAD)).isEqualTo("Unschedulable: 0/1 nodes are available: 1 taken.");
        assertIsQueued(running, BAD);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"NULL", "OUT_OF_RANGE"},
            mode = EnumSource.Mode.EXCLUDE)
    void ofPostBindAndCloseChangeNothing(Fault fault) {
        cluster.apply(Samples.node("n"));
        cluster.apply(BAD);
        plugin.method = Method.POST_BIND;
        plugin.fault = fault;
        Scheduler running = start();

        running.scheduleNext();

        assertThat(nodeOf(BAD)).isPresent();
        plugin.method = Method.CLOSE;
        assertThatCode(running::close).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"OUT_OF_RANGE"},
            mode = EnumSource.Mode.EXCLUDE)
    void ofEventsToRegisterRefuseTheConfiguration(Fault fault) {
        plugin.method = Method.EVENTS_TO_REGISTER;
        plugin.fault = fault;

        assertThatThrownBy(() -> build(handle -> plugin))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "profiles[0].pluginConfig[Faulty]: registering the events of plugin \"Faulty\": " + fault.text);
    }

    @Test
    void ofAFactoryRefuseTheConfiguration() {
        assertThatThrownBy(() -> build(handle -> {
                    throw new NoClassDefFoundError("gone");
                }))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "profiles[0].pluginConfig[Faulty]: initializing plugin \"Faulty\": java.lang.NoClassDefFoundError: gone");
        assertThatThrownBy(() -> build(handle -> new Binder("Other", handle)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("initializing plugin \"Faulty\": name: \"Other\" (expected: that of its factory");
    }
}
