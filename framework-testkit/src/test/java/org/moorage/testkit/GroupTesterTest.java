// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Placement;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.group.PlacementFeasiblePlugin;
import org.moorage.api.plugin.group.PlacementFeasibleResult;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.api.plugin.group.PlacementScorePlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.FilterPlugin;

class GroupTesterTest {
    private static final Status FULL = Status.unschedulable("node(s) were full");
    private static final Status NO_RACK = Status.unresolvable("no rack for such a group");
    private static final Status NO_VICTIMS = Status.unschedulable("no victims");

    private static final Node A1 = node("a1", "a");
    private static final Node A2 = node("a2", "a");
    private static final List<Node> B = List.of(node("b1", "b"), node("b2", "b"), node("b3", "b"));
    private static final Pod FILLER = Pods.named("filler").on("a1").build();
    private static final Pod VICTIM =
            Pods.named("victim").label("victim", "").on("a1").build();
    private static final PluginTester RACK_A = PluginTester.of(PluginFactory.of("Racks", Racks.class, Racks::new))
            .features(FeatureGates.DEFAULTS
                    .with(FeatureGates.GENERIC_WORKLOAD, true)
                    .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
                    .with(FeatureGates.COMPOSITE_POD_GROUP, true))
            .cluster(A1, A2);
    private static final PluginTester RACKS = RACK_A.cluster(B);

    private static final PodGroup GANG = PodGroups.named("g").gang(2).build();
    private static final Pod P = member("p");
    private static final Pod Q = member("q");

    private static Node node(String name, String rack) {
        return Nodes.named(name).label("rack", rack).build();
    }

    private static Pod member(String name) {
        return Pods.named(name).podGroup("g").build();
    }

    private static PodGroup saying(String what) {
        return PodGroups.named("g").gang(2).annotation("say", what).build();
    }

    record Case(String name, GroupTester group, Consumer<GroupTester> check, String... complaint) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static GroupTester empty() {
        return RACKS.group(GANG, P, Q);
    }

    private static GroupTester filled() {
        return RACKS.cluster(FILLER).group(GANG, P, Q);
    }

    private static GroupTester full() {
        return RACK_A.cluster(FILLER).group(GANG, P, Q);
    }

    static final Case[] RIGHT = {
        new Case(
                "placements",
                empty(),
                group -> group.generates("a", "b").placementHas("a", "a1", "a2").placementHas("b", "b1", "b2", "b3")),
        new Case(
                "a rejection of the group",
                RACKS.group(saying("reject"), P, Q),
                group -> group.rejectsGroup(NO_RACK)
                        .leaves(P, "no rack for such a group")
                        .isUnschedulable("no rack for such a group")),
        new Case(
                "progress in each placement",
                filled(),
                group -> group.feasible("a", 0, 2, PlacementFeasibleResult.waiting("0 of 2"))
                        .feasible("a", 1, 1, PlacementFeasibleResult.waiting("1 of 2"))
                        .feasible("a", 1, 0, PlacementFeasibleResult.unschedulable("1 of 2"))
                        .feasible("b", 2, 0, PlacementFeasibleResult.feasible())),
        new Case(
                "scores",
                empty(),
                group -> group.scoresRaw("a", 2)
                        .scoresRaw("b", 3)
                        .scores("a", 100)
                        .scores("b", 66)),
        new Case(
                "the group is placed in the best",
                empty(),
                group -> group.isScheduled().places("a1", "a2").places(P, "a1", "a2")),
        new Case(
                "the group is placed where it fits",
                filled(),
                group -> group.isScheduled().places("b1", "b2", "b3")),
        new Case(
                "pods that wait in the cluster",
                RACKS.cluster(GANG, P, Q).group(GANG),
                group -> group.isScheduled().places("a1", "a2")),
        new Case(
                "no room",
                full(),
                group -> group.doesNotPreempt(NO_VICTIMS)
                        .isUnschedulable("pod group is unschedulable, 0/1 placements are available, "
                                + "first placement status: 1 of 2, no victims")
                        .leaves(Q, "0/2 nodes are available: 2 node(s) were full.")),
        new Case(
                "room that is made",
                RACK_A.cluster(VICTIM).group(GANG, P, Q),
                group -> group.preempts("victim")
                        .isUnschedulable("pod group is unschedulable, 0/1 placements are available, "
                                + "first placement status: 1 of 2, room for it")),
        new Case(
                "a plugin that throws",
                RACKS.group(saying("throw"), P, Q),
                group -> group.fails("broken racks").leaves(P, "broken racks")),
    };

    @ParameterizedTest
    @FieldSource("RIGHT")
    void takesTheRightAnswer(Case c) {
        c.check.accept(c.group);
    }

    static final Case[] WRONG = {
        new Case(
                "other placements",
                filled(),
                group -> group.generates("b"),
                "Placements of group default/g",
                "expected: [b]",
                "answered: [a, b]",
                "GeneratePlacements: \"a\" [a1, a2], \"b\" [b1, b2, b3]",
                "PlacementFeasible 0 scheduled, 2 remaining: WAIT: 0 of 2",
                "PlacementFeasible 1 scheduled, 0 remaining: UNSCHEDULABLE: 1 of 2",
                "Results for the pods:",
                "p: on node b"),
        new Case(
                "a placement that is not there",
                empty(),
                group -> group.placementHas("c"),
                "there is no such placement"),
        new Case(
                "a rejection that is none",
                empty(),
                group -> group.rejectsGroup(NO_RACK),
                "expected: UnschedulableAndUnresolvable: \"no rack for such a group\"",
                "answered: [a, b]"),
        new Case(
                "progress that was not made",
                filled(),
                group -> group.feasible("a", 2, 0, PlacementFeasibleResult.feasible()),
                "answered: not asked; it was asked with "),
        new Case(
                "a score",
                empty(),
                group -> group.scores("a", 7),
                "expected: 7",
                "answered: 100",
                "ScorePlacement a: 2",
                "NormalizePlacementScores: [100, 66]"),
        new Case("a score where there is no choice", filled(), group -> group.scores("b", 100), "answered: not asked"),
        new Case("nodes", empty(), group -> group.places("a1"), "Pods that are not on nodes [a1]", "answered: [q]"),
        new Case("a node", empty(), group -> group.places(P, "b1"), "answered: on node a"),
        new Case(
                "a group that is not scheduled",
                full(),
                GroupTester::isScheduled,
                "Condition PodGroupInitiallyScheduled of default/g",
                "expected: True Scheduled",
                "answered: False Unschedulable: pod group is unschedulable, 0/1 placements",
                "q: on no node: 0/2 nodes are available"),
        new Case("no preemption", empty(), group -> group.preempts("victim"), "PodGroupPostFilter was not asked"),
        new Case("a failure that is none", empty(), group -> group.fails("broken"), "answered: nothing is thrown"),
    };

    @ParameterizedTest
    @FieldSource("WRONG")
    void reportsThePluginsResultInsteadOf(Case c) {
        assertThatThrownBy(() -> c.check.accept(c.group))
                .isInstanceOf(AssertionError.class)
                .message()
                .contains(c.complaint);
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() ->
                        RACKS.features(FeatureGates.DEFAULTS).group(GANG, P, Q).isScheduled())
                .hasMessage("features: GenericWorkload is off (expected: on, to schedule default/g)");
        assertThatThrownBy(() -> empty().places(member("r"), "a1"))
                .hasMessage("pod: default/r (expected: a pending pod of group default/g: [p, q])");
    }

    @Test
    void asksAboutAGroupWithinAnother() {
        CompositePodGroup tree = CompositePodGroup.of(ObjectMeta.named("tree")
                        .namespace("default")
                        .uid("tree")
                        .build())
                .gang(2)
                .build();
        PodGroup first = PodGroups.named("g").parent("tree").gang(2).build();
        PodGroup second = PodGroups.named("h").parent("tree").build();
        PluginTester tester = RACKS.cluster(
                tree, first, P, Q, second, Pods.named("r").podGroup("h").build());

        tester.group(first).generates("a").isScheduled().places("b1", "b2", "b3");
        tester.group(tree).generates("a", "b").isScheduled().places("b1", "b2", "b3");
    }

    @Test
    void knowsThePlacementsOfAnotherPlugin() {
        PluginFactory<?> enough = PluginFactory.of("Enough", Enough.class, handle -> new Enough());
        PluginTester.of(enough)
                .features(FeatureGates.DEFAULTS
                        .with(FeatureGates.GENERIC_WORKLOAD, true)
                        .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true))
                .beside(PluginFactory.of("Racks", Racks.class, Racks::new))
                .cluster(A1, A2, FILLER)
                .cluster(B)
                .group(GANG, P, Q)
                .generates("a", "b")
                .feasible("a", 1, 0, PlacementFeasibleResult.unschedulable("1 of 2"))
                .feasible("b", 2, 0, PlacementFeasibleResult.feasible());
    }

    @Test
    void remembersTheGroupsBefore() {
        PodGroup next = PodGroups.named("next").gang(2).build();
        Pod r = Pods.named("r").podGroup("next").build();
        Pod s = Pods.named("s").podGroup("next").build();
        try (TestScheduler scheduler = RACKS.cluster(GANG, P, Q).start()) {
            scheduler.scheduleAll();
            assertThat(List.of(P, Q))
                    .allMatch(pod -> scheduler.nodeOf(pod).orElse("").startsWith("a"));

            scheduler.group(next, r, s).isScheduled().places("b1", "b2", "b3");

            assertThatThrownBy(() -> scheduler.group(next).isScheduled())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("Group default/next is not ready to be scheduled.");
        }
    }

    /** Takes so many pods of a gang as it needs. */
    private static class Enough implements PlacementFeasiblePlugin {
        @Override
        public String name() {
            return "Enough";
        }

        @Override
        public PlacementFeasibleResult placementFeasible(
                CycleState state, PodGroupInfo group, PlacementProgress progress) {
            int wanted = group.group().minimum();
            String reason = progress.scheduled() + " of " + wanted;
            if (progress.scheduled() + progress.remaining() < wanted) {
                return PlacementFeasibleResult.unschedulable(reason);
            }
            return progress.scheduled() < wanted
                    ? PlacementFeasibleResult.waiting(reason)
                    : PlacementFeasibleResult.feasible();
        }
    }

    /** Places a group in the smallest rack in which it fits, one pod per node. */
    private static final class Racks extends Enough
            implements PlacementGeneratePlugin, PlacementScorePlugin, PodGroupPostFilterPlugin, FilterPlugin {
        private final Handle handle;

        Racks(Handle handle) {
            this.handle = handle;
        }

        @Override
        public String name() {
            return "Racks";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return node.podCount() == 0 ? Status.success() : FULL;
        }

        @Override
        public PlacementGenerateResult generatePlacements(
                CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot) {
            switch (group.group().metadata().annotations().getOrDefault("say", "")) {
                case "reject":
                    return PlacementGenerateResult.rejected(NO_RACK);
                case "throw":
                    throw new IllegalStateException("broken racks");
                default:
            }
            Map<String, List<NodeInfo>> racks = new TreeMap<>();
            for (NodeInfo node : parent.nodes()) {
                racks.computeIfAbsent(node.node().labels().get("rack"), any -> new ArrayList<>())
                        .add(node);
            }
            List<Placement> placements = new ArrayList<>();
            racks.forEach((rack, nodes) -> placements.add(Placement.of(rack, nodes)));
            return PlacementGenerateResult.of(placements);
        }

        @Override
        public long scorePlacement(CycleState state, PodGroupInfo group, PodGroupAssignments assignments) {
            return assignments.placement().nodes().size();
        }

        @Override
        public PlacementScores normalizePlacementScores(CycleState state, PodGroupInfo group, PlacementScores scores) {
            long least = Arrays.stream(scores.toArray()).min().orElseThrow();
            return scores.with(Arrays.stream(scores.toArray())
                    .map(score -> NodeScores.MAX * least / score)
                    .toArray());
        }

        @Override
        public PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial) {
            List<Pod> victims = new ArrayList<>();
            for (NodeInfo node : trial.snapshot().nodes()) {
                for (Pod pod : node.pods()) {
                    if (pod.labels().containsKey("victim")) {
                        victims.add(pod);
                    }
                }
            }
            victims.forEach(victim -> trial.remove(List.of(victim), victim.nodeName()));
            return !victims.isEmpty() && trial.schedule().status().isSuccess()
                    ? PodGroupPostFilterResult.nominated(Map.of(), victims, "room for it")
                    : PodGroupPostFilterResult.rejected(NO_VICTIMS);
        }

        @Override
        public CompletionStage<?> execute(CycleState state, PodGroupInfo group, PodGroupPostFilterResult result) {
            result.victims().forEach(handle.cluster().writer()::delete);
            return CompletableFuture.completedStage(null);
        }
    }
}
