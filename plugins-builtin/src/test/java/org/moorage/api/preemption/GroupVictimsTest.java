// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.moorage.api.preemption.KnownGroups.composite;
import static org.moorage.api.preemption.KnownGroups.podGroup;
import static org.moorage.api.preemption.KnownGroups.waiting;

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
import org.moorage.api.CycleState;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.builtin.preemption.DefaultPreemption;
import org.moorage.builtin.preemption.DefaultPreemptionTest;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/** Preemption of groups by a pod, and evictions for a group. */
class GroupVictimsTest {
    private static final FeatureGates GROUPS = FeatureGates.DEFAULTS.with(FeatureGates.GENERIC_WORKLOAD, true);
    private static final FeatureGates SYNCHRONOUS = GROUPS.with(FeatureGates.SCHEDULER_ASYNC_PREEMPTION, false);
    private static final FeatureGates COMPOSITES = GROUPS.with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
            .with(FeatureGates.COMPOSITE_POD_GROUP, true);

    private static final PluginTester PLUGIN = PluginTester.of(DefaultPreemption.FACTORY);

    private static Pods running(String name, String node, int priority, String cpu) {
        return Pods.named(name)
                .requests("cpu", cpu)
                .priority(priority)
                .started(Instant.parse("2024-01-01T00:00:00Z"))
                .on(node);
    }

    private static SchedulingGroup asOne(String name, int priority) {
        return podGroup(name, priority, group -> group.disruptionMode(DisruptionMode.ALL));
    }

    private static SchedulingGroup single(String name, int priority) {
        return podGroup(name, priority, group -> {});
    }

    private static PodDisruptionBudget budget(String app) {
        return new PodDisruptionBudget(
                ObjectMeta.named("budget").namespace("default").build(),
                Optional.of(new LabelSelector(Map.of("app", app), List.of())),
                0,
                Set.of());
    }

    private static List<ClusterObject> cluster(ClusterObject... objects) {
        List<ClusterObject> cluster = new ArrayList<>(List.of(objects));
        for (String name : List.of("n1", "n2")) {
            cluster.add(Nodes.named(name).allocatable("cpu", "2").build());
        }
        return cluster;
    }

    @Nested
    class PreemptedByAPod {
        private final Pod pod =
                Pods.named("p").requests("cpu", "2").priority(100).build();

        private record Case(
                String name,
                FeatureGates features,
                List<SchedulingGroup> groups,
                List<ClusterObject> cluster,
                String node,
                List<String> victims) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "a group that leaves as one leaves another node too",
                        GROUPS,
                        List.of(asOne("g", 0)),
                        cluster(
                                running("a", "n1", 0, "1").podGroup("g").build(),
                                running("b", "n2", 0, "1").podGroup("g").build(),
                                running("c", "n2", 100, "1").build()),
                        "n1",
                        List.of("a", "b")),
                new Case(
                        "with the feature off, it does not",
                        FeatureGates.DEFAULTS,
                        List.of(asOne("g", 0)),
                        cluster(
                                running("a", "n1", 0, "1").podGroup("g").build(),
                                running("b", "n2", 0, "1").podGroup("g").build(),
                                running("c", "n2", 100, "1").build()),
                        "n1",
                        List.of("a")),
                new Case(
                        "only the pod on the node is evicted from a group that is not evicted as a whole",
                        GROUPS,
                        List.of(single("g", 0)),
                        cluster(
                                running("a", "n1", 0, "1").podGroup("g").build(),
                                running("b", "n2", 0, "1").podGroup("g").build(),
                                running("c", "n2", 100, "1").build()),
                        "n1",
                        List.of("a")),
                new Case(
                        "a single pod is evicted before a group, regardless of the group's pods on other nodes",
                        GROUPS,
                        List.of(asOne("g", 0)),
                        cluster(
                                running("a", "n1", 0, "0").podGroup("g").build(),
                                running("b", "n2", 0, "0").podGroup("g").build(),
                                running("c", "n1", 0, "1").build(),
                                running("d", "n2", 100, "1").build()),
                        "n1",
                        List.of("c")),
                new Case(
                        "a group of a lower priority than its pods can be preempted",
                        GROUPS,
                        List.of(asOne("g", 50)),
                        cluster(
                                running("a", "n1", 1000, "1").podGroup("g").build(),
                                running("b", "n2", 1000, "1").build()),
                        "n1",
                        List.of("a")),
                new Case(
                        "nodes are compared by the pods' own priorities",
                        GROUPS,
                        List.of(asOne("g", 0)),
                        cluster(
                                running("a", "n1", 50, "1").podGroup("g").build(),
                                running("b", "n2", 10, "1").build()),
                        "n2",
                        List.of("b")),
                new Case(
                        "a node where fewer pods of a group violate a budget is better",
                        GROUPS,
                        List.of(asOne("g", 0), asOne("h", 50)),
                        cluster(
                                budget("web"),
                                running("a", "n1", 0, "1")
                                        .podGroup("g")
                                        .label("app", "web")
                                        .build(),
                                running("b", "n1", 0, "1")
                                        .podGroup("g")
                                        .label("app", "web")
                                        .build(),
                                running("c", "n2", 50, "1")
                                        .podGroup("h")
                                        .label("app", "web")
                                        .build(),
                                running("d", "n2", 50, "1").podGroup("h").build()),
                        "n2",
                        List.of("c", "d")),
                new Case(
                        "a composite group leaves with all groups below it",
                        COMPOSITES,
                        List.of(
                                composite("c", 0, group -> group.disruptionMode(DisruptionMode.ALL)),
                                podGroup("g", 0, group -> group.parentName("c")),
                                podGroup("h", 0, group -> group.parentName("c"))),
                        cluster(
                                running("a", "n1", 0, "1").podGroup("g").build(),
                                running("b", "n2", 0, "1").podGroup("h").build(),
                                running("c", "n2", 100, "1").build()),
                        "n1",
                        List.of("a", "b")));

        @ParameterizedTest
        @FieldSource("CASES")
        void whoHasToLeave(Case c) {
            PLUGIN.features(c.features)
                    .beside(DefaultPreemptionTest.ENOUGH_CPU)
                    .cluster(c.cluster)
                    .cluster(c.groups)
                    .pod(pod)
                    .preempts(c.node, c.victims.toArray(String[]::new));
        }

        @Test
        void isNoneIfTheGroupIsAsImportant() {
            List<ClusterObject> cluster = cluster(
                    running("a", "n1", 0, "1").podGroup("g").build(),
                    running("b", "n2", 0, "1").podGroup("g").build());
            PLUGIN.features(GROUPS)
                    .cluster(single("g", 100))
                    .beside(DefaultPreemptionTest.ENOUGH_CPU)
                    .cluster(cluster)
                    .pod(pod)
                    .doesNotPreempt(Status.unschedulable("preemption: 0/2 nodes are available: "
                            + "2 No preemption victims found for incoming pod."));
        }

        @Test
        void isWaitedForByThePriorityOfTheGroup() {
            Pods leaving = running("a", "n1", 1000, "1")
                    .podGroup("g")
                    .deleting(Instant.parse("2024-01-01T00:00:00Z"))
                    .status(status -> status.conditions(List.of(
                            new PodCondition(PodCondition.DISRUPTION_TARGET, "True", "PreemptionByScheduler", "", 0))));
            List<ClusterObject> cluster =
                    cluster(leaving.build(), running("b", "n2", 0, "1").build());
            PLUGIN.features(GROUPS)
                    .cluster(single("g", 0))
                    .beside(DefaultPreemptionTest.ENOUGH_CPU)
                    .cluster(cluster)
                    .pod(Pods.named("p")
                            .requests("cpu", "2")
                            .priority(100)
                            .nominatedTo("n1")
                            .build())
                    .doesNotPreempt(Status.unschedulable(
                            "preemption: not eligible due to a terminating pod on the nominated node."));
        }

        @Test
        void isCountedByThePodsThatViolateBudgets() {
            List<ClusterObject> cluster = cluster(
                    budget("web"),
                    running("a", "n1", 0, "1").podGroup("g").label("app", "web").build(),
                    running("b", "n1", 0, "1").podGroup("g").label("app", "web").build(),
                    running("c", "n2", 100, "1").build());
            try (TestScheduler scheduler = PLUGIN.features(GROUPS)
                    .cluster(asOne("g", 0))
                    .beside(DefaultPreemptionTest.ENOUGH_CPU)
                    .cluster(cluster)
                    .start()) {
                scheduler.pod(pod).preempts("n1", "a", "b");
                assertThat(scheduler.answers("postFilter"))
                        .extracting(answer -> ((PostFilterResult) answer).pdbViolations())
                        .containsExactly(2L);
            }
        }
    }

    @Nested
    class EvictedForAGroup {
        private final Pod first = running("a", "n1", 10, "1").build();
        private final Pod second = running("b", "n2", 0, "1").build();
        private final List<Pod> members = List.of(
                Pods.named("p").podGroup("g").build(),
                Pods.named("q").podGroup("h").build());
        private final List<ClusterObject> cluster = cluster(first, second, members.get(0), members.get(1));
        private final PodGroupPostFilterResult result =
                PodGroupPostFilterResult.nominated(Map.of(), List.of(first, second), "found");

        private static final List<SchedulingGroup> TREE = List.of(
                composite("c", 0, group -> {}),
                podGroup("g", 0, group -> group.parentName("c")),
                podGroup("h", 0, group -> group.parentName("c")));

        private TestScheduler start(FeatureGates features) {
            TestScheduler scheduler =
                    PLUGIN.features(features).cluster(cluster).cluster(TREE).start();
            scheduler.delayDeletions();
            return scheduler;
        }

        private static DefaultPreemption plugin(TestScheduler scheduler) {
            return scheduler.plugin(DefaultPreemption.class);
        }

        private PodGroupInfo preemptor(int group) {
            return waiting(TREE.get(group), members);
        }

        private record Kind(String name, FeatureGates features, int group, String type) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Kind> KINDS = List.of(
                new Kind("a pod group", GROUPS, 1, "podgroup"),
                new Kind("a composite group", COMPOSITES, 0, "compositepodgroup"),
                new Kind("a pod group, not in the background", SYNCHRONOUS, 1, "podgroup"));

        @ParameterizedTest
        @FieldSource("KINDS")
        void areReported(Kind c) {
            try (TestScheduler scheduler = start(c.features)) {
                plugin(scheduler).execute(new CycleState(), preemptor(c.group), result);
                SchedulingGroup group = TREE.get(c.group);
                List<PodEvent> events = scheduler.writes().stream()
                        .map(write -> write.arguments().get(0))
                        .filter(PodEvent.class::isInstance)
                        .map(PodEvent.class::cast)
                        .toList();
                assertThat(events)
                        .extracting(PodEvent::pod)
                        .extracting(Pod::name)
                        .containsExactly("a", "b");
                assertThat(events).allSatisfy(event -> {
                    assertThat(event.related()).contains(group);
                    assertThat(event.reason()).isEqualTo("Preempted");
                    assertThat(event.action()).isEqualTo("Preempting");
                    assertThat(event.note())
                            .isEqualTo("Preempted by " + c.type + " uid of " + group.name() + " on node cluster");
                });
                assertThat(scheduler.cluster().find(ObjectKind.POD, "default", "a"))
                        .hasValueSatisfying(pod -> assertThat(pod.status().conditions())
                                .extracting(PodCondition::type, PodCondition::reason, PodCondition::message)
                                .containsExactly(tuple(
                                        "DisruptionTarget",
                                        "PreemptionByScheduler",
                                        "default-scheduler: preempting to accommodate a higher priority " + c.type)));
            }
        }

        private static final Status UNDER_WAY =
                Status.unresolvable("waiting for the preemption for this pod group to be finished");

        private record Gate(String name, FeatureGates features, int preemptor, String group, Status status) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Gate> GATES = List.of(
                new Gate("a pod of the group is kept out", GROUPS, 1, "g", UNDER_WAY),
                new Gate("a pod of another group is not", GROUPS, 1, "other", Status.success()),
                new Gate("a pod of a group that is not known is not", GROUPS, 1, "missing", Status.success()),
                new Gate("a pod without a group is not", GROUPS, 1, "", Status.success()),
                new Gate("a pod below the composite group is kept out", COMPOSITES, 0, "h", UNDER_WAY),
                new Gate(
                        "a pod of another group than the composite one is not",
                        COMPOSITES,
                        0,
                        "other",
                        Status.success()),
                new Gate("no pod is, without background evictions", SYNCHRONOUS, 1, "g", Status.success()),
                new Gate(
                        "the group does not count with the feature off",
                        FeatureGates.DEFAULTS,
                        1,
                        "g",
                        Status.success()));

        @ParameterizedTest
        @FieldSource("GATES")
        void keepTheGroupOutUntilTheLastOneIsSeenToGo(Gate c) {
            Pod asked = Pods.named("asked").podGroup(c.group).build();
            cluster.add(asked);
            try (TestScheduler scheduler = PLUGIN.features(c.features)
                    .cluster(cluster)
                    .cluster(TREE)
                    .cluster(single("other", 0))
                    .start()) {
                scheduler.delayDeletions();
                plugin(scheduler).execute(new CycleState(), preemptor(c.preemptor), result);
                assertThat(plugin(scheduler).preEnqueue(asked)).isEqualTo(c.status);
                scheduler.cluster().remove(second);
                assertThat(plugin(scheduler).preEnqueue(asked)).isEqualTo(Status.success());
            }
        }

        @Test
        void haveAllPodsTriedAgainIfOneCannotBeEvicted() {
            try (TestScheduler scheduler = start(GROUPS)) {
                scheduler.failWrites(new ClusterException("no", 500, null));
                plugin(scheduler).execute(new CycleState(), preemptor(1), result);
                assertThat(scheduler.activatedAfterBackoff()).isEqualTo(members);
            }
        }

        @Test
        void areNoneIfTheGroupOnlyWaits() {
            try (TestScheduler scheduler = start(GROUPS)) {
                plugin(scheduler)
                        .execute(
                                new CycleState(),
                                preemptor(1),
                                PodGroupPostFilterResult.nominated(Map.of(), List.of(), "ongoing"));
                assertThat(scheduler.writes()).isEmpty();
                assertThat(plugin(scheduler).preEnqueue(members.get(0))).isEqualTo(Status.success());
            }
        }
    }
}
