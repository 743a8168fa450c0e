// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.gang;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.group;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.member;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.meta;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.racks;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.simulate;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.simulation;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.with;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.GroupKey;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.DisruptionMode;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.runtime.decision.GroupEvaluation.Attempt;
import org.moorage.runtime.decision.GroupEvaluation.Placement;
import org.moorage.simulation.GroupExplanation;
import org.moorage.simulation.SimulatedGroup;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulationResult;

/** Tests the evaluation of groups. */
final class GroupEvaluationTest {
    private static final FeatureGates GATES = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
            .with(FeatureGates.COMPOSITE_POD_GROUP, true);
    private static final GroupKey G = GroupKey.podGroup("default", "g");

    // Returns the placements of each group on the path to the failing group, the best with a star, and the reasons of
    // the failure.
    private static List<String> text(GroupEvaluation evaluation) {
        List<String> lines = new ArrayList<>();
        lines.add(evaluation.group().name() + (evaluation.fits() ? " fits" : " does not fit") + " with "
                + evaluation.pods().size());
        for (Attempt attempt : evaluation.path()) {
            StringBuilder line = new StringBuilder(
                    attempt.group().name() + " needs " + attempt.needed() + ", has " + attempt.placedBefore() + ":");
            for (Placement placement : attempt.placements()) {
                boolean isBest = attempt.best().orElseThrow().placement().equals(placement);
                line.append(' ')
                        .append(isBest ? "*" : "")
                        .append(placement.name())
                        .append('[')
                        .append(placement.nodes())
                        .append(" nodes, ")
                        .append(placement.placed())
                        .append(']');
            }
            lines.add(line + (attempt.missing() == 0 ? "" : ", lacks " + attempt.missing()));
            attempt.best()
                    .flatMap(GroupEvaluation.Best::stop)
                    .ifPresent(stop -> lines.add("stopped by " + stop.pod().name() + ", free "
                            + stop.free().values().stream()
                                    .map(left -> left.milliCpu() / 1000)
                                    .toList()
                            + ", objections of " + stop.objections().size() + " nodes"));
        }
        if (!evaluation.victims().isEmpty()) {
            lines.add("victims "
                    + evaluation.victims().stream()
                            .map(pod -> pod.name())
                            .sorted()
                            .toList());
        }
        return lines;
    }

    /**
     * A cluster, and the evaluation of a group before any pod is scheduled.
     *
     * @param lines the evaluation as text
     */
    private record Case(String name, List<ClusterObject> objects, GroupKey asked, List<String> lines) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a gang that fits",
                    gang(2, 2, "4"),
                    G,
                    List.of("g fits with 2", "g needs 2, has 0: *[4 nodes, 2]")),
            new Case(
                    "a gang for which one node is missing",
                    gang(5, 6, "4"),
                    G,
                    List.of(
                            "g does not fit with 6",
                            "g needs 5, has 0: *[4 nodes, 4], lacks 1",
                            "stopped by g-5, free [0, 0, 0, 0], objections of 4 nodes")),
            new Case(
                    "a gang that comes farther in the second rack",
                    with(
                            gang(group("g").gang(4).topologyKeys(List.of("rack")), 4, "2"),
                            member("other", 0, "3").on("n0").build()),
                    G,
                    List.of("g fits with 4", "g needs 4, has 0: r0[2 nodes, 2] *r1[2 nodes, 4]")),
            new Case(
                    "a gang that fits in no rack",
                    with(
                            gang(group("g").gang(4).topologyKeys(List.of("rack")), 4, "2"),
                            member("other", 0, "3").on("n0").build(),
                            member("other", 1, "1").on("n2").build()),
                    G,
                    List.of(
                            "g does not fit with 4",
                            "g needs 4, has 0: r0[2 nodes, 2] *r1[2 nodes, 3], lacks 1",
                            "stopped by g-3, free [1, 0], objections of 2 nodes")),
            new Case(
                    "a gang of which a pod has a node",
                    with(
                            gang(group("g").gang(3), 2, "4"),
                            member("g", 9, "4").on("n0").build(),
                            member("other", 0, "1").on("n1").build(),
                            member("other", 1, "1").on("n2").build()),
                    G,
                    List.of(
                            "g does not fit with 2",
                            "g needs 3, has 1: *[4 nodes, 1], lacks 1",
                            "stopped by g-1, free [0, 3, 3, 0], objections of 4 nodes")),
            new Case(
                    "a pod too many of a gang that has enough",
                    with(
                            gang(group("g").gang(2), 1, "5"),
                            member("g", 8, "4").on("n0").build(),
                            member("g", 9, "4").on("n1").build()),
                    G,
                    List.of(
                            "g does not fit with 1",
                            "g needs 2, has 2: *[4 nodes, 0]",
                            "stopped by g-0, free [0, 0, 4, 4], objections of 4 nodes")),
            new Case(
                    "a gang that has a group leave",
                    with(
                            gang(group("g").gang(4).priority(10), 4, "4"),
                            group("old").disruptionMode(DisruptionMode.ALL).build(),
                            member("old", 0, "1").on("n0").build(),
                            member("old", 1, "1").on("n1").build()),
                    G,
                    List.of(
                            "g does not fit with 4",
                            "g needs 4, has 0: *[4 nodes, 2], lacks 2",
                            "stopped by g-2, free [3, 3, 0, 0], objections of 4 nodes",
                            "victims [old-0, old-1]")),
            new Case(
                    "a composite group that one of its groups stops",
                    with(
                            racks(1),
                            CompositePodGroup.of(meta("all")).gang(2).build(),
                            group("a").parentName("all").gang(1).build(),
                            group("b").parentName("all").gang(2).build(),
                            member("a", 0, "4").build(),
                            member("b", 0, "4").build(),
                            member("b", 1, "4").build()),
                    GroupKey.podGroup("default", "b"),
                    List.of(
                            "all does not fit with 3",
                            "all needs 2, has 0: *[2 nodes, 1], lacks 1",
                            "b needs 2, has 0: *[2 nodes, 1], lacks 1",
                            "stopped by b-1, free [0, 0], objections of 2 nodes")),
            new Case(
                    "an unknown group",
                    racks(1),
                    GroupKey.podGroup("default", "lost"),
                    List.of("lost does not fit with 0")),
            new Case("a group none of whose pods waits", gang(1, 0, "1"), G, List.of("g fits with 0")),
            new Case(
                    "pods that do not agree",
                    with(gang(2, 1, "1"), member("g", 5, "1").priority(7).build()),
                    G,
                    List.of("g does not fit with 2")));

    @ParameterizedTest
    @FieldSource("CASES")
    void reportsItsProgressAndItsBlocker(Case tried) {
        GroupExplanation explanation = simulation(tried.objects, GATES).explainNow(tried.asked);

        assertThat(text(explanation.evaluation())).containsExactlyElementsOf(tried.lines);
    }

    @Test
    void findsAtItsTurnWhatTheSimulationFinds() {
        List<ClusterObject> objects = with(
                racks(3),
                group("a").gang(3).topologyKeys(List.of("rack")).build(),
                group("b").gang(2).topologyKeys(List.of("rack")).build(),
                group("c").gang(3).priority(5).build(),
                group("d").build());
        for (String name : List.of("a", "b", "c", "d")) {
            for (int i = 0; i < 3; i++) {
                objects.add(member(name, i, name.equals("a") ? "2" : name.equals("c") ? "5" : "3")
                        .priority(name.equals("c") ? 5 : 0)
                        .build());
            }
        }
        SimulationResult result = simulate(objects, GATES);

        assertThat(result.groups()).hasSize(4);
        for (SimulatedGroup simulated : result.groups()) {
            GroupExplanation explanation = simulation(objects, GATES).explain(simulated.key());
            assertThat(explanation.outcome().orElseThrow().message()).isEqualTo(simulated.message());
            GroupEvaluation evaluation = explanation.evaluation();
            for (SimulatedPod pod : simulated.pods()) {
                String found = evaluation.attempt().flatMap(Attempt::best).stream()
                        .flatMap(best -> best.members().stream())
                        .filter(member -> member.pod().uid().equals(pod.pod().uid()))
                        .map(GroupEvaluation.Member::nodeName)
                        .findFirst()
                        .orElse("");
                if (evaluation.fits() && !found.isEmpty()) {
                    assertThat(pod.nodeName()).as(pod.pod().name()).isEqualTo(found);
                }
            }
            if (!evaluation.fits()) {
                assertThat(evaluation.message()).startsWith(simulated.message());
            }
        }
    }
}
