// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.builtin.group.Groups.COMPOSITES;
import static org.moorage.builtin.group.Groups.composite;
import static org.moorage.builtin.group.Groups.info;
import static org.moorage.builtin.group.Groups.podGroup;
import static org.moorage.builtin.group.Groups.running;
import static org.moorage.builtin.group.Groups.waiting;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.Placement;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class PodGroupPodsCountTest {
    private static final PluginTester PLUGIN =
            PluginTester.of(PodGroupPodsCount.FACTORY).features(COMPOSITES);

    @Nested
    class Score {
        private static final List<ProposedAssignment> TWO = List.of(
                ProposedAssignment.of(waiting("a", "g"), "n", new CycleState()),
                ProposedAssignment.of(waiting("b", "g"), "n", new CycleState()));
        private static final SchedulingGroup GROUP = podGroup("g").build();
        private static final SchedulingGroup TREE = composite("g").build();

        record Case(String name, SchedulingGroup group, List<ClusterObject> cluster, long score) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("no pod has a node yet", GROUP, List.of(GROUP, waiting("p", "g")), 2),
            new Case(
                    "pods that have a node count, wherever they are",
                    GROUP,
                    List.of(GROUP, running("p", "g", "n"), running("q", "g", "n2"), running("r", "other", "n")),
                    4),
            new Case("no pod below a composite group has a node yet", TREE, List.of(TREE), 2),
            new Case(
                    "pods below a composite group that have a node count",
                    TREE,
                    List.of(
                            TREE,
                            composite("c1").parentName("g").build(),
                            composite("c2").parentName("g").build(),
                            podGroup("g1").parentName("c1").build(),
                            podGroup("g2").parentName("c2").build(),
                            running("p", "g1", "n"),
                            running("q", "g2", "n2"),
                            running("r", "g2", "n")),
                    5),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void countsPodsOfTheGroup(Case c) {
            try (TestScheduler scheduler = PLUGIN.cluster(
                            Nodes.named("n").build(), Nodes.named("n2").build())
                    .cluster(c.cluster)
                    .start()) {
                assertThat(score(scheduler, c.group)).isEqualTo(c.score);
            }
        }

        @Test
        void failsForAGroupThatIsNotThere() {
            try (TestScheduler scheduler =
                    PLUGIN.cluster(Nodes.named("n").build()).start()) {
                assertThatThrownBy(() -> score(scheduler, GROUP))
                        .hasMessageContaining("pod group state not found for pod group default/g");
                assertThatThrownBy(() -> score(scheduler, TREE))
                        .hasMessageContaining("composite pod group state not found for pod group default/g");
            }
        }

        private static long score(TestScheduler scheduler, SchedulingGroup group) {
            AtomicLong score = new AtomicLong();
            scheduler.inCycle(
                    Pods.named("asking").build(),
                    (state, snapshot) -> score.set(scheduler
                            .plugin(PodGroupPodsCount.class)
                            .scorePlacement(
                                    state,
                                    info(group),
                                    PodGroupAssignments.of(Placement.of("all", snapshot.nodes()), TWO))));
            return score.get();
        }
    }

    @Nested
    class Normalize {
        record Case(String name, long[] scores, long[] normalized) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("the most is 100", new long[] {10, 50, 110}, new long[] {9, 45, 100}),
            new Case("equal ones stay so", new long[] {50, 50}, new long[] {100, 100}),
            new Case("one alone", new long[] {50}, new long[] {100}),
            new Case(
                    "near ones stay near, and far ones far", new long[] {11, 100, 101, 102}, new long[] {10, 98, 99, 100
                    }),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void scalesToTheMost(Case c) {
            assertThat(normalized(c.scores)).containsExactly(c.normalized);
        }

        @Test
        void failsIfNoPlacementHasAPod() {
            assertThatThrownBy(() -> normalized(0, 0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("no pods from pod group are assigned to any of the candidate placements");
        }

        private static long[] normalized(long... scores) {
            List<Placement> placements = Collections.nCopies(scores.length, Placement.of("", List.of()));
            try (TestScheduler scheduler = PLUGIN.start()) {
                return scheduler
                        .plugin(PodGroupPodsCount.class)
                        .normalizePlacementScores(
                                new CycleState(), info(podGroup("g").build()), PlacementScores.of(placements, scores))
                        .toArray();
            }
        }
    }
}
