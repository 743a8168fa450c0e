// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.builtin.group.Groups.COMPOSITES;
import static org.moorage.builtin.group.Groups.GROUPS;
import static org.moorage.builtin.group.Groups.composite;
import static org.moorage.builtin.group.Groups.info;
import static org.moorage.builtin.group.Groups.podGroup;
import static org.moorage.builtin.group.Groups.running;
import static org.moorage.builtin.group.Groups.waiting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.PlacementProgress;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.group.PlacementFeasibleResult;
import org.moorage.api.plugin.group.PlacementFeasibleResult.Outcome;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.runtime.decision.Decision;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class GangSchedulingTest {
    private static final PluginTester PLUGIN = PluginTester.of(GangScheduling.FACTORY);
    private static final Status TOO_FEW =
            Status.unresolvable("waiting for minCount pods from a gang to appear in scheduling queue");

    /** Needs two of its three children: "low" needs two groups, "any" one, "two" two. */
    private static final List<ClusterObject> TREE = List.of(
            composite("root").gang(2).build(),
            composite("low").gang(2).parentName("root").build(),
            composite("any").parentName("root").build(),
            composite("two").gang(2).parentName("root").build(),
            podGroup("low1").gang(1).parentName("low").build(),
            podGroup("low2").gang(1).parentName("low").build(),
            podGroup("low3").gang(1).parentName("low").build(),
            podGroup("any1").parentName("any").build(),
            podGroup("any2").gang(1).parentName("any").build(),
            podGroup("two1").gang(1).parentName("two").build(),
            podGroup("two2").gang(1).parentName("two").build());

    /** One of its two gangs of two is enough. */
    private static final List<ClusterObject> BASIC_TREE = List.of(
            composite("root").build(),
            podGroup("g1").gang(2).parentName("root").build(),
            podGroup("g2").gang(2).parentName("root").build());

    private static List<ClusterObject> cluster(List<ClusterObject> groups, ClusterObject... others) {
        List<ClusterObject> all = new ArrayList<>(groups);
        all.addAll(List.of(others));
        return all;
    }

    private static Status quorum(String root) {
        return Status.unresolvable("waiting for composite pod group \"" + root + "\" tree to meet quorum");
    }

    private static Status noHierarchy(String why) {
        return Status.unresolvable("failed to build hierarchy snapshot: " + why);
    }

    @Nested
    class PreEnqueue {
        record Case(String name, FeatureGates features, Pod pod, List<ClusterObject> cluster, Status status) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final Pod POD = waiting("p", "g");
        private static final List<ClusterObject> GANG_OF_3 =
                List.of(podGroup("g").gang(3).build());

        static final Case[] CASES = {
            new Case("a pod of no group", GROUPS, Pods.named("p").build(), GANG_OF_3, Status.success()),
            new Case(
                    "a pod of no group, with composites",
                    COMPOSITES,
                    Pods.named("p").build(),
                    GANG_OF_3,
                    Status.success()),
            new Case(
                    "a basic group needs no other pod",
                    GROUPS,
                    POD,
                    List.of(podGroup("g").build()),
                    Status.success()),
            new Case(
                    "a basic group needs no other pod, with composites",
                    COMPOSITES,
                    POD,
                    List.of(podGroup("g").build()),
                    Status.success()),
            new Case(
                    "a group that is not there",
                    GROUPS,
                    POD,
                    List.of(waiting("q", "g")),
                    Status.unresolvable("waiting for pods's pod group \"g\" to appear in scheduling queue")),
            new Case(
                    "a group that is not there, with composites",
                    COMPOSITES,
                    POD,
                    List.of(waiting("q", "g")),
                    noHierarchy("pod group object not found in state for podgroup/default/g")),
            new Case(
                    "a group of another namespace",
                    GROUPS,
                    Pods.named("p").namespace("other").podGroup("g").build(),
                    GANG_OF_3,
                    Status.unresolvable("waiting for pods's pod group \"g\" to appear in scheduling queue")),
            new Case(
                    "too few pods of the gang",
                    GROUPS,
                    POD,
                    cluster(GANG_OF_3, waiting("q", "g"), waiting("r", "other")),
                    TOO_FEW),
            new Case(
                    "too few pods of the gang, with composites",
                    COMPOSITES,
                    POD,
                    cluster(GANG_OF_3, waiting("q", "g"), waiting("r", "other")),
                    TOO_FEW),
            new Case(
                    "enough pods of the gang",
                    GROUPS,
                    POD,
                    cluster(GANG_OF_3, waiting("q", "g"), waiting("r", "g")),
                    Status.success()),
            new Case(
                    "enough pods of the gang, with composites",
                    COMPOSITES,
                    POD,
                    cluster(GANG_OF_3, waiting("q", "g"), waiting("r", "g")),
                    Status.success()),
            new Case(
                    "pods that have a node count, also another scheduler's",
                    GROUPS,
                    POD,
                    cluster(
                            GANG_OF_3,
                            Nodes.named("n").build(),
                            running("q", "g", "n"),
                            Pods.named("r")
                                    .podGroup("g")
                                    .schedulerName("other")
                                    .on("n")
                                    .build()),
                    Status.success()),
            new Case("no other pod in the tree", COMPOSITES, waiting("p", "low1"), TREE, quorum("root")),
            new Case(
                    "a tree is none of a pod's business without composites",
                    GROUPS,
                    waiting("p", "low1"),
                    TREE,
                    Status.success()),
            new Case(
                    "one child of the tree is ready, and it needs two",
                    COMPOSITES,
                    waiting("p", "two1"),
                    cluster(TREE, waiting("q", "low1"), waiting("r", "low2")),
                    quorum("root")),
            new Case(
                    "two children of the tree are ready",
                    COMPOSITES,
                    waiting("p", "any1"),
                    cluster(TREE, waiting("q", "low1"), waiting("r", "low2"), waiting("s", "two1")),
                    Status.success()),
            new Case(
                    "a gang may have too few pods if its parent needs another child only",
                    COMPOSITES,
                    waiting("p", "g2"),
                    cluster(BASIC_TREE, waiting("q", "g1"), waiting("r", "g1")),
                    Status.success()),
            new Case(
                    "without composites the gang alone counts",
                    GROUPS,
                    waiting("p", "g2"),
                    cluster(BASIC_TREE, waiting("q", "g1"), waiting("r", "g1")),
                    TOO_FEW),
            new Case(
                    "a parent that is not there",
                    COMPOSITES,
                    POD,
                    List.of(podGroup("g").parentName("root").build()),
                    noHierarchy("composite pod group object not found in state for compositepodgroup/default/root")),
            new Case(
                    "groups that are their own ancestors",
                    COMPOSITES,
                    POD,
                    List.of(
                            podGroup("g").parentName("c1").build(),
                            composite("c1").parentName("c2").build(),
                            composite("c2").parentName("c1").build()),
                    noHierarchy("cycle detected in composite pod group hierarchy: compositepodgroup/default/c1")),
            new Case(
                    "more levels than kube-scheduler follows",
                    COMPOSITES,
                    POD,
                    List.of(
                            podGroup("g").parentName("c1").build(),
                            composite("c1").parentName("c2").build(),
                            composite("c2").parentName("c3").build(),
                            composite("c3").parentName("c4").build(),
                            composite("c4").parentName("c5").build(),
                            composite("c5").build()),
                    noHierarchy("composite pod group object not found in state for compositepodgroup/default/c1")),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void keepsPodsOutUntilThereAreEnough(Case c) {
            try (TestScheduler scheduler = PLUGIN.features(c.features)
                    .cluster(c.cluster)
                    .cluster(c.pod)
                    .start()) {
                assertThat(scheduler.plugin(GangScheduling.class).preEnqueue(c.pod))
                        .isEqualTo(c.status);
            }
        }
    }

    @Nested
    class PlacementFeasible {
        /**
         * A group that is tried.
         *
         * @param minimum what it needs; 0 for the basic policy
         * @param before how many of it have a node before
         * @param found whether a node is found for each of the next ones, as far as they are tried
         * @param outcomes the answer after each
         */
        record Case(String name, int minimum, int children, int before, List<Boolean> found, List<Outcome> outcomes) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case(
                    "all are needed, and all fit",
                    2,
                    2,
                    0,
                    List.of(true, true),
                    List.of(Outcome.WAIT, Outcome.FEASIBLE)),
            new Case(
                    "all are needed, and the first does not fit",
                    3,
                    3,
                    0,
                    List.of(false),
                    List.of(Outcome.UNSCHEDULABLE)),
            new Case(
                    "all are needed, and the second does not fit",
                    2,
                    2,
                    0,
                    List.of(true, false),
                    List.of(Outcome.WAIT, Outcome.UNSCHEDULABLE)),
            new Case("a basic group of which none fits", 0, 1, 0, List.of(false), List.of(Outcome.UNSCHEDULABLE)),
            new Case(
                    "a basic group of which one fits",
                    0,
                    2,
                    0,
                    List.of(false, true),
                    List.of(Outcome.WAIT, Outcome.FEASIBLE)),
            new Case(
                    "more than are needed fit",
                    2,
                    3,
                    0,
                    List.of(true, true, true),
                    List.of(Outcome.WAIT, Outcome.FEASIBLE, Outcome.FEASIBLE)),
            new Case(
                    "of more than are needed the first does not fit",
                    2,
                    3,
                    0,
                    List.of(false, true, true),
                    List.of(Outcome.WAIT, Outcome.WAIT, Outcome.FEASIBLE)),
            new Case(
                    "of more than are needed too many do not fit",
                    2,
                    3,
                    0,
                    List.of(false, false),
                    List.of(Outcome.WAIT, Outcome.UNSCHEDULABLE)),
            new Case(
                    "those that have a node count",
                    3,
                    2,
                    1,
                    List.of(true, true),
                    List.of(Outcome.WAIT, Outcome.FEASIBLE)),
            new Case("enough have a node already", 2, 1, 2, List.of(false), List.of(Outcome.FEASIBLE)),
            new Case(
                    "with those that have a node it is too few if one does not fit",
                    3,
                    2,
                    1,
                    List.of(false),
                    List.of(Outcome.UNSCHEDULABLE)),
            new Case(
                    "with those that have a node it is too few even if all fit",
                    4,
                    2,
                    1,
                    List.of(true),
                    List.of(Outcome.UNSCHEDULABLE)),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void saysWhenEnoughHaveANode(Case c) {
            PodGroup.Builder pods = podGroup("g");
            var groups = composite("g");
            if (c.minimum > 0) {
                pods.gang(c.minimum);
                groups.gang(c.minimum);
            }
            assertThat(outcomes(c, pods.build())).isEqualTo(c.outcomes);
            assertThat(outcomes(c, groups.build())).isEqualTo(c.outcomes);
        }

        private static List<Outcome> outcomes(Case c, SchedulingGroup group) {
            List<Outcome> outcomes = new ArrayList<>();
            int scheduled = c.before;
            int remaining = c.children;
            for (boolean isFound : c.found) {
                scheduled += isFound ? 1 : 0;
                remaining--;
                outcomes.add(ask(group, remaining, scheduled).outcome());
            }
            return outcomes;
        }

        private static PlacementFeasibleResult ask(SchedulingGroup group, int remaining, int scheduled) {
            try (TestScheduler scheduler = PLUGIN.features(COMPOSITES).start()) {
                return scheduler
                        .plugin(GangScheduling.class)
                        .placementFeasible(new CycleState(), info(group), PlacementProgress.of(remaining, scheduled));
            }
        }

        @Test
        void saysHowManyAreMissing() {
            PodGroup gang = podGroup("g").gang(3).build();

            assertThat(ask(gang, 1, 1).reason())
                    .isEqualTo("minCount (3) cannot be satisfied: 1 scheduled, 1 remaining");
            assertThat(ask(gang, 2, 1).reason())
                    .isEqualTo("minCount (3) is not yet satisfied: 1 scheduled, 2 remaining");
            assertThat(ask(composite("c").gang(2).build(), 0, 1).reason())
                    .isEqualTo("minCount (2) cannot be satisfied: 1 scheduled, 0 remaining");
        }
    }

    @Nested
    class Permit {
        private static final PermitResult WAITS = PermitResult.waitAtMost(Duration.ofMinutes(5));
        private static final List<ClusterObject> GANG_OF_3 =
                List.of(podGroup("g").gang(3).build());

        /** A pod asks that is counted as one with a node already. */
        record Case(
                String name,
                FeatureGates features,
                Pod pod,
                List<ClusterObject> cluster,
                PermitResult result,
                List<String> activated) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case(
                    "a pod of no group",
                    COMPOSITES,
                    Pods.named("p").on("n").build(),
                    List.of(),
                    PermitResult.allow(),
                    List.of()),
            new Case(
                    "no pod of a basic group waits",
                    GROUPS,
                    running("p", "g", "n"),
                    List.of(podGroup("g").build(), waiting("q", "g")),
                    PermitResult.allow(),
                    List.of()),
            new Case(
                    "no pod of a basic group waits, with composites",
                    COMPOSITES,
                    running("p", "g", "n"),
                    List.of(podGroup("g").build(), waiting("q", "g")),
                    PermitResult.allow(),
                    List.of()),
            new Case(
                    "too few have a node",
                    GROUPS,
                    running("p", "g", "n"),
                    cluster(GANG_OF_3, running("q", "g", "n"), waiting("r", "g"), waiting("s", "other")),
                    WAITS,
                    List.of("r")),
            new Case(
                    "too few have a node, with composites",
                    COMPOSITES,
                    running("p", "g", "n"),
                    cluster(GANG_OF_3, running("q", "g", "n"), waiting("r", "g"), waiting("s", "other")),
                    WAITS,
                    List.of("r")),
            new Case(
                    "enough have a node",
                    GROUPS,
                    running("p", "g", "n"),
                    cluster(GANG_OF_3, running("q", "g", "n"), running("r", "g", "n"), waiting("s", "g")),
                    PermitResult.allow(),
                    List.of()),
            new Case(
                    "enough have a node, with composites",
                    COMPOSITES,
                    running("p", "g", "n"),
                    cluster(GANG_OF_3, running("q", "g", "n"), running("r", "g", "n"), waiting("s", "g")),
                    PermitResult.allow(),
                    List.of()),
            new Case(
                    "the tree is complete",
                    COMPOSITES,
                    running("p", "any1", "n"),
                    cluster(TREE, running("q", "low1", "n"), running("r", "low2", "n"), waiting("s", "two1")),
                    PermitResult.allow(),
                    List.of()),
            new Case(
                    "the tree is not complete, so all of it are tried soon",
                    COMPOSITES,
                    running("p", "any1", "n"),
                    cluster(TREE, running("q", "low1", "n"), waiting("r", "low2"), waiting("s", "two1")),
                    WAITS,
                    List.of("r", "s")),
            new Case(
                    "without composites the tree does not matter",
                    GROUPS,
                    running("p", "any1", "n"),
                    cluster(TREE, waiting("r", "low2")),
                    PermitResult.allow(),
                    List.of()),
            new Case(
                    "also below a basic group a gang is complete or none",
                    COMPOSITES,
                    running("p", "g2", "n"),
                    cluster(BASIC_TREE, waiting("q", "g1"), waiting("r", "g1")),
                    WAITS,
                    List.of("q", "r")),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void hasPodsWaitForTheOthers(Case c) {
            try (TestScheduler scheduler = start(c.features, c.pod, c.cluster)) {
                PermitResult result = permit(scheduler, c.pod);

                assertThat(result.status()).isEqualTo(c.result.status());
                assertThat(result.timeout()).isEqualTo(c.result.timeout());
                assertThat(scheduler.activated())
                        .extracting(Pod::name)
                        .containsExactlyInAnyOrderElementsOf(c.activated);
            }
        }

        private static TestScheduler start(FeatureGates features, Pod pod, List<ClusterObject> others) {
            return PLUGIN.features(features)
                    .cluster(Nodes.named("n").build())
                    .cluster(others)
                    .cluster(pod)
                    .start();
        }

        private static PermitResult permit(TestScheduler scheduler, Pod pod) {
            List<PermitResult> results = new ArrayList<>();
            scheduler.inCycle(
                    Pods.named("asking").build(),
                    (state, snapshot) ->
                            results.add(scheduler.plugin(GangScheduling.class).permit(state, pod, pod.nodeName())));
            return results.get(0);
        }

        @Test
        void letsTheOthersGoWithTheLast() {
            Pod first = waiting("p", "g");
            Pod second = waiting("q", "g");
            try (TestScheduler scheduler = PLUGIN.features(GROUPS)
                    .cluster(podGroup("g").gang(2).build(), Nodes.named("n").build(), first, second)
                    .start()) {
                List<Decision> ignored = scheduler.scheduleAll();

                assertThat(scheduler.answers("permit"))
                        .map(answer -> ((PermitResult) answer).timeout())
                        .containsExactly(WAITS.timeout(), Optional.empty());
                assertThat(scheduler.waitingPods()).isEmpty();
                assertThat(scheduler.nodeOf(first)).hasValue("n");
                assertThat(scheduler.nodeOf(second)).hasValue("n");
            }
        }

        @Test
        void failsForAGroupThatIsNotThere() {
            Pod pod = running("p", "g", "n");
            try (TestScheduler scheduler = start(GROUPS, pod, List.of())) {
                assertThatThrownBy(() -> permit(scheduler, pod))
                        .hasMessageContaining("failed to get podGroup default/g: "
                                + "pod group object not found for pod group podgroup/default/g");
            }
            try (TestScheduler scheduler = start(COMPOSITES, pod, List.of())) {
                assertThatThrownBy(() -> permit(scheduler, pod))
                        .hasMessageContaining("failed to build hierarchy snapshot: "
                                + "pod group object not found in state for podgroup/default/g");
            }
        }
    }

    @Nested
    class Events {
        @Test
        void waitsForPodsAndGroups() {
            PLUGIN.features(GROUPS)
                    .registers(
                            "UnscheduledPodAdd",
                            "AssignedPodAdd",
                            "scheduling.k8s.io/PodGroupAdd",
                            "scheduling.k8s.io/PodGroupUpdate");
            PLUGIN.features(COMPOSITES)
                    .registers(
                            "UnscheduledPodAdd",
                            "AssignedPodAdd",
                            "scheduling.k8s.io/PodGroupAdd",
                            "scheduling.k8s.io/PodGroupUpdate",
                            "scheduling.k8s.io/CompositePodGroupAdd");
        }

        /** The expected results without and with composite groups. */
        record Case(
                String name,
                Pod pod,
                List<ClusterObject> cluster,
                ObjectChange<? extends ClusterObject> change,
                Hint hint,
                Hint withComposites) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final Pod POD = waiting("p", "g");
        private static final PodGroup GROUP = podGroup("g").gang(3).build();
        private static final PodGroup CHILD = podGroup("g").parentName("root").build();
        private static final PodGroup SIBLING =
                podGroup("sibling").parentName("root").build();
        private static final PodGroup STRANGER =
                podGroup("stranger").parentName("root2").build();
        private static final List<ClusterObject> FAMILY =
                List.of(composite("root").build(), composite("root2").build(), CHILD, SIBLING, STRANGER);

        static final Case[] CASES = {
            new Case(
                    "a pod of the same group",
                    POD,
                    List.of(GROUP),
                    ObjectChange.added(waiting("q", "g")),
                    Hint.QUEUE,
                    Hint.QUEUE),
            new Case(
                    "a pod of the same group that has a node",
                    POD,
                    List.of(GROUP),
                    ObjectChange.added(running("q", "g", "n")),
                    Hint.QUEUE,
                    Hint.QUEUE),
            new Case(
                    "a pod of a group that is not known",
                    POD,
                    List.of(),
                    ObjectChange.added(waiting("q", "g")),
                    Hint.QUEUE,
                    Hint.SKIP),
            new Case(
                    "a pod of a group of that name in another namespace",
                    POD,
                    List.of(GROUP),
                    ObjectChange.added(
                            Pods.named("q").namespace("other").podGroup("g").build()),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case(
                    "a pod of another group",
                    POD,
                    List.of(GROUP, podGroup("h").build()),
                    ObjectChange.added(waiting("q", "h")),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case(
                    "a pod of no group",
                    POD,
                    List.of(GROUP),
                    ObjectChange.added(Pods.named("q").build()),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case(
                    "a pod for a pod of no group",
                    Pods.named("p").build(),
                    List.of(GROUP),
                    ObjectChange.added(waiting("q", "g")),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case(
                    "a pod of another group below the same root",
                    POD,
                    FAMILY,
                    ObjectChange.added(waiting("q", "sibling")),
                    Hint.SKIP,
                    Hint.QUEUE),
            new Case(
                    "a pod of a group below another root",
                    POD,
                    FAMILY,
                    ObjectChange.added(waiting("q", "stranger")),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case("the group", POD, List.of(GROUP), ObjectChange.added(GROUP), Hint.QUEUE, Hint.QUEUE),
            new Case(
                    "another group",
                    POD,
                    List.of(GROUP, podGroup("h").build()),
                    ObjectChange.added(podGroup("h").build()),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case(
                    "another group below the same root",
                    POD,
                    FAMILY,
                    ObjectChange.added(SIBLING),
                    Hint.SKIP,
                    Hint.QUEUE),
            new Case("a group below another root", POD, FAMILY, ObjectChange.added(STRANGER), Hint.SKIP, Hint.SKIP),
            new Case(
                    "a lower minimum",
                    POD,
                    List.of(GROUP),
                    ObjectChange.updated(podGroup("g").gang(4).build(), GROUP),
                    Hint.QUEUE,
                    Hint.QUEUE),
            new Case(
                    "a higher minimum",
                    POD,
                    List.of(GROUP),
                    ObjectChange.updated(podGroup("g").gang(2).build(), GROUP),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case(
                    "the same minimum",
                    POD,
                    List.of(GROUP),
                    ObjectChange.updated(
                            GROUP, podGroup("g").gang(3).priority(5).build()),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case(
                    "a change of a basic group",
                    POD,
                    List.of(podGroup("g").build()),
                    ObjectChange.updated(
                            podGroup("g").build(), podGroup("g").priority(5).build()),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case(
                    "a gang that becomes a basic group",
                    POD,
                    List.of(podGroup("g").build()),
                    ObjectChange.updated(GROUP, podGroup("g").build()),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case(
                    "a lower minimum of another group",
                    POD,
                    List.of(GROUP, podGroup("h").gang(3).build()),
                    ObjectChange.updated(
                            podGroup("h").gang(4).build(), podGroup("h").gang(3).build()),
                    Hint.SKIP,
                    Hint.SKIP),
            new Case(
                    "a lower minimum for a pod of no group",
                    Pods.named("p").build(),
                    List.of(GROUP),
                    ObjectChange.updated(podGroup("g").gang(4).build(), GROUP),
                    Hint.SKIP,
                    Hint.SKIP),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void queuesPodsOfTheSameHierarchy(Case c) {
            PLUGIN.features(GROUPS).cluster(c.cluster).pod(c.pod).hint(c.change, c.hint);
            PLUGIN.features(COMPOSITES).cluster(c.cluster).pod(c.pod).hint(c.change, c.withComposites);
        }

        @Test
        void queuesPodsBelowACompositeGroupThatComes() {
            PluginTester family = PLUGIN.features(COMPOSITES)
                    .cluster(FAMILY)
                    .cluster(
                            podGroup("deep").parentName("middle").build(),
                            composite("middle").parentName("root").build());
            ObjectChange<CompositePodGroup> root =
                    ObjectChange.added(composite("root").build());
            ObjectChange<CompositePodGroup> middle =
                    ObjectChange.added(composite("middle").parentName("root").build());
            ObjectChange<CompositePodGroup> other =
                    ObjectChange.added(composite("root2").build());

            family.pod(POD).hint(root, Hint.QUEUE).hint(middle, Hint.QUEUE).hint(other, Hint.SKIP);
            family.pod(waiting("p", "deep")).hint(middle, Hint.QUEUE);
            PLUGIN.features(GROUPS).cluster(FAMILY).pod(POD).isNotAskedAbout(root);
        }
    }
}
