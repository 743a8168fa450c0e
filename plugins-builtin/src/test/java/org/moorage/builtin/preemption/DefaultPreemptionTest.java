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
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.NodeStatuses;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.PostFilterResult;
import org.moorage.api.plugin.Problems;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;
import org.moorage.testkit.TestHandle.Change;

class DefaultPreemptionTest {
    private static final FeatureGates SYNCHRONOUS =
            FeatureGates.of(Map.of(FeatureGates.SCHEDULER_ASYNC_PREEMPTION, false));

    /** Accepts a node that has as much cpu left as the pod asks for. */
    record EnoughCpu() implements FilterPlugin {
        @Override
        public String name() {
            return "EnoughCpu";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            long free = node.allocatable(ResourceName.CPU) - node.requested(ResourceName.CPU);
            return pod.requests().milliCpu() <= free ? Status.success() : Status.unschedulable("Insufficient cpu");
        }
    }

    /** All nodes have one status. */
    record Everywhere(ClusterSketch cluster, Status status) implements NodeStatuses {
        @Override
        public Status status(NodeInfo node) {
            return status;
        }

        @Override
        public List<NodeInfo> nodesWithCode(Code code) {
            return status.code() == code ? cluster.nodes() : List.of();
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

    private static ClusterSketch cluster(Pod... pods) {
        List<org.moorage.api.model.Node> nodes = new ArrayList<>();
        for (String name : List.of("n1", "n2")) {
            nodes.add(Nodes.named(name).allocatable("cpu", "2").build());
        }
        return ClusterSketch.of(nodes, List.of(pods));
    }

    private static TestHandle handle(ClusterSketch cluster, Pod pod) {
        TestHandle handle = TestHandle.of(cluster).using(new EnoughCpu()).with(ObjectKind.POD, pod);
        cluster.nodes().forEach(node -> node.pods().forEach(on -> handle.with(ObjectKind.POD, on)));
        return handle;
    }

    private static DefaultPreemption plugin(TestHandle handle) {
        return DefaultPreemption.FACTORY.create(DefaultPreemption.Args.DEFAULTS, handle);
    }

    private static PostFilterResult decide(TestHandle handle, ClusterSketch cluster, Pod pod, Status everywhere) {
        return plugin(handle).postFilter(new CycleState(), pod, new Everywhere(cluster, everywhere));
    }

    private static List<String> names(PostFilterResult result) {
        return result.victims().stream().map(Pod::name).toList();
    }

    @Nested
    class Decides {
        record Case(String name, ClusterSketch cluster, String node, List<String> victims) {
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
            Pod pod = important().build();
            PostFilterResult result = decide(handle(c.cluster, pod), c.cluster, pod, FULL);
            assertThat(result.status()).isEqualTo(Status.success());
            assertThat(result.nomination()).isEqualTo(Nomination.to(c.node));
            assertThat(names(result)).isEqualTo(c.victims);
        }

        @Test
        void changesNothing() {
            Pod pod = important().build();
            ClusterSketch cluster = cluster(running("a", "n1", 50, "1").build());
            TestHandle handle = handle(cluster, pod);
            decide(handle, cluster, pod, FULL);
            assertThat(handle.changes()).isEmpty();
        }

        @Test
        void prefersToKeepWithinBudgets() {
            Pod pod = important().build();
            ClusterSketch cluster = cluster(
                    running("a", "n1", 0, "1").label("app", "web").build(),
                    running("b", "n2", 50, "1").label("app", "db").build());
            TestHandle handle = handle(cluster, pod)
                    .with(
                            ObjectKind.POD_DISRUPTION_BUDGET,
                            new PodDisruptionBudget(
                                    ObjectMeta.named("pdb").namespace("default").build(),
                                    Optional.of(new LabelSelector(Map.of("app", "web"), List.of())),
                                    0,
                                    Set.of()));
            assertThat(names(decide(handle, cluster, pod, FULL))).containsExactly("b");
        }

        @Test
        void saysWhyNobodysLeavingHelps() {
            Pod pod = important().build();
            ClusterSketch cluster = cluster(running("equal", "n1", 100, "1").build());
            PostFilterResult result = decide(handle(cluster, pod), cluster, pod, FULL);
            assertThat(result.status())
                    .isEqualTo(Status.unschedulable("preemption: 0/2 nodes are available: "
                            + "2 No preemption victims found for incoming pod."));
            assertThat(result.nomination()).isEqualTo(Nomination.clear());
        }

        @Test
        void isNoHelpWhereNothingCanBeResolved() {
            Pod pod = important().build();
            ClusterSketch cluster = cluster();
            assertThat(decide(handle(cluster, pod), cluster, pod, Status.unresolvable("closed"))
                            .status())
                    .isEqualTo(Status.unschedulable(
                            "preemption: 0/2 nodes are available: " + "2 Preemption is not helpful for scheduling."));
        }

        @Test
        void leavesTheNominationOfAPodThatMayNotPreempt() {
            Pod pod = important().preemptionPolicy("Never").build();
            ClusterSketch cluster = cluster(running("a", "n1", 0, "2").build());
            assertThat(decide(handle(cluster, pod), cluster, pod, FULL))
                    .isEqualTo(PostFilterResult.rejected(
                            Status.unschedulable("preemption: not eligible due to preemptionPolicy=Never.")));
        }

        @Test
        void waitsForTheVictimsOfLastTime() {
            Pod pod = important().nominatedTo("n1").build();
            Pod leaving = running("a", "n1", 0, "2")
                    .deleting(Instant.parse("2024-01-01T00:00:00Z"))
                    .status(status -> status.conditions(List.of(
                            new PodCondition(PodCondition.DISRUPTION_TARGET, "True", "PreemptionByScheduler", "", 0))))
                    .build();
            ClusterSketch cluster = cluster(leaving);
            TestHandle handle = handle(cluster, pod);
            assertThat(decide(handle, cluster, pod, FULL).status())
                    .isEqualTo(Status.unschedulable(
                            "preemption: not eligible due to a terminating pod on the nominated node."));
            assertThat(decide(handle, cluster, pod, Status.unresolvable("closed"))
                            .status()
                            .message())
                    .contains("not helpful");
        }

        @Test
        void failsWhereNobodyWouldHaveToLeave() {
            Pod pod = important().build();
            ClusterSketch cluster = cluster(running("a", "n1", 0, "0").build());
            assertThatThrownBy(() -> decide(handle(cluster, pod), cluster, pod, FULL))
                    .hasMessage("preemption: expected at least one victim pod on node \"n1\"");
        }
    }

    @Nested
    class Acts {
        private final Pod pod = important().build();
        private final Pod first = running("a", "n1", 10, "1").build();
        private final Pod second = running("b", "n1", 0, "1").build();
        private final ClusterSketch cluster = cluster(first, second);
        private final PostFilterResult result = PostFilterResult.nominated("n1", List.of(first, second));

        @ParameterizedTest
        @FieldSource("org.moorage.builtin.preemption.DefaultPreemptionTest#GATES")
        void markingDeletingAndTelling(FeatureGates gates) {
            TestHandle handle = handle(cluster, pod).with(gates);
            DefaultPreemption plugin = plugin(handle);
            plugin.execute(new CycleState(), pod, result);
            assertThat(handle.changes())
                    .containsExactly(
                            new Change("patchStatus", "default/a", "DisruptionTarget=True"),
                            new Change("delete", "default/a", ""),
                            new Change("report", "default/a", "Preempted: Preempted by pod default/p on node n1"),
                            new Change("patchStatus", "default/b", "DisruptionTarget=True"),
                            new Change("delete", "default/b", ""),
                            new Change("report", "default/b", "Preempted: Preempted by pod default/p on node n1"));
        }

        @Test
        void keepsThePodOutUntilTheLastVictimIsSeenToGo() {
            TestHandle handle = handle(cluster, pod);
            DefaultPreemption plugin = plugin(handle);
            plugin.execute(new CycleState(), pod, result);
            assertThat(plugin.preEnqueue(pod)).isEqualTo(UNDER_WAY);
            handle.without(ObjectKind.POD, second);
            assertThat(plugin.preEnqueue(pod)).isEqualTo(Status.success());
            assertThat(handle.activated()).isEmpty();
        }

        @Test
        void doesNotWaitForAPodThatTookTheNameOfTheLastVictim() {
            TestHandle handle = handle(cluster, pod);
            DefaultPreemption plugin = plugin(handle);
            plugin.execute(new CycleState(), pod, result);
            handle.with(
                    ObjectKind.POD, running("b", "n1", 0, "1").uid("another").build());
            assertThat(plugin.preEnqueue(pod)).isEqualTo(Status.success());
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
            TestHandle handle = handle(cluster, pod).failing(new ClusterException("gone", 404, null));
            if (c.isSeen) {
                handle.without(ObjectKind.POD, second);
            }
            DefaultPreemption plugin = plugin(handle);
            plugin.execute(new CycleState(), pod, result);
            assertThat(handle.activated()).isEqualTo(c.isSeen ? List.of(pod) : List.of());
            assertThat(plugin.preEnqueue(pod)).isEqualTo(c.isSeen ? Status.success() : UNDER_WAY);
        }

        @Test
        void takesNominationsOfLessImportantPodsBackFirst() {
            Pod rival = Pods.named("rival").priority(5).nominatedTo("n1").build();
            Pod greater = Pods.named("greater").priority(500).nominatedTo("n1").build();
            TestHandle handle = handle(cluster, pod).nominate(rival).nominate(greater);
            plugin(handle).execute(new CycleState(), pod, PostFilterResult.nominated("n1", List.of(first)));
            assertThat(handle.changes()).first().isEqualTo(new Change("patchStatus", "default/rival", " -> "));
            assertThat(handle.changes()).noneMatch(change -> change.object().equals("default/greater"));
        }

        @Test
        void leavesVictimsAloneThatAreOnTheirWay() {
            Pod leaving = running("a", "n1", 10, "1")
                    .deleting(Instant.parse("2024-01-01T00:00:00Z"))
                    .build();
            TestHandle handle = handle(cluster, pod);
            plugin(handle).execute(new CycleState(), pod, PostFilterResult.nominated("n1", List.of(leaving)));
            assertThat(handle.changes()).isEmpty();
        }

        @Test
        void hasThePodTriedAgainAfterBackoffIfAnEvictionFails() {
            TestHandle handle = handle(cluster, pod).failing(new ClusterException("no", 500, null));
            DefaultPreemption plugin = plugin(handle);
            assertThatThrownBy(() -> plugin.execute(new CycleState(), pod, result))
                    .hasMessage("preemption for pod default/p on node n1: no");
            assertThat(handle.activatedAfterBackoff()).containsExactly(pod);
            assertThat(handle.activated()).isEmpty();
            assertThat(plugin.preEnqueue(pod)).isEqualTo(Status.success());
        }

        @Test
        void failsAtOnceWhenNotInTheBackground() {
            TestHandle handle = handle(cluster, pod).with(SYNCHRONOUS).failing(new ClusterException("no", 500, null));
            DefaultPreemption plugin = plugin(handle);
            assertThatThrownBy(() -> plugin.execute(new CycleState(), pod, result))
                    .isInstanceOf(ClusterException.class);
        }

        @Test
        void doesNothingForARejection() {
            TestHandle handle = handle(cluster, pod);
            plugin(handle).execute(new CycleState(), pod, PostFilterResult.rejected(FULL));
            assertThat(handle.changes()).isEmpty();
        }

        @Test
        void doesNothingForAPodThatIsGone() {
            TestHandle handle = TestHandle.of(cluster);
            DefaultPreemption plugin = plugin(handle);
            assertThatThrownBy(() -> plugin.execute(new CycleState(), pod, result))
                    .hasMessage("preemption: pod \"p\" not found");
            assertThat(handle.changes()).isEmpty();
        }
    }

    static final FeatureGates[] GATES = {FeatureGates.DEFAULTS, SYNCHRONOUS};

    @Nested
    class Events {
        @Test
        void haveAPodLookedAtWithoutQueueingIt() {
            var registrations = plugin(TestHandle.create()).eventsToRegister();
            assertThat(registrations).hasSize(1);
            assertThat(registrations.get(0).event().label()).isEqualTo("PodDelete");
            assertThat(registrations
                            .get(0)
                            .hint()
                            .hint(
                                    important().build(),
                                    ObjectChange.deleted(important().build())))
                    .isEqualTo(Hint.SKIP);
        }

        @Test
        void areNoneWhenPodsAreNeverKeptOut() {
            assertThat(plugin(TestHandle.create().with(SYNCHRONOUS)).eventsToRegister())
                    .isEmpty();
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
