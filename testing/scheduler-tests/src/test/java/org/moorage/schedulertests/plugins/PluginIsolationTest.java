// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
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
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
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
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.FailurePolicy;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.SchedulerHealth;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.schedulertests.Await;
import org.moorage.schedulertests.Samples;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * Tests the effect on others of a plugin that does not return or keeps failing, by its method:
 * docs/extend/plugin-isolation.md.
 */
@Timeout(120)
final class PluginIsolationTest {
    private static final Duration LIMIT = Duration.ofMillis(300);
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            percentageOfNodesToScore: 100
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint:
                  enabled: [{name: Suspect}, {name: Binder}]
                  disabled: [{name: "*"}]
            """;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final Suspect suspect = new Suspect();
    private final List<String> overdue = new CopyOnWriteArrayList<>();
    private final List<String> suspended = new CopyOnWriteArrayList<>();
    private final List<String> resumed = new CopyOnWriteArrayList<>();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private @Nullable Scheduler scheduler;
    private @Nullable Thread loop;

    enum Method {
        PRE_ENQUEUE("PreEnqueue"),
        LESS("Less"),
        HINT("QueueingHint"),
        PRE_FILTER("PreFilter"),
        FILTER("Filter"),
        POST_FILTER("PostFilter"),
        PRE_SCORE("PreScore"),
        SCORE("Score"),
        NORMALIZE("NormalizeScore"),
        RESERVE("Reserve"),
        PERMIT("Permit"),
        UNRESERVE("Unreserve"),
        PRE_BIND_PRE_FLIGHT("PreBindPreFlight"),
        PRE_BIND("PreBind"),
        BIND("Bind"),
        POST_BIND("PostBind");

        private final String text;

        Method(String text) {
            this.text = text;
        }
    }

    /** A plugin at each extension point. It runs an action of the test before it returns a neutral result. */
    private static final class Suspect
            implements PreEnqueuePlugin,
                    QueueSortPlugin,
                    PreFilterPlugin,
                    FilterPlugin,
                    PostFilterPlugin,
                    PreScorePlugin,
                    ScorePlugin,
                    ReservePlugin,
                    PermitPlugin,
                    PreBindPlugin,
                    BindPlugin,
                    PostBindPlugin,
                    EnqueueExtensions {
        private final Map<Method, Consumer<Pod>> actions = new EnumMap<>(Method.class);
        private volatile boolean rejects;
        private volatile boolean refuses;

        private void act(Method method, Pod pod) {
            Consumer<Pod> action = actions.get(method);
            if (action != null) {
                action.accept(pod);
            }
        }

        @Override
        public String name() {
            return "Suspect";
        }

        @Override
        public Status preEnqueue(Pod pod) {
            act(Method.PRE_ENQUEUE, pod);
            return Status.success();
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            act(Method.LESS, first.pod());
            return first.timestamp().isBefore(second.timestamp());
        }

        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            act(Method.PRE_FILTER, pod);
            return PreFilterResult.allNodes();
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            act(Method.FILTER, pod);
            return rejects && pod.name().equals("bad") ? Status.unschedulable("full") : Status.success();
        }

        @Override
        public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
            act(Method.POST_FILTER, pod);
            return PostFilterResult.rejected(Status.unschedulable("no room"));
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
            return refuses && pod.name().equals("bad") ? Status.unschedulable("taken") : Status.success();
        }

        @Override
        public void unreserve(CycleState state, Pod pod, String nodeName) {
            refuses = false;
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
        }

        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of(EventRegistration.of(
                    ClusterEvent.of(EventResource.NODE, ActionType.ADD), Node.class, (pod, change) -> {
                        act(Method.HINT, pod);
                        return Hint.QUEUE;
                    }));
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

    private SchedulerBuilder builder() {
        PluginRegistry registry = PluginRegistry.of(List.of(
                factory("Suspect", handle -> suspect), factory("Binder", handle -> new Binder("Binder", handle))));
        return Scheduler.builder(ConfigLoader.load(CONFIG, "test.yaml", registry), registry, cluster)
                .pluginCallTimeout(LIMIT)
                .listener(new SchedulerListener() {
                    @Override
                    public void pluginCallOverdue(String plugin, String method) {
                        overdue.add(plugin + " " + method);
                    }

                    @Override
                    public void pluginSuspended(String plugin, String reason) {
                        suspended.add(plugin + " " + reason);
                    }

                    @Override
                    public void pluginResumed(String plugin) {
                        resumed.add(plugin);
                    }
                });
    }

    private void addNodes(int count) {
        for (int i = 0; i < count; i++) {
            cluster.apply(Samples.node("n" + i));
        }
    }

    private boolean isBound(String pod) {
        return cluster.find(ObjectKind.POD, "default", pod).orElseThrow().isBound();
    }

    private String messageOf(String pod) {
        return cluster.find(ObjectKind.POD, "default", pod)
                .flatMap(found -> found.status().condition("PodScheduled"))
                .map(condition -> condition.reason() + ": " + condition.message())
                .orElse("");
    }

    private List<String> failedChecks() {
        Scheduler running = scheduler;
        assertThat(running).isNotNull();
        List<String> failures = new ArrayList<>();
        for (SchedulerHealth.Check check : running.health().checks()) {
            check.failure().ifPresent(failure -> failures.add(check.name() + ": " + failure));
        }
        return failures;
    }

    @AfterEach
    void close() throws InterruptedException {
        if (scheduler != null) {
            scheduler.close();
        }
        if (loop != null) {
            loop.join(TimeUnit.SECONDS.toMillis(20));
            assertThat(loop.isAlive()).isFalse();
        }
    }

    @Nested
    class AMethodThatDoesNotReturn {
        private final CountDownLatch hangs = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        @AfterEach
        void release() {
            released.countDown();
        }

        private void start() {
            start(LIMIT);
        }

        private void start(Duration limit) {
            Scheduler started =
                    builder().monotonicClock(now::get).pluginCallTimeout(limit).build();
            scheduler = started;
            started.start();
            loop = new Thread(started::run, "runner");
            loop.start();
        }

        private void hang() {
            hangs.countDown();
            hangUntil(released);
        }

        private static void hangUntil(CountDownLatch end) {
            try {
                assertThat(end.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
        }

        private void hangAt(Method method) {
            suspect.actions.put(method, pod -> {
                if (pod.name().equals("bad")) {
                    hang();
                }
            });
        }

        record Case(Method method, int nodes, boolean onWorker, String message) {
            @Override
            public String toString() {
                return method + (onWorker ? " on a worker" : "");
            }
        }

        static Stream<Case> casesOfCycles() {
            String text = "did not return within 300ms";
            return Stream.of(
                    new Case(Method.PRE_FILTER, 2, false, "running PreFilter plugin \"Suspect\": " + text),
                    new Case(Method.FILTER, 2, false, "running \"Suspect\" filter plugin: " + text),
                    new Case(Method.FILTER, 2000, true, "running \"Suspect\" filter plugin: " + text),
                    new Case(Method.POST_FILTER, 2, false, "running PostFilter plugin \"Suspect\": " + text),
                    new Case(Method.PRE_SCORE, 2, false, "running PreScore plugin \"Suspect\": " + text),
                    new Case(Method.SCORE, 2, false, "running Score plugins: plugin \"Suspect\" failed with: " + text),
                    new Case(
                            Method.NORMALIZE,
                            2,
                            false,
                            "running Normalize on Score plugins: plugin \"Suspect\" failed with: " + text));
        }

        @ParameterizedTest
        @MethodSource("casesOfCycles")
        void beforeTheNodeIsTakenLetsTheOthersOnAndFailsTheAttempt(Case example) throws InterruptedException {
            if (example.onWorker) {
                assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
            }
            addNodes(example.nodes);
            suspect.rejects = example.method == Method.POST_FILTER;
            CountDownLatch workerCame = new CountDownLatch(1);
            AtomicInteger visits = new AtomicInteger();
            suspect.actions.put(example.method, pod -> {
                boolean isWorker = Thread.currentThread().getName().startsWith("scheduler-worker");
                if (!pod.name().equals("bad") || released.getCount() == 0) {
                    return;
                }
                if (!example.onWorker) {
                    hang();
                } else if (isWorker) {
                    workerCame.countDown();
                    hang();
                } else if (visits.incrementAndGet() > 600) {
                    // Otherwise the caller would do all the work.
                    hangUntil(workerCame);
                }
            });
            start();
            cluster.apply(Samples.pod("bad"));
            hangs.await();
            Await.passTimeUntil(
                    now,
                    "the first attempt is reported",
                    () -> !messageOf("bad").isEmpty());
            assertThat(messageOf("bad")).isEqualTo("SchedulerError: " + example.message);

            cluster.apply(Samples.pod("good"));

            Await.until("the other pod is bound", () -> isBound("good"));
            assertThat(overdue).contains("Suspect " + example.method.text);
            assertThat(failedChecks()).isEmpty();
            suspect.rejects = false;
            released.countDown();
            Await.passTimeUntil(now, "the pod is bound when the plugin returns again", () -> isBound("bad"));
            Await.until("no cycle is left", () -> cycleThreads() == 1);
        }

        private static long cycleThreads() {
            return Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("scheduler-cycle"))
                    .count();
        }

        static final Method[] AFTERWARDS = {
            Method.RESERVE,
            Method.PERMIT,
            Method.UNRESERVE,
            Method.PRE_BIND_PRE_FLIGHT,
            Method.PRE_BIND,
            Method.BIND,
            Method.POST_BIND
        };

        @ParameterizedTest
        @FieldSource("AFTERWARDS")
        void whenTheNodeIsTakenLetsTheOthersOnAndKeepsTheNode(Method method) throws InterruptedException {
            addNodes(2);
            suspect.refuses = method == Method.UNRESERVE;
            hangAt(method);
            start();
            cluster.apply(Samples.pod("bad"));
            hangs.await();
            Await.passTimeUntil(now, "the call is noticed", () -> overdue.contains("Suspect " + method.text));

            cluster.apply(Samples.pod("good"));

            Await.until("the other pod is bound", () -> isBound("good"));
            assertThat(failedChecks()).isEmpty();
            assertThat(isBound("bad")).isEqualTo(method == Method.POST_BIND);
            assertThat(messageOf("bad")).isEmpty();
            released.countDown();
            AtomicInteger newNodes = new AtomicInteger();
            Await.passTimeUntil(now, "the pod is bound when the plugin returns", () -> {
                if (method == Method.UNRESERVE) {
                    // The pod was rejected and waits for an event.
                    cluster.apply(Samples.node("new-" + newNodes.incrementAndGet()));
                }
                return isBound("bad");
            });
        }

        static final Method[] IN_THE_QUEUE = {Method.PRE_ENQUEUE, Method.LESS, Method.HINT};

        @ParameterizedTest
        @FieldSource("IN_THE_QUEUE")
        void inTheQueueFailsTheHealthCheckUntilItReturns(Method method) throws InterruptedException {
            CountDownLatch firstTaken = new CountDownLatch(1);
            suspect.rejects = true;
            hangAt(method);
            suspect.actions.put(Method.FILTER, pod -> {
                if (pod.name().equals("first")) {
                    firstTaken.countDown();
                    hang();
                }
            });
            if (method == Method.LESS) {
                suspect.actions.put(Method.LESS, pod -> hang());
            }
            start();
            addNodes(1);
            Thread watch = new Thread(() -> {
                if (method == Method.LESS) {
                    // The queue compares the next pods only after this one is popped.
                    cluster.apply(Samples.pod("first"));
                    hangUntil(firstTaken);
                    cluster.apply(Samples.pod("second"));
                }
                cluster.apply(Samples.pod("bad"));
                if (method == Method.HINT) {
                    try {
                        Await.until(
                                "the pod is unschedulable",
                                () -> !messageOf("bad").isEmpty());
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    cluster.apply(Samples.node("new"));
                }
                for (int i = 0; i < 3; i++) {
                    cluster.apply(Samples.pod("bad"));
                }
            });
            watch.start();
            hangs.await();
            Await.passTimeUntil(now, "the call is noticed", () -> overdue.contains("Suspect " + method.text));

            assertThat(failedChecks())
                    .singleElement()
                    .asString()
                    .startsWith("scheduling-queue: the queue's lock is held: ")
                    .contains("\"Suspect\"", "did not return within 300ms");

            suspect.rejects = false;
            released.countDown();
            watch.join(TimeUnit.SECONDS.toMillis(20));
            Await.passTimeUntil(now, "all is well again", () -> failedChecks().isEmpty());
            Await.passTimeUntil(now, "the pod is bound", () -> isBound("bad"));
        }

        static final Duration[] SHORT_LIMITS = {Duration.ofNanos(1), Duration.ofMillis(5)};

        @ParameterizedTest
        @FieldSource("SHORT_LIMITS")
        void isNoticedWhateverTheLimit(Duration limit) throws InterruptedException {
            addNodes(2);
            hangAt(Method.FILTER);
            cluster.apply(Samples.pod("bad"));

            start(limit);

            hangs.await();
            Await.passTimeUntil(now, "the call is noticed", () -> overdue.contains("Suspect Filter"));
        }

        @Test
        void overAndOverFailsTheHealthCheckInTheEnd() throws InterruptedException {
            addNodes(2);
            suspect.actions.put(Method.FILTER, pod -> hang());
            start();
            for (int i = 0; i < 12; i++) {
                cluster.apply(Samples.pod("p" + i));
            }

            Await.passTimeUntil(now, "the loop is stuck", () -> !failedChecks().isEmpty());

            assertThat(failedChecks())
                    .containsExactly("scheduling-loop: running \"Suspect\" filter plugin: did not return within 300ms,"
                            + " as in 8 cycles before");
            released.countDown();
            Await.passTimeUntil(now, "all is well again", () -> failedChecks().isEmpty());
            for (int i = 0; i < 12; i++) {
                String name = "p" + i;
                Await.passTimeUntil(now, name + " is bound", () -> isBound(name));
            }
        }
    }

    @Nested
    class AMethodThatKeepsFailing {
        private final AtomicInteger calls = new AtomicInteger();
        private final AtomicReference<Instant> timeOfDay = new AtomicReference<>(now.get());
        private boolean fails = true;

        private Scheduler start(Method method, FailurePolicy policy) {
            suspect.actions.put(method, pod -> {
                calls.incrementAndGet();
                if (fails) {
                    throw new IllegalStateException("boom");
                }
            });
            Scheduler started = builder()
                    .bindingExecutor(Runnable::run)
                    .clock(timeOfDay::get)
                    .monotonicClock(now::get)
                    .failurePolicies(Map.of("Suspect", policy))
                    .build();
            scheduler = started;
            addNodes(2);
            started.start();
            return started;
        }

        private void schedule(Scheduler running, String name) {
            cluster.apply(Samples.pod(name));
            Optional<?> decision = running.scheduleNext();
            while (decision.isPresent()) {
                decision = running.scheduleNext();
            }
        }

        private void failFiveTimes(Scheduler running) {
            for (int i = 0; i < 5; i++) {
                schedule(running, "p" + i);
            }
            assertThat(calls).hasValue(5);
            assertThat(suspended).hasSize(1);
        }

        static final Method[] METHODS = {
            Method.PRE_FILTER,
            Method.FILTER,
            Method.PRE_SCORE,
            Method.SCORE,
            Method.NORMALIZE,
            Method.RESERVE,
            Method.PERMIT,
            Method.PRE_BIND_PRE_FLIGHT,
            Method.PRE_BIND,
            Method.BIND
        };

        @ParameterizedTest
        @FieldSource("METHODS")
        void isIgnoredForAWhileWhereThatIsThePolicy(Method method) {
            Scheduler running = start(method, FailurePolicy.IGNORE);
            failFiveTimes(running);

            schedule(running, "next");

            assertThat(calls).as("calls").hasValue(5);
            assertThat(isBound("next")).isTrue();
            assertThat(suspended)
                    .containsExactly("Suspect not called until 2026-01-01T00:01:00Z, since " + method.text
                            + " failed 5 times in a row, last with: boom");
            assertThat(cluster.events())
                    .filteredOn(event -> event.reason().equals("PluginSuspended"))
                    .extracting(PodEvent::note)
                    .containsExactly("Plugin " + suspended.get(0).replaceFirst(" ", " is "));
        }

        @ParameterizedTest
        @FieldSource("METHODS")
        void failsPodsWithoutBeingCalledWhereThatIsThePolicy(Method method) {
            Scheduler running = start(method, FailurePolicy.FAIL);
            failFiveTimes(running);

            schedule(running, "next");

            assertThat(calls).as("calls").hasValue(5);
            assertThat(isBound("next")).isFalse();
            assertThat(messageOf("next"))
                    .startsWith("SchedulerError: running ")
                    .endsWith("not called until 2026-01-01T00:01:00Z, since " + method.text
                            + " failed 5 times in a row, last with: boom");
        }

        @ParameterizedTest
        @FieldSource("METHODS")
        void isCalledAgainAfterAMinute(Method method) {
            Scheduler running = start(method, FailurePolicy.IGNORE);
            failFiveTimes(running);
            now.set(now.get().plusSeconds(61));

            schedule(running, "still-bad");

            assertThat(calls)
                    .as("one failure is enough to leave it alone once more")
                    .hasValue(6);
            assertThat(suspended).hasSize(2);
            assertThat(resumed).isEmpty();

            now.set(now.get().plusSeconds(61));
            fails = false;
            schedule(running, "good-again");

            assertThat(resumed).containsExactly("Suspect");
            assertThat(isBound("good-again")).isTrue();
        }

        @Test
        void isCalledAgainAfterAMinuteWhateverTheTimeOfDayIsSetTo() {
            Scheduler running = start(Method.FILTER, FailurePolicy.FAIL);
            failFiveTimes(running);
            timeOfDay.set(timeOfDay.get().minus(Duration.ofHours(1)));
            now.set(now.get().plusSeconds(61));
            fails = false;

            running.flushBackoff();
            schedule(running, "next");

            assertThat(resumed).containsExactly("Suspect");
            // Pods that failed with an error are retried after their backoff, which this test measures, too.
            assertThat(List.of("p0", "p1", "p2", "p3", "p4", "next")).allMatch(PluginIsolationTest.this::isBound);
        }

        @Test
        void thatNowAndThenSucceedsIsAlwaysCalled() {
            Scheduler running = start(Method.PRE_FILTER, FailurePolicy.FAIL);
            for (int i = 0; i < 20; i++) {
                fails = i % 5 != 4;
                schedule(running, "p" + i);
            }

            assertThat(suspended).isEmpty();
            assertThat(calls.get()).isGreaterThanOrEqualTo(20);
        }

        @Test
        void withoutAPolicyIsAlwaysCalled() {
            suspect.actions.put(Method.PRE_FILTER, pod -> {
                calls.incrementAndGet();
                throw new IllegalStateException("boom");
            });
            Scheduler running =
                    builder().bindingExecutor(Runnable::run).clock(now::get).build();
            scheduler = running;
            addNodes(2);
            running.start();
            for (int i = 0; i < 10; i++) {
                schedule(running, "p" + i);
            }

            assertThat(calls).hasValue(10);
            assertThat(suspended).isEmpty();
        }
    }
}
