// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.decision.Decision;
import org.moorage.schedulertests.Await;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Pods;

/** Tests groups of pods in the whole scheduler: they start together or not at all, regardless of concurrent changes. */
@Tag("any-jvm")
@Timeout(120)
final class PodGroupsTest {
    private static final FeatureGates GATES = FeatureGates.DEFAULTS.with(FeatureGates.GENERIC_WORKLOAD, true);
    private static final Duration LIMIT = Duration.ofMillis(300);
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            podInitialBackoffSeconds: 1
            podMaxBackoffSeconds: 10
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint:
                  enabled: [{name: Suspect}]
            """;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final Suspect suspect = new Suspect();
    private @Nullable Scheduler scheduler;

    /** A plugin that is controlled by the test and records the number of reservations. */
    private static final class Suspect implements FilterPlugin, ReservePlugin {
        private volatile @Nullable CountDownLatch hangs;
        private final CountDownLatch hanging = new CountDownLatch(1);
        private volatile String at = "";
        private volatile String pod = "";
        private final Set<String> reserved = ConcurrentHashMap.newKeySet();

        @Override
        public String name() {
            return "Suspect";
        }

        @Override
        public Status filter(CycleState state, Pod filtered, NodeInfo node) {
            act("filter", filtered);
            return Status.success();
        }

        @Override
        public Status reserve(CycleState state, Pod reservedFor, String nodeName) {
            if (state.parent().isEmpty()) {
                act("bind", reservedFor);
            }
            act("reserve", reservedFor);
            reserved.add(reservedFor.name());
            return at.equals("refuse") && pod.equals(reservedFor.name())
                    ? Status.unschedulable("no")
                    : Status.success();
        }

        @Override
        public void unreserve(CycleState state, Pod reservedFor, String nodeName) {
            reserved.remove(reservedFor.name());
        }

        Set<String> reserved() {
            return Set.copyOf(reserved);
        }

        private void act(String point, Pod acted) {
            if (!at.startsWith(point) || !pod.equals(acted.name())) {
                return;
            }
            if (at.equals("bind throws")) {
                throw new InternalError("broken");
            }
            if (at.endsWith("throws")) {
                throw new IllegalStateException("broken");
            }
            CountDownLatch latch = hangs;
            if (latch != null) {
                hanging.countDown();
                try {
                    latch.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @AfterEach
    void close() {
        CountDownLatch latch = suspect.hangs;
        if (latch != null) {
            latch.countDown();
        }
        if (scheduler != null) {
            scheduler.close();
        }
    }

    private SchedulerBuilder builder() {
        List<PluginFactory<?>> factories = new ArrayList<>(KubeSchedulerPlugins.all());
        factories.add(PluginFactory.of("Suspect", Plugin.class, handle -> suspect));
        PluginRegistry registry = PluginRegistry.of(factories);
        return Scheduler.builder(ConfigLoader.load(CONFIG, "test.yaml", registry, GATES), registry, cluster)
                .random(new Random(1));
    }

    private Scheduler start() {
        Scheduler built =
                builder().bindingExecutor(Runnable::run).clock(now::get).build();
        scheduler = built;
        built.start();
        return built;
    }

    private void startLoop() {
        Scheduler built = builder().clock(now::get).pluginCallTimeout(LIMIT).build();
        scheduler = built;
        built.start();
        Thread thread = new Thread(built::run);
        thread.setDaemon(true);
        thread.start();
    }

    private static void drain(Scheduler running) {
        Optional<Decision> decision = running.scheduleNext();
        for (int i = 0; decision.isPresent() && i < 1_000; i++) {
            decision = running.scheduleNext();
        }
    }

    private void gang(String name, int minCount) {
        cluster.apply(PodGroup.of(ObjectMeta.named(name)
                        .namespace("default")
                        .uid("group-" + name)
                        .build())
                .gang(minCount)
                .build());
    }

    private void members(String group, int from, int to, String cpu) {
        for (int i = from; i < to; i++) {
            cluster.apply(Pods.named(group + "-" + i)
                    .podGroup(group)
                    .requests("cpu", cpu)
                    .build());
        }
    }

    private void nodes(int count, int cpus) {
        for (int i = 0; i < count; i++) {
            cluster.apply(Node.of(ObjectMeta.named("n" + i).uid("node-" + i).build())
                    .allocatable(Map.of(
                            "cpu", Quantity.of(cpus), "memory", Quantity.of(64L << 30), "pods", Quantity.of(110)))
                    .build());
        }
    }

    private int bound(String group) {
        return (int) cluster.all(ObjectKind.POD).stream()
                .filter(pod -> pod.spec().podGroupName().equals(group) && pod.isBound())
                .count();
    }

    private Optional<PodCondition> condition(String group) {
        return cluster.find(ObjectKind.POD_GROUP, "default", group).flatMap(PodGroup::initiallyScheduled);
    }

    private String message(String pod) {
        return cluster.find(ObjectKind.POD, "default", pod)
                .flatMap(found -> found.status().condition(PodCondition.POD_SCHEDULED))
                .map(PodCondition::message)
                .orElse("");
    }

    @Test
    void aGangThatFitsStartsAsAWhole() {
        nodes(2, 4);
        gang("g", 4);
        members("g", 0, 4, "2");

        drain(start());

        assertThat(bound("g")).isEqualTo(4);
        assertThat(condition("g")).hasValueSatisfying(condition -> {
            assertThat(condition.status()).isEqualTo("True");
            assertThat(condition.reason()).isEqualTo("Scheduled");
        });
    }

    @Test
    void aGangThatDoesNotFitLeavesAllRoomToOthers() {
        nodes(2, 4);
        gang("g", 5);
        members("g", 0, 5, "2");
        Scheduler running = start();
        drain(running);

        assertThat(bound("g")).isZero();
        assertThat(suspect.reserved()).isEmpty();
        assertThat(condition("g")).hasValueSatisfying(condition -> {
            assertThat(condition.status()).isEqualTo("False");
            assertThat(condition.reason()).isEqualTo("Unschedulable");
            assertThat(condition.message()).startsWith("minCount (5) cannot be satisfied: 4 scheduled, 0 remaining");
        });
        assertThat(message("g-0"))
                .startsWith("pod group is unschedulable, minCount (5) cannot be satisfied: 4 scheduled, 0 remaining");

        cluster.apply(Pods.named("single").requests("cpu", "4").build());
        drain(running);
        assertThat(cluster.find(ObjectKind.POD, "default", "single")
                        .orElseThrow()
                        .isBound())
                .isTrue();
    }

    @Test
    void aGangWaitsForItsLastPod() {
        nodes(2, 4);
        gang("g", 3);
        members("g", 0, 2, "1");
        Scheduler running = start();
        drain(running);
        assertThat(bound("g")).isZero();
        assertThat(message("g-0")).isEmpty();

        members("g", 2, 3, "1");
        drain(running);

        assertThat(bound("g")).isEqualTo(3);
    }

    @Test
    void podsWaitForTheirGroup() {
        nodes(1, 4);
        members("g", 0, 2, "1");
        Scheduler running = start();
        drain(running);
        assertThat(bound("g")).isZero();

        gang("g", 2);
        drain(running);

        assertThat(bound("g")).isEqualTo(2);
    }

    @Test
    void ofTwoGangsThatCompeteOneStarts() {
        nodes(1, 4);
        gang("a", 4);
        gang("b", 4);
        for (int i = 0; i < 4; i++) {
            members("a", i, i + 1, "1");
            members("b", i, i + 1, "1");
        }

        drain(start());

        assertThat(List.of(bound("a"), bound("b"))).containsExactlyInAnyOrder(4, 0);
    }

    @Test
    void morePodsThanTheMinimumStartAsFarAsThereIsRoom() {
        nodes(1, 4);
        gang("g", 2);
        members("g", 0, 6, "1");
        Scheduler running = start();
        drain(running);

        assertThat(bound("g")).isEqualTo(4);
        assertThat(condition("g").orElseThrow().status()).isEqualTo("True");

        nodes(2, 4);
        now.set(now.get().plusSeconds(120));
        running.flushBackoff();
        drain(running);

        assertThat(bound("g")).isEqualTo(6);
    }

    @Test
    void aPodThatReserveRefusesCountsAsNotPlaced() {
        nodes(1, 4);
        gang("g", 3);
        members("g", 0, 3, "1");
        suspect.pod = "g-1";
        suspect.at = "refuse";

        drain(start());

        assertThat(bound("g")).isZero();
        assertThat(suspect.reserved()).isEmpty();
        assertThat(message("g-1")).isEqualTo("0/1 nodes are available: 1 no.");
    }

    static final List<String> POINTS = List.of("filter", "reserve");

    @ParameterizedTest
    @FieldSource("POINTS")
    void aPluginThatThrowsInTheMiddleHasAllPodsGoBack(String point) {
        nodes(2, 4);
        gang("g", 4);
        members("g", 0, 4, "1");
        suspect.pod = "g-2";
        suspect.at = point + " throws";
        Scheduler running = start();
        drain(running);

        assertThat(bound("g")).isZero();
        assertThat(suspect.reserved()).isEmpty();
        assertThat(condition("g").orElseThrow().reason()).isEqualTo("SchedulerError");

        suspect.at = "";
        now.set(now.get().plusSeconds(120));
        running.flushBackoff();
        drain(running);
        assertThat(bound("g")).isEqualTo(4);
    }

    @Test
    void anErrorOfTheVirtualMachineWhileAPodIsBoundHasThatPodGoBack() {
        nodes(2, 4);
        gang("g", 4);
        members("g", 0, 4, "1");
        suspect.pod = "g-2";
        suspect.at = "bind throws";
        Scheduler running = start();

        assertThatThrownBy(running::scheduleNext).isInstanceOf(InternalError.class);

        suspect.at = "";
        now.set(now.get().plusSeconds(120));
        running.flushBackoff();
        drain(running);
        assertThat(bound("g")).isEqualTo(4);
        assertThat(running.dump().queue().inFlightPods()).isEmpty();
    }

    @ParameterizedTest
    @FieldSource("POINTS")
    void aPluginThatHangsInTheMiddleHasAllPodsGoBack(String point) throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        suspect.hangs = latch;
        suspect.pod = "g-2";
        suspect.at = point;
        nodes(2, 4);
        gang("g", 4);
        members("g", 0, 4, "1");
        startLoop();

        suspect.hanging.await();
        Await.passTimeUntil(
                now,
                "all pods went back",
                () -> !message("g-0").isEmpty() && !message("g-3").isEmpty());
        assertThat(message("g-0")).contains("did not return within 300ms");

        cluster.apply(Pods.named("single").requests("cpu", "4").build());
        Await.until(
                "another pod is bound",
                () -> cluster.find(ObjectKind.POD, "default", "single")
                        .filter(Pod::isBound)
                        .isPresent());
        suspect.at = "";
        latch.countDown();
        nodes(4, 4);
        Await.passTimeUntil(now, "the group is bound", () -> bound("g") == 4);
        Await.until("nothing else is reserved", () -> suspect.reserved().size() == 5);
    }

    @Test
    void aPluginThatHangsWhileAPodIsBoundHoldsUpThatPodAlone() throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        suspect.hangs = latch;
        suspect.pod = "g-2";
        suspect.at = "bind";
        nodes(2, 4);
        gang("g", 4);
        members("g", 0, 4, "1");
        startLoop();

        suspect.hanging.await();
        Await.passTimeUntil(now, "the others are bound", () -> bound("g") == 3);
        latch.countDown();
        Await.passTimeUntil(now, "all are bound", () -> bound("g") == 4);
        assertThat(suspect.reserved()).hasSize(4);
    }
}
