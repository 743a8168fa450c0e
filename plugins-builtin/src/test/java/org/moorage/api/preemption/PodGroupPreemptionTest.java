// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.api.preemption.KnownGroups.composite;
import static org.moorage.api.preemption.KnownGroups.podGroup;
import static org.moorage.api.preemption.KnownGroups.waiting;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.builtin.preemption.DefaultPreemption;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/** What DefaultPreemption decides for a group of pods. */
class PodGroupPreemptionTest {
    private static final int LOW = 0;
    private static final int MID = 100;
    private static final int HIGH = 1000;

    private static final FeatureGates GROUPS = FeatureGates.DEFAULTS.with(FeatureGates.GENERIC_WORKLOAD, true);
    private static final FeatureGates OWN_POLICY = GROUPS.with(FeatureGates.POD_GROUP_PREEMPTION_POLICY, true);

    private static final Status NO_VICTIMS =
            Status.unresolvable("pod group preemption: No preemption victims found for incoming preemptor");
    private static final Status NEVER =
            Status.unschedulable("pod group preemption: not eligible due to preemptionPolicy=Never.");
    private static final String ONGOING = "pod group preemption: ongoing preemption on nominated nodes";

    private static Pods running(String name, String node, int priority) {
        return Pods.named(name).on(node).priority(priority);
    }

    private static Pods member(String name, String node, int priority, String group) {
        return running(name, node, priority).podGroup(group);
    }

    private static Pods leaving(String name, String node, int priority) {
        return running(name, node, priority)
                .deleting(Instant.parse("2024-01-01T00:00:00Z"))
                .status(status -> status.conditions(List.of(
                        new PodCondition(PodCondition.DISRUPTION_TARGET, "True", "PreemptionByScheduler", "", 0))));
    }

    private static Pods waitingPod(String name) {
        return Pods.named(name).priority(HIGH).podGroup("preemptor");
    }

    private static PodGroup single(String name, int priority) {
        return podGroup(name, priority, group -> {});
    }

    private static PodGroup asOne(String name, int priority) {
        return podGroup(name, priority, group -> group.disruptionMode(DisruptionMode.ALL));
    }

    private static final PodGroup PREEMPTOR = single("preemptor", HIGH);

    private static List<Pod> built(Pods... pods) {
        return List.of(pods).stream().map(Pods::build).toList();
    }

    /** Nodes by their names, with that much room. */
    private static Map<String, Integer> nodes(Object... namesAndRooms) {
        Map<String, Integer> nodes = new LinkedHashMap<>();
        for (int i = 0; i < namesAndRooms.length; i += 2) {
            nodes.put((String) namesAndRooms[i], (Integer) namesAndRooms[i + 1]);
        }
        return nodes;
    }

    private static Map<String, Integer> nodesForOne(int count) {
        Map<String, Integer> nodes = new LinkedHashMap<>();
        for (int i = 1; i <= count; i++) {
            nodes.put("n" + i, 1);
        }
        return nodes;
    }

    private static PodDisruptionBudget budget(int allowed) {
        return new PodDisruptionBudget(
                ObjectMeta.named("budget").namespace("default").build(),
                Optional.of(new LabelSelector(Map.of("app", "web"), List.of())),
                allowed,
                Set.of());
    }

    private static PodGroupPostFilterResult decide(
            FeatureGates features, List<? extends ClusterObject> cluster, PodGroupInfo group, PodGroupTrial trial) {
        try (TestScheduler scheduler = PluginTester.of(DefaultPreemption.FACTORY)
                .features(features)
                .cluster(cluster)
                .start()) {
            PodGroupPostFilterResult result =
                    scheduler.plugin(DefaultPreemption.class).podGroupPostFilter(new CycleState(), group, trial);
            assertThat(scheduler.writes()).isEmpty();
            return result;
        }
    }

    /**
     * A group of pods that does not fit.
     *
     * @param victims those that leave, the most important first
     * @param disruptions how many of the victims are groups or their pods
     * @param violations how many of them violate the budget
     */
    private record Case(
            String name,
            Map<String, Integer> nodes,
            List<Pod> pods,
            List<SchedulingGroup> groups,
            SchedulingGroup preemptor,
            List<Pod> waiting,
            List<PodDisruptionBudget> budgets,
            List<String> victims,
            int disruptions,
            int violations) {
        Case(String name, Map<String, Integer> nodes, List<Pod> pods, List<SchedulingGroup> groups) {
            this(name, nodes, pods, groups, PREEMPTOR, built(waitingPod("p")), List.of(), List.of(), 0, 0);
        }

        Case by(SchedulingGroup group, Pods... members) {
            return new Case(
                    name, nodes, pods, groups, group, built(members), budgets, victims, disruptions, violations);
        }

        Case withBudget(int allowed) {
            return new Case(
                    name,
                    nodes,
                    pods,
                    groups,
                    preemptor,
                    waiting,
                    List.of(budget(allowed)),
                    victims,
                    disruptions,
                    violations);
        }

        Case evicts(String... names) {
            return new Case(
                    name, nodes, pods, groups, preemptor, waiting, budgets, List.of(names), disruptions, violations);
        }

        Case counting(int groupDisruptions, int pdbViolations) {
            return new Case(
                    name, nodes, pods, groups, preemptor, waiting, budgets, victims, groupDisruptions, pdbViolations);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final Pods[] THREE = {waitingPod("a"), waitingPod("b"), waitingPod("c")};

    static final List<Case> CASES = List.of(
            new Case(
                            "a lone pod is less important than a pod of a group",
                            nodes("n1", 2),
                            built(running("p1", "n1", LOW), member("p2", "n1", LOW, "g")),
                            List.of(single("g", LOW)))
                    .evicts("p1"),
            new Case(
                            "of two pods of a group the one that started later leaves",
                            nodes("n1", 2),
                            built(
                                    member("p1", "n1", LOW, "g").started(Instant.ofEpochSecond(1)),
                                    member("p2", "n1", LOW, "g").started(Instant.ofEpochSecond(0))),
                            List.of(single("g", LOW)))
                    .evicts("p1")
                    .counting(1, 0),
            new Case(
                            "a group that leaves as one leaves with its pods on other nodes",
                            nodesForOne(2),
                            built(member("p1", "n1", LOW, "g"), member("p2", "n2", LOW, "g")),
                            List.of(asOne("g", LOW)))
                    .evicts("p1", "p2")
                    .counting(1, 0),
            new Case(
                            "such a group leaves with its pods on nodes that are gone",
                            nodesForOne(1),
                            built(member("p1", "n1", LOW, "g"), member("p2", "gone", LOW, "g")),
                            List.of(asOne("g", LOW)))
                    .evicts("p1", "p2")
                    .counting(1, 0),
            new Case(
                            "pods that are not in the way stay, in groups and alone",
                            nodes("n1", 2, "n2", 1, "n3", 2, "n4", 2, "n5", 2),
                            built(
                                    member("p1", "n1", LOW, "g1").started(Instant.ofEpochSecond(2)),
                                    member("p2", "n2", LOW, "g1").started(Instant.ofEpochSecond(1)),
                                    member("p3", "n3", LOW, "g2").started(Instant.ofEpochSecond(0)),
                                    running("p4", "n4", MID),
                                    member("p5", "n5", HIGH, "g3")),
                            List.of(single("g1", LOW), single("g2", LOW), single("g3", HIGH)))
                    .by(PREEMPTOR, THREE)
                    .evicts("p2")
                    .counting(1, 0),
            new Case(
                            "a pod that a budget protects stays if another can leave",
                            nodes("n1", 2),
                            built(member("p1", "n1", LOW, "g").label("app", "web"), member("p2", "n1", LOW, "g")),
                            List.of())
                    .withBudget(0)
                    .evicts("p2")
                    .counting(1, 0),
            new Case(
                            "the nodes that the group found first decide who leaves",
                            nodesForOne(3),
                            built(
                                    running("p1", "n1", LOW),
                                    member("p2", "n2", LOW, "g1"),
                                    member("p3", "n3", LOW, "g2")),
                            List.of(single("g1", LOW), single("g2", LOW)))
                    .evicts("p1"),
            new Case(
                            "pods that leave already are victims on a node that is not nominated",
                            nodesForOne(2),
                            built(leaving("victim", "n2", LOW), running("other", "n1", LOW)),
                            List.of())
                    .by(PREEMPTOR, waitingPod("a"), waitingPod("b").nominatedTo("n1"))
                    .evicts("other", "victim"),
            new Case(
                            "a pod that leaves counts by the priority of its group",
                            nodes("n1", 2, "n2", 1),
                            built(leaving("victim", "n1", LOW).podGroup("g"), running("other", "n1", LOW)),
                            List.of(asOne("g", HIGH)))
                    .by(
                            single("preemptor", MID),
                            waitingPod("a"),
                            waitingPod("b").nominatedTo("n1"))
                    .evicts("other"),
            new Case("one pod leaves for one", nodesForOne(1), built(running("p1", "n1", LOW)), List.of()).evicts("p1"),
            new Case(
                            "of two that both suffice the less important leaves",
                            nodes("n1", 3),
                            built(running("p1", "n1", LOW), running("p2", "n1", MID), running("p3", "n1", HIGH)),
                            List.of())
                    .evicts("p1"),
            new Case(
                            "all that are less important leave if need be, the most important one first",
                            nodes("n1", 2),
                            built(running("p1", "n1", LOW), running("p2", "n1", MID), running("p3", "n1", HIGH)),
                            List.of())
                    .evicts("p2", "p1"),
            new Case(
                            "no more leave than have to",
                            nodes("n1", 3),
                            built(
                                    running("p1", "n1", LOW),
                                    running("p2", "n1", LOW),
                                    running("p3", "n1", LOW),
                                    running("p4", "n1", LOW)),
                            List.of())
                    .evicts("p3", "p4"),
            new Case(
                            "a budget protects a less important pod from one that is more important",
                            nodes("n1", 2),
                            built(running("p1", "n1", LOW).label("app", "web"), running("p2", "n1", MID)),
                            List.of())
                    .withBudget(0)
                    .evicts("p2"),
            new Case(
                            "of two that a budget protects the less important leaves",
                            nodes("n1", 2),
                            built(
                                    running("p1", "n1", LOW).label("app", "web"),
                                    running("p2", "n1", MID).label("app", "web")),
                            List.of())
                    .withBudget(0)
                    .evicts("p1")
                    .counting(0, 1),
            new Case(
                            "a lone pod leaves before a group",
                            nodes("n1", 3),
                            built(running("p1", "n1", LOW), member("g1", "n1", LOW, "g"), member("g2", "n1", LOW, "g")),
                            List.of(asOne("g", LOW)))
                    .evicts("p1"),
            new Case(
                            "a group of a lower priority is evicted before a single pod, although one of its pods would suffice",
                            nodes("n1", 3),
                            built(member("g1", "n1", LOW, "g"), member("g2", "n1", LOW, "g"), running("p1", "n1", MID)),
                            List.of(asOne("g", LOW)))
                    .evicts("g1", "g2")
                    .counting(1, 0),
            new Case(
                            "a group stays if a budget protects one of its pods",
                            nodes("n1", 3),
                            built(
                                    member("g1", "n1", LOW, "g").label("app", "web"),
                                    member("g2", "n1", LOW, "g"),
                                    running("p1", "n1", MID)),
                            List.of(asOne("g", LOW)))
                    .withBudget(0)
                    .evicts("p1"),
            new Case(
                            "of a group each pod that violates a budget counts",
                            nodes("n1", 2),
                            built(
                                    member("g1", "n1", LOW, "g").label("app", "web"),
                                    member("g2", "n1", LOW, "g").label("app", "web")),
                            List.of(asOne("g", LOW)))
                    .withBudget(0)
                    .evicts("g1", "g2")
                    .counting(1, 2),
            new Case(
                            "pods are as important as their group, if it is less important than they are",
                            nodesForOne(2),
                            built(member("p1", "n1", HIGH, "g"), member("p2", "n2", HIGH, "g")),
                            List.of(asOne("g", MID)))
                    .evicts("p1", "p2")
                    .counting(1, 0),
            new Case(
                            "a gang that needs one pod takes the room of those that are less important",
                            nodesForOne(4),
                            built(
                                    running("p1", "n1", LOW),
                                    running("p2", "n2", LOW),
                                    running("p3", "n3", HIGH),
                                    running("p4", "n4", HIGH)),
                            List.of())
                    .by(podGroup("preemptor", HIGH, group -> group.gang(1)), THREE)
                    .evicts("p1", "p2"),
            new Case(
                            "a gang takes the room of a group and of a lone pod",
                            nodesForOne(3),
                            built(member("v1", "n1", MID, "g"), member("v2", "n2", MID, "g"), running("v3", "n3", LOW)),
                            List.of(asOne("g", MID)))
                    .by(podGroup("preemptor", HIGH, group -> group.gang(1)), THREE)
                    .evicts("v1", "v2", "v3")
                    .counting(1, 0),
            new Case(
                            "a group that is as important stays, and some pods of the preemptor wait",
                            nodesForOne(4),
                            built(
                                    member("v1", "n1", MID, "g1"),
                                    member("v2", "n2", MID, "g1"),
                                    member("v3", "n3", HIGH, "g2"),
                                    member("v4", "n4", HIGH, "g2")),
                            List.of(asOne("g1", MID), asOne("g2", HIGH)))
                    .by(PREEMPTOR, THREE)
                    .evicts("v1", "v2")
                    .counting(1, 0));

    @ParameterizedTest
    @FieldSource("CASES")
    void whoHasToLeave(Case c) {
        PodGroupInfo group = waiting(c.preemptor, c.waiting);
        List<ClusterObject> cluster = new ArrayList<>(c.waiting);
        cluster.addAll(c.budgets);
        PodGroupTrial trial = new RoomTrial(c.nodes, c.pods, new KnownGroups(c.groups, c.pods), group);
        PodGroupPostFilterResult result = decide(GROUPS, cluster, group, trial);
        assertThat(result.status().reasons())
                .containsExactly("pod group preemption: found a placement for podgroup, preempting " + c.victims.size()
                        + " victims");
        assertThat(result.victims()).extracting(Pod::name).isEqualTo(c.victims);
        assertThat(result.groupDisruptions()).isEqualTo(c.disruptions);
        assertThat(result.pdbViolations()).isEqualTo(c.violations);
    }

    /** A group for which preemption cannot help. */
    private record Rejection(
            String name,
            FeatureGates features,
            SchedulingGroup preemptor,
            List<Pod> waiting,
            List<Pod> pods,
            List<SchedulingGroup> groups,
            Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<Pod> VICTIM = built(running("v", "n1", LOW));
    private static final List<Pod> WILLING = built(waitingPod("p"));
    private static final List<Pod> ONE_IS_UNWILLING =
            built(waitingPod("p"), waitingPod("q").preemptionPolicy("Never"));

    static final List<Rejection> REJECTIONS = List.of(
            new Rejection(
                    "whose pods do not all preempt",
                    GROUPS,
                    podGroup("preemptor", HIGH, group -> group.preemptionPolicy("PreemptLowerPriority")),
                    ONE_IS_UNWILLING,
                    VICTIM,
                    List.of(),
                    NEVER),
            new Rejection(
                    "a composite group whose pods do not all preempt",
                    GROUPS,
                    composite("preemptor", HIGH, group -> {}),
                    ONE_IS_UNWILLING,
                    VICTIM,
                    List.of(),
                    NEVER),
            new Rejection(
                    "that does not preempt as it says itself, where that counts",
                    OWN_POLICY,
                    podGroup("preemptor", HIGH, group -> group.preemptionPolicy("Never")),
                    WILLING,
                    VICTIM,
                    List.of(),
                    NEVER),
            new Rejection(
                    "a composite group that does not preempt as it says itself, where that counts",
                    OWN_POLICY,
                    composite("preemptor", HIGH, group -> group.preemptionPolicy("Never")),
                    WILLING,
                    VICTIM,
                    List.of(),
                    NEVER),
            new Rejection(
                    "where all are more important",
                    GROUPS,
                    single("preemptor", MID),
                    WILLING,
                    built(running("v", "n1", HIGH)),
                    List.of(),
                    NO_VICTIMS),
            new Rejection(
                    "where all are as important",
                    GROUPS,
                    single("preemptor", MID),
                    WILLING,
                    built(running("v", "n1", MID)),
                    List.of(),
                    NO_VICTIMS),
            new Rejection("without running pods", GROUPS, PREEMPTOR, WILLING, List.of(), List.of(), NO_VICTIMS),
            new Rejection(
                    "where the group of the pods is as important",
                    GROUPS,
                    single("preemptor", MID),
                    WILLING,
                    built(member("v", "n1", LOW, "g")),
                    List.of(asOne("g", MID)),
                    NO_VICTIMS),
            new Rejection(
                    "for whom there is too little room without all that may leave",
                    GROUPS,
                    podGroup("preemptor", HIGH, group -> group.gang(2)),
                    built(waitingPod("a"), waitingPod("b")),
                    VICTIM,
                    List.of(),
                    Status.unschedulable("pod group preemption: too few")));

    @ParameterizedTest
    @FieldSource("REJECTIONS")
    void isNoHelpForAGroup(Rejection c) {
        PodGroupInfo group = waiting(c.preemptor, c.waiting);
        PodGroupTrial trial = new RoomTrial(nodesForOne(1), c.pods, new KnownGroups(c.groups, c.pods), group);
        assertThat(decide(c.features, c.waiting, group, trial)).isEqualTo(PodGroupPostFilterResult.rejected(c.status));
    }

    /** Groups that preempt, regardless of their policy and that of their pods. */
    private record Willing(String name, FeatureGates features, SchedulingGroup preemptor, List<Pod> waiting) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Willing> WILLING_GROUPS = List.of(
            new Willing(
                    "whose own policy does not count",
                    GROUPS,
                    podGroup("preemptor", HIGH, group -> group.preemptionPolicy("Never")),
                    WILLING),
            new Willing(
                    "a composite group whose own policy does not count",
                    GROUPS,
                    composite("preemptor", HIGH, group -> group.preemptionPolicy("Never")),
                    WILLING),
            new Willing(
                    "whose pods' policies do not count",
                    OWN_POLICY,
                    podGroup("preemptor", HIGH, group -> group.preemptionPolicy("PreemptLowerPriority")),
                    ONE_IS_UNWILLING),
            new Willing(
                    "a composite group whose pods' policies do not count",
                    OWN_POLICY,
                    composite("preemptor", HIGH, group -> group.preemptionPolicy("PreemptLowerPriority")),
                    ONE_IS_UNWILLING),
            new Willing("without a policy where it would count", OWN_POLICY, PREEMPTOR, ONE_IS_UNWILLING));

    @ParameterizedTest
    @FieldSource("WILLING_GROUPS")
    void preemptsForAGroup(Willing c) {
        PodGroupInfo group = waiting(c.preemptor, c.waiting);
        PodGroupTrial trial = new RoomTrial(nodesForOne(1), VICTIM, new KnownGroups(List.of(), VICTIM), group);
        assertThat(decide(c.features, c.waiting, group, trial).victims()).isEqualTo(VICTIM);
    }

    @Nested
    class Ongoing {
        private record Leaving(String name, Pods pod, List<SchedulingGroup> groups) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Leaving> LEAVING = List.of(
                new Leaving("of a lower priority", leaving("v", "n1", LOW), List.of()),
                new Leaving(
                        "whose group is of a lower priority",
                        leaving("v", "n1", HIGH).podGroup("g"),
                        List.of(asOne("g", LOW))),
                new Leaving(
                        "whose group, which is not evicted as a whole, has a lower priority",
                        leaving("v", "n1", HIGH).podGroup("g"),
                        List.of(single("g", LOW))));

        @ParameterizedTest
        @FieldSource("LEAVING")
        void isWaitedForIfAPodLeavesANominatedNode(Leaving c) {
            List<Pod> pods = built(c.pod);
            List<Pod> members = built(waitingPod("a"), waitingPod("b").nominatedTo("n1"));
            PodGroupInfo group = waiting(PREEMPTOR, members);
            PodGroupTrial trial = new RoomTrial(nodesForOne(1), pods, new KnownGroups(c.groups, pods), group);
            assertThat(decide(GROUPS, members, group, trial))
                    .isEqualTo(PodGroupPostFilterResult.nominated(
                            Map.of("default/a", Nomination.clear(), "default/b", Nomination.to("n1")),
                            List.of(),
                            ONGOING));
            assertThat(trial.changes()).isZero();
        }

        @Test
        void isSeenByTheNewestNominations() {
            List<Pod> pods = built(leaving("v", "n1", LOW));
            PodGroupInfo group = waiting(PREEMPTOR, built(waitingPod("a")));
            PodGroupTrial trial = new RoomTrial(nodesForOne(1), pods, new KnownGroups(List.of(), pods), group);
            assertThat(decide(GROUPS, built(waitingPod("a").nominatedTo("n1")), group, trial))
                    .isEqualTo(PodGroupPostFilterResult.nominated(
                            Map.of("default/a", Nomination.to("n1")), List.of(), ONGOING));
        }
    }

    @Test
    void nominatesThePodsThatFoundNodes() {
        List<Pod> members = built(waitingPod("a"), waitingPod("b"));
        PodGroupInfo group = waiting(PREEMPTOR, members);
        PodGroupTrial trial = new RoomTrial(nodesForOne(1), VICTIM, new KnownGroups(List.of(), VICTIM), group);
        assertThat(decide(GROUPS, members, group, trial).nominations())
                .isEqualTo(Map.of("default/a", Nomination.to("n1")));
    }

    @Test
    void evictsACompositeGroupWithAllGroupsBelowItThatAreScheduled() {
        List<Pod> pods =
                built(member("p1", "n1", LOW, "g1"), member("p2", "n2", LOW, "g2"), member("p3", "n3", LOW, "g3"));
        Function<String, SchedulingGroup> child = name -> podGroup(name, LOW, group -> group.parentName("c"));
        List<SchedulingGroup> groups = List.of(
                composite("c", LOW, group -> group.disruptionMode(DisruptionMode.ALL)),
                child.apply("g1"),
                child.apply("g2"),
                single("g3", LOW));
        FeatureGates composites = GROUPS.with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
                .with(FeatureGates.COMPOSITE_POD_GROUP, true);
        PodGroupInfo group = waiting(composite("preemptor", HIGH, more -> {}), WILLING);
        PodGroupTrial trial = new RoomTrial(nodesForOne(3), pods, new KnownGroups(groups, pods), group);
        PodGroupPostFilterResult result = decide(composites, WILLING, group, trial);
        assertThat(result.victims()).extracting(Pod::name).containsExactly("p1", "p2");
        assertThat(result.groupDisruptions()).isEqualTo(1);
        assertThat(result.status().reasons())
                .containsExactly("pod group preemption: found a placement for podgroup, preempting 2 victims");
    }

    @Test
    void failsWhereTheGroupCannotBeTried() {
        PodGroupInfo group = waiting(PREEMPTOR, WILLING);
        RoomTrial nodes = new RoomTrial(nodesForOne(1), VICTIM, new KnownGroups(List.of(), VICTIM), group);
        assertThatThrownBy(() -> decide(GROUPS, WILLING, group, nodes.failing("no luck")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("pod group preemption: no luck");
    }
}
