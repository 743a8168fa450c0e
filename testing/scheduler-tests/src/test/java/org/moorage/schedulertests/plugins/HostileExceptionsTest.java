// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
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
import org.moorage.api.plugin.point.SignPlugin;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.SchedulerHealth;
import org.moorage.runtime.debug.PodState;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.schedulertests.Await;
import org.moorage.schedulertests.Samples;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * Exceptions of plugins that do harm when they are read, at each method of a plugin: the pod is tried again, or stays bound where the
 * binding was over; nothing is kept for the attempt, and other pods are scheduled.
 */
@Timeout(120)
final class HostileExceptionsTest {
    private static final Duration LIMIT = Duration.ofMillis(300);
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            percentageOfNodesToScore: 100
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint:
                  enabled: [{name: Hostile}, {name: Binder}]
                  disabled: [{name: "*"}]
            """;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final Hostile plugin = new Hostile();
    private final Told told = new Told();
    private @Nullable Scheduler scheduler;
    private @Nullable Thread loop;

    /** The methods that are called for a pod, and whether the pod is bound when they throw. */
    enum Method {
        PRE_ENQUEUE(false),
        LESS(true),
        SIGN(false),
        PRE_FILTER(false),
        ADD_POD(false),
        FILTER(false),
        POST_FILTER(false),
        EXECUTE(false),
        PRE_SCORE(false),
        SCORE(false),
        NORMALIZE(false),
        RESERVE(false),
        UNRESERVE(false),
        PERMIT(false),
        PRE_BIND_PRE_FLIGHT(false),
        PRE_BIND(false),
        BIND(false),
        POST_BIND(true),
        HINT(true),
        ON_CHANGE(true),
        BACKGROUND(true);

        private final boolean isBound;

        Method(boolean isBound) {
            this.isBound = isBound;
        }
    }

    /** A listener that reads everything that it is called with. */
    private static final class Told implements SchedulerListener {
        private final List<String> failures = new CopyOnWriteArrayList<>();
        private final List<String> bindings = new CopyOnWriteArrayList<>();
        private final List<String> overdue = new CopyOnWriteArrayList<>();

        @Override
        public void threadFailed(String thread, Throwable thrown) {
            failures.add(thread + ": " + thrown + thrown.getCause() + thrown.getStackTrace().length);
        }

        @Override
        public void backgroundTaskFailed(String profileName, Throwable thrown) {
            bindings.add("background task failed");
            assertThat(thrown.toString() + thrown.getCause() + thrown.getStackTrace().length)
                    .hasSizeLessThan(100_000);
        }

        @Override
        public void fatalError(Throwable error) {
            failures.add("fatal: " + error.getClass());
        }

        @Override
        public void bound(Pod pod, String nodeName, Decision decision) {
            bindings.add(pod.name() + " bound");
        }

        @Override
        public void bindingFailed(Pod pod, String nodeName, String message) {
            bindings.add(pod.name() + " not bound");
        }

        @Override
        public void pluginCallOverdue(String plugin, String method) {
            overdue.add(method);
        }
    }

    /** Throws at one of its methods for the pod named "bad". */
    private static final class Hostile
            implements PreEnqueuePlugin,
                    QueueSortPlugin,
                    SignPlugin,
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
        private final List<String> unreserved = new CopyOnWriteArrayList<>();
        private volatile @Nullable Handle handle;
        private volatile @Nullable Method method;
        private volatile Runnable raise = () -> {};
        private volatile boolean rejectsAll;

        private void act(Method called, Pod pod) {
            if (called == method && pod.name().equals("bad")) {
                raise.run();
            }
        }

        @Override
        public String name() {
            return "Hostile";
        }

        @Override
        public Status preEnqueue(Pod pod) {
            act(Method.PRE_ENQUEUE, pod);
            return Status.success();
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            act(Method.LESS, first.pod());
            act(Method.LESS, second.pod());
            return first.timestamp().isBefore(second.timestamp());
        }

        @Override
        public Optional<?> sign(Pod pod) {
            act(Method.SIGN, pod);
            return Optional.empty();
        }

        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            act(Method.PRE_FILTER, pod);
            return PreFilterResult.allNodes();
        }

        @Override
        public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
            act(Method.ADD_POD, pod);
        }

        @Override
        public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {}

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            act(Method.FILTER, pod);
            return rejectsAll && pod.name().equals("bad") ? Status.unschedulable("full") : Status.success();
        }

        @Override
        public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
            act(Method.POST_FILTER, pod);
            return PostFilterResult.rejected(Status.unschedulable("no room"));
        }

        @Override
        public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
            act(Method.EXECUTE, pod);
            return PostFilterPlugin.super.execute(state, pod, result);
        }

        @Override
        public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
            act(Method.PRE_SCORE, pod);
            return Status.success();
        }

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            act(Method.SCORE, pod);
            return 1;
        }

        @Override
        public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
            act(Method.NORMALIZE, pod);
            return scores;
        }

        @Override
        public Status reserve(CycleState state, Pod pod, String nodeName) {
            act(Method.RESERVE, pod);
            return method == Method.UNRESERVE && pod.name().equals("bad")
                    ? Status.unschedulable("taken")
                    : Status.success();
        }

        @Override
        public void unreserve(CycleState state, Pod pod, String nodeName) {
            unreserved.add(pod.name());
            act(Method.UNRESERVE, pod);
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            act(Method.PERMIT, pod);
            return PermitResult.allow();
        }

        @Override
        public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
            act(Method.PRE_BIND_PRE_FLIGHT, pod);
            return PreBindPreFlightResult.run();
        }

        @Override
        public Status preBind(CycleState state, Pod pod, String nodeName) {
            act(Method.PRE_BIND, pod);
            return Status.success();
        }

        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            act(Method.BIND, pod);
            return Status.skip();
        }

        @Override
        public void postBind(CycleState state, Pod pod, String nodeName) {
            act(Method.POST_BIND, pod);
            Handle known = handle;
            if (method == Method.BACKGROUND && known != null) {
                known.tasks().background().execute(() -> act(Method.BACKGROUND, pod));
            }
        }

        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of(EventRegistration.of(
                    ClusterEvent.of(EventResource.NODE, ActionType.ADD), Node.class, (pod, change) -> {
                        act(Method.HINT, pod);
                        return Hint.QUEUE;
                    }));
        }

        @Override
        public void close() {
            if (method == null) {
                raise.run();
            }
        }

        Plugin with(Handle given) {
            handle = given;
            given.cluster().onChange(ObjectKind.NODE, change -> {
                if (method == Method.ON_CHANGE) {
                    raise.run();
                }
            });
            return this;
        }
    }

    private record Binder(String name, Handle handle) implements BindPlugin {
        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            handle.cluster().writer().bind(pod, nodeName);
            return Status.success();
        }
    }

    private static PluginFactory<?> factory(String name, Function<Handle, Plugin> make) {
        return PluginFactory.of(name, Plugin.class, make);
    }

    private SchedulerBuilder builder(Function<Handle, Plugin> make) {
        PluginRegistry registry = PluginRegistry.of(
                List.of(factory("Hostile", make), factory("Binder", handle -> new Binder("Binder", handle))));
        return Scheduler.builder(ConfigLoader.load(CONFIG, "test.yaml", registry), registry, cluster)
                .listener(told)
                .monotonicClock(now::get)
                .pluginCallTimeout(LIMIT);
    }

    private Scheduler start() {
        Scheduler started = builder(plugin::with).bindingExecutor(Runnable::run).build();
        scheduler = started;
        started.start();
        return started;
    }

    private boolean isBound(String pod) {
        return cluster.find(ObjectKind.POD, "default", pod).orElseThrow().isBound();
    }

    @AfterEach
    void close() throws InterruptedException {
        boolean ignored = Thread.interrupted();
        plugin.raise = () -> {};
        if (scheduler != null) {
            scheduler.close();
        }
        if (loop != null) {
            loop.join(TimeUnit.SECONDS.toMillis(20));
            assertThat(loop.isAlive()).isFalse();
        }
    }

    static Stream<Arguments> methodsAndKinds() {
        List<Arguments> cases = new ArrayList<>();
        for (Method method : Method.values()) {
            for (HostileExceptions.Kind kind : HostileExceptions.Kind.values()) {
                cases.add(Arguments.of(method, kind));
            }
        }
        return cases.stream();
    }

    private void scheduleAll(Scheduler running) {
        // A plugin may leave the thread interrupted.
        boolean ignored = Thread.interrupted();
        for (int i = 0; i < 20 && running.scheduleNext().isPresent(); i++) {
            ignored = Thread.interrupted();
        }
    }

    private void prepare(Method method) {
        // Two, since pods are not scored where one node is feasible.
        cluster.apply(Samples.node("n0"));
        cluster.apply(Samples.node("n1"));
        plugin.rejectsAll = method == Method.POST_FILTER || method == Method.EXECUTE || method == Method.HINT;
        cluster.apply(Samples.pod("bad"));
        if (method == Method.ADD_POD) {
            cluster.apply(Samples.pod("nominated")
                    .withStatus(PodStatus.builder().nominatedNodeName("n1").build()));
        }
        cluster.apply(Samples.pod("good"));
    }

    @ParameterizedTest
    @MethodSource("methodsAndKinds")
    void costOneAttempt(Method method, HostileExceptions.Kind kind) {
        plugin.method = method;
        plugin.raise = kind::raise;
        prepare(method);
        Scheduler running = start();

        scheduleAll(running);
        if (method == Method.HINT || method == Method.ON_CHANGE) {
            plugin.rejectsAll = false;
            cluster.apply(Samples.node("n2"));
            scheduleAll(running);
        }

        assertThat(isBound("good")).isTrue();
        assertThat(isBound("bad")).isEqualTo(method.isBound);
        assertNothingIsKept(running);
        if (method.isBound) {
            assertThat(plugin.unreserved).isEmpty();
            assertThat(told.bindings).contains("bad bound").doesNotContain("bad not bound");
        } else {
            assertIsTriedAgain(running);
        }
    }

    private void assertNothingIsKept(Scheduler running) {
        SchedulerDump.Queue queue = running.dump().queue();
        assertThat(queue.inFlightPods()).isEmpty();
        assertThat(queue.inFlightEvents().values()).allMatch(count -> count == 0);
        assertThat(running.dump().uncertainBindings()).isEmpty();
        assertThat(running.dump().waitingPods()).isEmpty();
        assertThat(running.dump().podsInPreBind()).isEmpty();
        assertThat(told.failures).isEmpty();
        assertThat(running.health().checks()).allMatch(SchedulerHealth.Check::isHealthy);
    }

    private void assertIsTriedAgain(Scheduler running) {
        assertThat(running.podState("default", "bad"))
                .hasValueSatisfying(state -> assertThat(state.place()).isEqualTo(PodState.Place.QUEUED));
        assertThat(running.dump().nodes())
                .allSatisfy(
                        node -> assertThat(node.pods()).extracting(Pod::name).doesNotContain("bad"));
        plugin.method = null;
        plugin.rejectsAll = false;
        Handle handle = plugin.handle;
        assertThat(handle).isNotNull();
        handle.queue().activate(List.of(Samples.pod("bad")));
        scheduleAll(running);
        assertThat(isBound("bad")).isTrue();
        assertNothingIsKept(running);
    }

    @ParameterizedTest
    @EnumSource(HostileExceptions.Kind.class)
    void haveAConfigurationRefusedWhereThePluginIsMade(HostileExceptions.Kind kind) {
        SchedulerBuilder builder = builder(handle -> {
            kind.raise();
            return plugin;
        });

        assertThatThrownBy(builder::build)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("initializing plugin \"Hostile\": ");
        boolean ignored = Thread.interrupted();
    }

    @ParameterizedTest
    @EnumSource(HostileExceptions.Kind.class)
    void doNotKeepTheSchedulerFromBeingClosed(HostileExceptions.Kind kind) {
        plugin.raise = kind::raise;
        Scheduler running = start();

        running.close();

        assertThat(told.failures).isEmpty();
    }

    static Stream<Arguments> methodsOfCyclesAndBlockingKinds() {
        return Stream.of(
                        Method.PRE_FILTER,
                        Method.ADD_POD,
                        Method.FILTER,
                        Method.POST_FILTER,
                        Method.PRE_SCORE,
                        Method.SCORE,
                        Method.NORMALIZE)
                .flatMap(method ->
                        Stream.of(HostileExceptions.Blocking.values()).map(kind -> Arguments.of(method, kind)));
    }

    @ParameterizedTest
    @MethodSource("methodsOfCyclesAndBlockingKinds")
    void thatDoNotReturnCountAsCallsThatDoNot(Method method, HostileExceptions.Blocking kind)
            throws InterruptedException {
        CountDownLatch until = new CountDownLatch(1);
        plugin.method = method;
        CountDownLatch raised = new CountDownLatch(1);
        plugin.raise = () -> {
            raised.countDown();
            kind.raise(until);
        };
        prepare(method);
        Scheduler started = builder(plugin::with).build();
        scheduler = started;
        started.start();
        loop = new Thread(started::run, "runner");
        loop.start();
        try {
            raised.await();
            Await.passTimeUntil(
                    now, "the attempt has failed", () -> messageOf("bad").contains("did not return within 300ms"));
            Await.passTimeUntil(now, "the other pod is bound", () -> isBound("good"));
            assertThat(told.overdue).isNotEmpty();
            assertThat(told.failures).isEmpty();
            plugin.method = null;
            plugin.rejectsAll = false;
            Handle handle = plugin.handle;
            assertThat(handle).isNotNull();
            handle.queue().activate(List.of(Samples.pod("bad")));
            Await.until("the pod is bound", () -> isBound("bad"));
            Await.until(
                    "nothing is in flight",
                    () -> started.dump().queue().inFlightPods().isEmpty());
        } finally {
            until.countDown();
        }
        assertThat(plugin.unreserved).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(HostileExceptions.Blocking.class)
    void thatDoNotReturnAfterTheBindingLeaveThePodBound(HostileExceptions.Blocking kind) throws InterruptedException {
        CountDownLatch until = new CountDownLatch(1);
        plugin.method = Method.POST_BIND;
        plugin.raise = () -> kind.raise(until);
        prepare(Method.POST_BIND);
        Scheduler started = builder(plugin::with).build();
        scheduler = started;
        started.start();
        loop = new Thread(started::run, "runner");
        loop.start();
        try {
            Await.until("the other pod is bound", () -> isBound("good"));
            Await.passTimeUntil(now, "the call is overdue", () -> told.overdue.contains("PostBind"));
            assertThat(isBound("bad")).isTrue();
        } finally {
            until.countDown();
        }
        Await.until("the binding is over", () -> told.bindings.contains("bad bound"));
        assertThat(plugin.unreserved).isEmpty();
        assertThat(told.failures).isEmpty();
    }

    private String messageOf(String pod) {
        return cluster.find(ObjectKind.POD, "default", pod)
                .flatMap(found -> found.status().condition("PodScheduled"))
                .map(condition -> condition.reason() + ": " + condition.message())
                .orElse("");
    }

    /** A listener and a writer of events that throw at each call. */
    @ParameterizedTest
    @EnumSource(HostileExceptions.Kind.class)
    void ofAListenerDoNotAffectPods(HostileExceptions.Kind kind) {
        cluster.apply(Samples.node("n1"));
        cluster.apply(Samples.pod("bad"));
        cluster.apply(Samples.pod("good"));
        plugin.rejectsAll = true;
        Scheduler running = builder(plugin::with)
                .bindingExecutor(Runnable::run)
                .listener(new SchedulerListener() {
                    @Override
                    public boolean takesDetails() {
                        kind.raise();
                        return true;
                    }

                    @Override
                    public void decided(Decision decision) {
                        kind.raise();
                    }

                    @Override
                    public void bound(Pod pod, String nodeName, Decision decision) {
                        kind.raise();
                    }
                })
                .build();
        scheduler = running;
        running.start();

        scheduleAll(running);

        assertThat(isBound("good")).isTrue();
        assertNothingIsKept(running);
        assertIsTriedAgain(running);
        assertThat(plugin.unreserved).isEmpty();
    }
}
