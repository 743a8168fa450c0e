// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.preemption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.runtime.decision.Decision;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;
import org.moorage.testkit.Write;

public final class DefaultPreemptionTest {
    private static final FeatureGates SYNCHRONOUS =
            FeatureGates.of(Map.of(FeatureGates.SCHEDULER_ASYNC_PREEMPTION, false));

    private static final PluginTester PLUGIN = PluginTester.of(DefaultPreemption.FACTORY);
    public static final PluginFactory<PluginArgs.None> ENOUGH_CPU = new FilterFactory(EnoughCpu::new);

    /** Accepts a node that has as much cpu left as the pod asks for. */
    record EnoughCpu() implements FilterPlugin {
        @Override
        public String name() {
            return "Filter";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            long free = node.allocatable(ResourceName.CPU) - node.requested(ResourceName.CPU);
            return pod.requests().milliCpu() <= free ? Status.success() : Status.unschedulable("Insufficient cpu");
        }
    }

    /** Rejects every node in a way that preemption cannot resolve. */
    record Closed() implements FilterPlugin {
        @Override
        public String name() {
            return "Filter";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return Status.unresolvable("closed");
        }
    }

    /** Rejects so many nodes, and accepts all that it is asked about after that. */
    record ChangesItsMind(AtomicInteger rejections) implements FilterPlugin {
        @Override
        public String name() {
            return "Filter";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return rejections.getAndDecrement() > 0 ? Status.unschedulable("not now") : Status.success();
        }
    }

    private record FilterFactory(Supplier<FilterPlugin> maker) implements PluginFactory<PluginArgs.None> {
        @Override
        public String name() {
            return "Filter";
        }

        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public Plugin create(PluginArgs.None args, Handle handle) {
            return maker.get();
        }
    }

    private static final Status UNDER_WAY =
            Status.unresolvable("waiting for the preemption for this pod to be finished");
    private static final Status FULL = Status.unschedulable("Insufficient cpu");

    private static Pods running(String name, String node, int priority, String cpu) {
        return Pods.named(name)
                .requests("cpu", cpu)
                .priority(priority)
                .started(Instant.parse("2024-01-01T00:00:00Z"))
                .on(node);
    }

    private static Pods important() {
        return Pods.named("p").requests("cpu", "2").priority(100);
    }

    private static List<ClusterObject> cluster(Pod... pods) {
        List<ClusterObject> objects = new ArrayList<>(List.of(pods));
        for (String name : List.of("n1", "n2")) {
            objects.add(Nodes.named(name).allocatable("cpu", "2").build());
        }
        return objects;
    }

    private static PodTester asking(Pods pod, List<ClusterObject> cluster) {
        return PLUGIN.beside(ENOUGH_CPU).cluster(cluster).pod(pod.build());
    }

    @Nested
    class Decides {
        record Case(String name, List<ClusterObject> cluster, String node, List<String> victims) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case(
                    "the less important victim leaves",
                    cluster(
                            running("a", "n1", 50, "1").build(),
                            running("b", "n2", 10, "1").build()),
                    "n2",
                    List.of("b")),
            new Case(
                    "fewer victims are better",
                    cluster(
                            running("a", "n1", 10, "1").build(),
                            running("b", "n1", 10, "1").build(),
                            running("c", "n2", 10, "2").build()),
                    "n2",
                    List.of("c")),
            new Case(
                    "of equals the younger one leaves",
                    cluster(
                            running("old", "n1", 10, "1").build(),
                            running("young", "n2", 10, "1")
                                    .started(Instant.parse("2024-01-02T00:00:00Z"))
                                    .build()),
                    "n2",
                    List.of("young")),
            new Case(
                    "one that has not started is the youngest",
                    cluster(
                            running("a", "n1", 10, "1").build(),
                            Pods.named("b")
                                    .requests("cpu", "1")
                                    .priority(10)
                                    .on("n2")
                                    .build()),
                    "n2",
                    List.of("b")),
            new Case(
                    "who takes no room stays",
                    cluster(
                            running("idle", "n1", 0, "0").build(),
                            running("busy", "n1", 10, "2").build(),
                            running("equal", "n2", 100, "1").build()),
                    "n1",
                    List.of("busy")),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void whoHasToLeave(Case c) {
            asking(important(), c.cluster).preempts(c.node, c.victims.toArray(String[]::new));
        }

        @Test
        void changesNothing() {
            Pod pod = important().build();
            List<ClusterObject> cluster = cluster(
                    running("a", "n1", 50, "1").build(),
                    running("b", "n2", 60, "1").build());
            try (TestScheduler scheduler =
                    PLUGIN.beside(ENOUGH_CPU).cluster(cluster).start()) {
                scheduler.pod(pod).preempts("n1", "a");
                assertThat(scheduler.writes()).isEmpty();
            }
        }

        @Test
        void prefersToKeepWithinBudgets() {
            List<ClusterObject> cluster = cluster(
                    running("a", "n1", 0, "1").label("app", "web").build(),
                    running("b", "n2", 50, "1").label("app", "db").build());
            cluster.add(new PodDisruptionBudget(
                    ObjectMeta.named("pdb").namespace("default").build(),
                    Optional.of(new LabelSelector(Map.of("app", "web"), List.of())),
                    0,
                    Set.of()));
            asking(important(), cluster).preempts("n2", "b");
        }

        private static final List<ClusterObject> AS_IMPORTANT = cluster(
                running("c", "n1", 100, "1").build(),
                running("d", "n2", 100, "1").build());

        @Test
        void reportsWhyNoEvictionHelps() {
            asking(important(), AS_IMPORTANT)
                    .doesNotPreempt(Status.unschedulable("preemption: 0/2 nodes are available: "
                            + "2 No preemption victims found for incoming pod."));
        }

        @Test
        void isNoHelpWhereNothingCanBeResolved() {
            PLUGIN.beside(new FilterFactory(Closed::new))
                    .cluster(cluster())
                    .pod(important().build())
                    .doesNotPreempt(Status.unschedulable(
                            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."));
        }

        record Nominated(String name, Pods pod, String nodeAfterwards) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Nominated[] NOMINATED = {
            new Nominated("a pod without possible victims loses its nominated node", important(), ""),
            new Nominated(
                    "a pod that may not preempt keeps its nominated node",
                    important().preemptionPolicy("Never"),
                    "n1"),
        };

        @ParameterizedTest
        @FieldSource("NOMINATED")
        void decidesAboutTheNominatedNode(Nominated c) {
            Pod pod = c.pod.nominatedTo("n1").build();
            try (TestScheduler scheduler =
                    PLUGIN.beside(ENOUGH_CPU).cluster(AS_IMPORTANT).start()) {
                assertThat(scheduler.schedule(pod).outcome()).isEqualTo(Decision.Outcome.UNSCHEDULABLE);
                assertThat(scheduler
                                .cluster()
                                .find(ObjectKind.POD, "default", "p")
                                .map(known -> known.status().nominatedNodeName()))
                        .contains(c.nodeAfterwards);
            }
        }

        @Test
        void doesNotPreemptForAPodThatMayNot() {
            List<ClusterObject> cluster = cluster(
                    running("a", "n1", 0, "2").build(),
                    running("b", "n2", 0, "2").build());
            asking(important().preemptionPolicy("Never"), cluster)
                    .doesNotPreempt(Status.unschedulable("preemption: not eligible due to preemptionPolicy=Never."));
        }

        @Test
        void waitsForTheVictimsOfLastTime() {
            Pod pod = important().nominatedTo("n1").build();
            Pod leaving = running("a", "n1", 0, "2")
                    .deleting(Instant.parse("2024-01-01T00:00:00Z"))
                    .status(status -> status.conditions(List.of(
                            new PodCondition(PodCondition.DISRUPTION_TARGET, "True", "PreemptionByScheduler", "", 0))))
                    .build();
            PluginTester plugin =
                    PLUGIN.cluster(cluster(leaving, running("b", "n2", 0, "2").build()));
            plugin.beside(ENOUGH_CPU)
                    .pod(pod)
                    .doesNotPreempt(Status.unschedulable(
                            "preemption: not eligible due to a terminating pod on the nominated node."));
            plugin.beside(new FilterFactory(Closed::new))
                    .pod(pod)
                    .doesNotPreempt(Status.unschedulable(
                            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."));
        }

        @Test
        void failsWithoutVictims() {
            PLUGIN.beside(new FilterFactory(() -> new ChangesItsMind(new AtomicInteger(2))))
                    .cluster(cluster(running("a", "n1", 0, "0").build()))
                    .pod(important().build())
                    .fails("preemption: expected at least one victim pod on node \"n1\"");
        }
    }

    @Nested
    class Acts {
        private final Pod pod = important().build();
        private final Pod first = running("a", "n1", 10, "1").build();
        private final Pod second = running("b", "n1", 0, "1").build();
        private final List<ClusterObject> cluster = cluster(first, second, pod);
        private final PostFilterResult result = PostFilterResult.nominated("n1", List.of(first, second));

        private TestScheduler start(FeatureGates gates) {
            TestScheduler scheduler = PLUGIN.features(gates).cluster(cluster).start();
            scheduler.delayDeletions();
            return scheduler;
        }

        private static DefaultPreemption plugin(TestScheduler scheduler) {
            return scheduler.plugin(DefaultPreemption.class);
        }

        private static List<String> texts(List<Write> writes) {
            List<String> texts = new ArrayList<>();
            for (Write write : writes) {
                Object about = write.arguments().get(0);
                if (about instanceof PodEvent event) {
                    texts.add(write.method() + " " + event.pod().name() + ": " + event.reason() + ": " + event.note());
                } else {
                    texts.add(write.method() + " " + ((Pod) about).name());
                }
            }
            return texts;
        }

        @ParameterizedTest
        @FieldSource("org.moorage.builtin.preemption.DefaultPreemptionTest#GATES")
        void marksDeletesAndReportsVictims(FeatureGates gates) {
            try (TestScheduler scheduler = start(gates)) {
                plugin(scheduler).execute(new CycleState(), pod, result);
                assertThat(texts(scheduler.writes()))
                        .containsExactly(
                                "patchStatus a",
                                "delete a",
                                "report a: Preempted: Preempted by pod default/p on node n1",
                                "patchStatus b",
                                "delete b",
                                "report b: Preempted: Preempted by pod default/p on node n1");
                for (Pod victim : List.of(first, second)) {
                    Pod known = scheduler
                            .cluster()
                            .find(ObjectKind.POD, "default", victim.name())
                            .orElseThrow();
                    assertThat(known.status().conditions())
                            .extracting(condition -> condition.type() + "=" + condition.status())
                            .containsExactly("DisruptionTarget=True");
                }
            }
        }

        @Test
        void keepsThePodOutUntilTheLastVictimIsSeenToGo() {
            try (TestScheduler scheduler = start(FeatureGates.DEFAULTS)) {
                plugin(scheduler).execute(new CycleState(), pod, result);
                assertThat(plugin(scheduler).preEnqueue(pod)).isEqualTo(UNDER_WAY);
                scheduler.cluster().remove(second);
                assertThat(plugin(scheduler).preEnqueue(pod)).isEqualTo(Status.success());
                assertThat(scheduler.activated()).isEmpty();
            }
        }

        @Test
        void doesNotWaitForAPodThatTookTheNameOfTheLastVictim() {
            try (TestScheduler scheduler = start(FeatureGates.DEFAULTS)) {
                plugin(scheduler).execute(new CycleState(), pod, result);
                scheduler
                        .cluster()
                        .apply(running("b", "n1", 0, "1").uid("another").build());
                assertThat(plugin(scheduler).preEnqueue(pod)).isEqualTo(Status.success());
            }
        }

        /** The last victim had gone before it could be evicted. */
        record Gone(String name, boolean isSeen) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Gone[] GONE = {
            new Gone("and that was seen while the pod was kept out, so nothing else would bring the pod back", true),
            new Gone("which is still to be seen, and will bring the pod back", false),
        };

        @ParameterizedTest
        @FieldSource("GONE")
        void hasThePodTriedAgainIfTheLastVictimHadGone(Gone c) {
            try (TestScheduler scheduler = start(FeatureGates.DEFAULTS)) {
                scheduler.failWrites(new ClusterException("gone", 404, null));
                if (c.isSeen) {
                    scheduler.cluster().remove(second);
                }
                plugin(scheduler).execute(new CycleState(), pod, result);
                assertThat(scheduler.activated()).isEqualTo(c.isSeen ? List.of(pod) : List.of());
                assertThat(plugin(scheduler).preEnqueue(pod)).isEqualTo(c.isSeen ? Status.success() : UNDER_WAY);
            }
        }

        @Test
        void takesNominationsOfLessImportantPodsBackFirst() {
            Pod rival = Pods.named("rival").priority(5).nominatedTo("n1").build();
            Pod greater = Pods.named("greater").priority(500).nominatedTo("n1").build();
            cluster.addAll(List.of(rival, greater));
            try (TestScheduler scheduler = start(FeatureGates.DEFAULTS)) {
                plugin(scheduler).execute(new CycleState(), pod, PostFilterResult.nominated("n1", List.of(first)));
                assertThat(texts(scheduler.writes()))
                        .startsWith("patchStatus rival")
                        .doesNotContain("patchStatus greater");
                assertThat(scheduler.writes().get(0).arguments().get(2)).isEqualTo(Nomination.clear());
            }
        }

        @Test
        void leavesVictimsAloneThatAreOnTheirWay() {
            Pod leaving = running("a", "n1", 10, "1")
                    .deleting(Instant.parse("2024-01-01T00:00:00Z"))
                    .build();
            try (TestScheduler scheduler = start(FeatureGates.DEFAULTS)) {
                plugin(scheduler).execute(new CycleState(), pod, PostFilterResult.nominated("n1", List.of(leaving)));
                assertThat(scheduler.writes()).isEmpty();
            }
        }

        @Test
        void hasThePodTriedAgainAfterBackoffIfAnEvictionFails() {
            try (TestScheduler scheduler = start(FeatureGates.DEFAULTS)) {
                scheduler.failWrites(new ClusterException("no", 500, null));
                plugin(scheduler).execute(new CycleState(), pod, result);
                assertThat(scheduler.activatedAfterBackoff()).containsExactly(pod);
                assertThat(scheduler.activated()).isEmpty();
                assertThat(plugin(scheduler).preEnqueue(pod)).isEqualTo(Status.success());
            }
        }

        @Test
        void failsAtOnceWhenNotInTheBackground() {
            try (TestScheduler scheduler = start(SYNCHRONOUS)) {
                scheduler.failWrites(new ClusterException("no", 500, null));
                assertThatThrownBy(() -> plugin(scheduler).execute(new CycleState(), pod, result))
                        .isInstanceOf(ClusterException.class);
            }
        }

        @Test
        void doesNothingForARejection() {
            try (TestScheduler scheduler = start(FeatureGates.DEFAULTS)) {
                plugin(scheduler).execute(new CycleState(), pod, PostFilterResult.rejected(FULL));
                assertThat(scheduler.writes()).isEmpty();
            }
        }

        @Test
        void doesNothingForAPodThatIsGone() {
            try (TestScheduler scheduler = start(FeatureGates.DEFAULTS)) {
                scheduler.cluster().remove(pod);
                assertThatThrownBy(() -> plugin(scheduler).execute(new CycleState(), pod, result))
                        .hasMessage("preemption: pod \"p\" not found");
                assertThat(scheduler.writes()).isEmpty();
            }
        }
    }

    static final FeatureGates[] GATES = {FeatureGates.DEFAULTS, SYNCHRONOUS};

    @Nested
    class Events {
        @Test
        void haveAPodLookedAtWithoutQueueingIt() {
            PLUGIN.registers("AssignedPodDelete")
                    .pod(important().build())
                    .hint(ObjectChange.deleted(running("a", "n1", 0, "1").build()), Hint.SKIP);
        }

        @Test
        void areNoneWhenPodsAreNeverKeptOut() {
            PLUGIN.features(SYNCHRONOUS).registers();
        }
    }

    @Nested
    class Arguments {
        record Case(int percentage, int absolute, List<String> problems) {}

        static final Case[] CASES = {
            new Case(10, 100, List.of()),
            new Case(0, 1, List.of()),
            new Case(100, 0, List.of()),
            new Case(101, 1, List.of("minCandidateNodesPercentage")),
            new Case(-1, 1, List.of("minCandidateNodesPercentage")),
            new Case(1, -1, List.of("minCandidateNodesAbsolute")),
            new Case(0, 0, List.of("minCandidateNodesPercentage", "minCandidateNodesAbsolute")),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void areChecked(Case c) {
            Problems problems = Problems.collector();
            new DefaultPreemption.Args(c.percentage, c.absolute).validate(problems);
            assertThat(problems.all()).extracting(Problems.Problem::path).isEqualTo(c.problems);
        }
    }
}
