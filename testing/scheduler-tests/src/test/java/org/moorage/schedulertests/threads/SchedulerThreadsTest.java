// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
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
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerHealth;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.schedulertests.Samples;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Tests a scheduler on its own threads: none ends silently, and waiting pods block no thread that others need. */
// Thousands of threads take their time on a busy machine.
@Timeout(300)
final class SchedulerThreadsTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint:
                  enabled: [{name: Sort}, {name: Probe}, {name: Other}, {name: Binder}]
                  disabled: [{name: "*"}]
            """;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final Set<String> bound = ConcurrentHashMap.newKeySet();
    private final Set<String> failed = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Throwable> fatal = new CompletableFuture<>();
    private final Probe probe = new Probe("Probe");
    private final Probe other = new Probe("Other");
    private @Nullable Scheduler scheduler;
    private @Nullable Thread loop;

    private record Sort(String name) implements QueueSortPlugin {
        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return first.timestamp().isBefore(second.timestamp());
        }
    }

    private record Binder(String name, Handle handle) implements BindPlugin {
        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            handle.cluster().writer().bind(pod, nodeName);
            return Status.success();
        }
    }

    private static final class Probe implements FilterPlugin, PermitPlugin, PreBindPlugin {
        private final String name;
        private volatile Consumer<Pod> filter = pod -> {};
        private volatile Function<Pod, PermitResult> permit = pod -> PermitResult.allow();
        private volatile Consumer<Pod> preBind = pod -> {};
        private volatile @Nullable Handle handle;

        Probe(String name) {
            this.name = name;
        }

        Probe with(Handle given) {
            handle = given;
            return this;
        }

        Handle handle() {
            Handle given = handle;
            assertThat(given).isNotNull();
            return given;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            filter.accept(pod);
            return Status.success();
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            return permit.apply(pod);
        }

        @Override
        public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
            return PreBindPreFlightResult.runInParallel();
        }

        @Override
        public Status preBind(CycleState state, Pod pod, String nodeName) {
            preBind.accept(pod);
            return Status.success();
        }
    }

    private final class Notes implements SchedulerListener {
        @Override
        public void bound(Pod pod, String nodeName, Decision decision) {
            synchronized (bound) {
                bound.add(pod.name());
                bound.notifyAll();
            }
        }

        @Override
        public void threadFailed(String thread, Throwable thrown) {
            failed.add(thread + ": " + thrown.getMessage());
        }

        @Override
        public void fatalError(Throwable error) {
            fatal.complete(error);
        }
    }

    private static PluginFactory<?> factory(String name, Function<Handle, Plugin> make) {
        return PluginFactory.of(name, Plugin.class, make);
    }

    private Scheduler start() {
        PluginRegistry registry = PluginRegistry.of(List.of(
                factory("Sort", handle -> new Sort("Sort")),
                factory("Probe", probe::with),
                factory("Other", other::with),
                factory("Binder", handle -> new Binder("Binder", handle))));
        Scheduler started = Scheduler.builder(ConfigLoader.load(CONFIG, "test.yaml", registry), registry, cluster)
                .listener(new Notes())
                .build();
        scheduler = started;
        cluster.apply(Samples.node("n"));
        started.start();
        run(started);
        return started;
    }

    private Thread run(Scheduler started) {
        Thread runner = new Thread(started::run, "runner");
        runner.setUncaughtExceptionHandler((thread, thrown) -> failed.add("runner: " + thrown.getMessage()));
        loop = runner;
        runner.start();
        return runner;
    }

    private void apply(String prefix, int count) {
        for (int i = 0; i < count; i++) {
            cluster.apply(Samples.pod(prefix + i));
        }
    }

    private void awaitBound(Set<String> names) throws InterruptedException {
        synchronized (bound) {
            while (!bound.containsAll(names)) {
                bound.wait();
            }
        }
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

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(5, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
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

    @Test
    void anInterruptedCallerReturnsAndMayRunAgain() throws InterruptedException {
        Scheduler running = start();
        Thread first = loop;
        assertThat(first).isNotNull();

        first.interrupt();
        first.join(TimeUnit.SECONDS.toMillis(20));
        assertThat(first.isAlive()).isFalse();

        run(running);
        apply("p", 1);
        awaitBound(Set.of("p0"));
        assertThat(failedChecks()).isEmpty();
    }

    @Test
    void aPluginThatLeavesTheThreadInterruptedDoesNotStopTheOthers() throws InterruptedException {
        probe.filter = pod -> Thread.currentThread().interrupt();
        start();

        apply("p", 3);

        awaitBound(Set.of("p0", "p1", "p2"));
        assertThat(failed).isEmpty();
    }

    record FatalCase(String name, VirtualMachineError error, boolean inBinding) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final FatalCase[] FATAL_CASES = {
        new FatalCase("exhausted memory in a cycle", new OutOfMemoryError("test"), false),
        new FatalCase("exhausted memory in a binding", new OutOfMemoryError("test"), true),
        new FatalCase("an error of the virtual machine in a cycle", new InternalError("test"), false),
        new FatalCase("an error of the virtual machine in a binding", new InternalError("test"), true),
    };

    @ParameterizedTest
    @FieldSource("FATAL_CASES")
    void fatalErrorsAreReportedAndShown(FatalCase example)
            throws InterruptedException, ExecutionException, TimeoutException {
        Consumer<Pod> thrower = pod -> {
            throw example.error;
        };
        if (example.inBinding) {
            probe.preBind = thrower;
        } else {
            probe.filter = thrower;
        }
        start();

        apply("p", 1);

        assertThat(fatal.get(20, TimeUnit.SECONDS)).isSameAs(example.error);
        assertThat(failedChecks()).contains("threads: " + example.error);
        if (!example.inBinding) {
            Thread runner = loop;
            assertThat(runner).isNotNull();
            runner.join(TimeUnit.SECONDS.toMillis(20));
            assertThat(failed).as("the caller of run is thrown the error").contains("runner: test");
            assertThat(failedChecks()).contains("scheduling-loop: " + example.error);
        }
    }

    @Test
    void anOverflownStackIsTheFailureOfOnePod() throws InterruptedException {
        probe.filter = pod -> {
            if (pod.name().equals("bad0")) {
                throw new StackOverflowError();
            }
        };
        start();

        apply("bad", 1);
        apply("p", 1);

        awaitBound(Set.of("p0"));
        assertThat(failedChecks()).isEmpty();
    }

    /** How pods wait before they are bound. */
    enum Wait {
        FOR_A_PERMIT,
        IN_PRE_BIND,
        IN_PRE_BIND_AS_THE_PLUGIN_LIKES,
        IN_TWO_PRE_BINDS_AT_ONCE
    }

    @ParameterizedTest
    @EnumSource(Wait.class)
    void aThousandWaitingPodsDoNotDelayAnother(Wait wait) throws InterruptedException {
        int count = 1000;
        CountDownLatch waiting = new CountDownLatch(wait == Wait.IN_TWO_PRE_BINDS_AT_ONCE ? 2 * count : count);
        CountDownLatch ended = new CountDownLatch(1);
        for (Probe plugin : List.of(probe, other)) {
            boolean waits = plugin == probe || wait == Wait.IN_TWO_PRE_BINDS_AT_ONCE;
            plugin.preBind = pod -> {
                if (!waits || wait == Wait.FOR_A_PERMIT || !pod.name().startsWith("waiting")) {
                    return;
                }
                waiting.countDown();
                if (wait == Wait.IN_PRE_BIND_AS_THE_PLUGIN_LIKES) {
                    await(ended);
                } else {
                    plugin.handle().binding().pause(pod, Duration.ofHours(1));
                }
            };
        }
        probe.permit = pod -> {
            if (wait == Wait.FOR_A_PERMIT && pod.name().startsWith("waiting")) {
                waiting.countDown();
                return PermitResult.waitAtMost(Duration.ofMinutes(10));
            }
            return PermitResult.allow();
        };
        start();
        apply("waiting", count);
        assertThat(await(waiting)).isTrue();

        apply("p", 1);
        awaitBound(Set.of("p0"));

        assertThat(bound).containsExactly("p0");
        ended.countDown();
    }

    @Test
    void podsThatWaitInTwoPreBindsAtOnceAreAllBound() throws InterruptedException {
        int count = 400;
        CountDownLatch waiting = new CountDownLatch(2 * count);
        for (Probe plugin : List.of(probe, other)) {
            plugin.preBind = pod -> {
                waiting.countDown();
                assertThat(await(waiting)).isTrue();
            };
        }
        start();

        apply("p", count);

        Set<String> names = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < count; i++) {
            names.add("p" + i);
        }
        awaitBound(names);
        assertThat(cluster.all(ObjectKind.POD)).allMatch(Pod::isBound);
    }
}
