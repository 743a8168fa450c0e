// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.api.preemption.KnownGroups.composite;
import static org.moorage.api.preemption.KnownGroups.podGroup;
import static org.moorage.api.preemption.KnownGroups.waiting;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.testkit.Pods;

/** Tests which pods are evicted together, and their importance. */
class PossibleVictimsTest {
    private static final FeatureGates PODS = FeatureGates.DEFAULTS;
    private static final FeatureGates GROUPS = FeatureGates.DEFAULTS.with(FeatureGates.GENERIC_WORKLOAD, true);
    private static final FeatureGates COMPOSITES = GROUPS.with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
            .with(FeatureGates.COMPOSITE_POD_GROUP, true);

    private static final DisruptionMode SINGLE = DisruptionMode.SINGLE;
    private static final DisruptionMode ALL = DisruptionMode.ALL;

    /**
     * Pods of groups.
     *
     * @param pods each with its name, its node, its priority and its group
     * @param victims for each the names of its pods, with their nodes
     */
    private record Case(
            String name, FeatureGates features, List<SchedulingGroup> groups, List<Pod> pods, List<String> victims) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Pod pod(String name, String node, int priority, String group) {
        return Pods.named(name).on(node).priority(priority).podGroup(group).build();
    }

    private static PodGroup group(String name, String parent, DisruptionMode mode, int priority) {
        return podGroup(name, priority, more -> more.parentName(parent).disruptionMode(mode));
    }

    private static CompositePodGroup parent(String name, String parent, DisruptionMode mode, int priority) {
        return composite(name, priority, more -> more.parentName(parent).disruptionMode(mode));
    }

    private static final List<Pod> TWO_OF_TWO = List.of(
            pod("a1", "n1", 10, "a"), pod("b1", "n1", 10, "b"), pod("a2", "n2", 10, "a"), pod("b2", "n2", 10, "b"));

    private static List<SchedulingGroup> tree(
            DisruptionMode root, DisruptionMode middle, DisruptionMode a, DisruptionMode b) {
        return List.of(
                parent("root", "", root, 50),
                parent("middle", "root", middle, 40),
                group("a", "middle", a, 30),
                group("b", "middle", b, 20));
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "pods without groups",
                    GROUPS,
                    List.of(),
                    List.of(pod("p1", "n1", 10, ""), pod("p2", "n2", 20, "")),
                    List.of("p1@n1 POD 10", "p2@n2 POD 20")),
            new Case(
                    "with the feature off, groups do not count",
                    PODS,
                    List.of(group("a", "", ALL, 50)),
                    List.of(pod("p1", "n1", 10, "a"), pod("p2", "n2", 20, "a")),
                    List.of("p1@n1 POD 10", "p2@n2 POD 20")),
            new Case(
                    "a group that leaves as one",
                    GROUPS,
                    List.of(group("a", "", ALL, 50)),
                    List.of(pod("p1", "n1", 10, "a"), pod("p2", "n2", 20, "a")),
                    List.of("p1@n1 p2@n2 POD_GROUP 50")),
            new Case(
                    "a group that is not evicted as a whole",
                    GROUPS,
                    List.of(group("a", "", SINGLE, 50)),
                    List.of(pod("p1", "n1", 10, "a"), pod("p2", "n2", 20, "a")),
                    List.of("p1@n1 POD_GROUP 50", "p2@n2 POD_GROUP 50")),
            new Case(
                    "groups and lone pods in the order of nodes and pods",
                    GROUPS,
                    List.of(group("a", "", ALL, 50), group("b", "", SINGLE, 60)),
                    List.of(
                            pod("p1", "n1", 10, "a"),
                            pod("p3", "n1", 20, "b"),
                            pod("p2", "n2", 10, "a"),
                            pod("p4", "n2", 30, "")),
                    List.of("p1@n1 p2@n2 POD_GROUP 50", "p3@n1 POD_GROUP 60", "p4@n2 POD 30")),
            new Case(
                    "pods of a group that is not known are alone, and as important as they are",
                    GROUPS,
                    List.of(),
                    List.of(pod("p1", "n1", 10, "a"), pod("p2", "n2", 20, "a")),
                    List.of("p1@n1 POD_GROUP 10", "p2@n2 POD_GROUP 20")),
            new Case(
                    "pending pods are no victims",
                    GROUPS,
                    List.of(group("a", "", ALL, 50)),
                    List.of(
                            pod("p1", "n1", 10, "a"),
                            Pods.named("p2").podGroup("a").build()),
                    List.of("p1@n1 POD_GROUP 50")),
            new Case(
                    "all groups below a composite one that leaves as one",
                    COMPOSITES,
                    List.of(parent("c", "", ALL, 50), group("a", "c", ALL, 30), group("b", "c", SINGLE, 20)),
                    TWO_OF_TWO,
                    List.of("a1@n1 a2@n2 b1@n1 b2@n2 COMPOSITE_POD_GROUP 50")),
            new Case(
                    "with composite groups off, only the pod groups count",
                    GROUPS,
                    List.of(parent("c", "", ALL, 50), group("a", "c", ALL, 30), group("b", "c", SINGLE, 20)),
                    TWO_OF_TWO,
                    List.of("a1@n1 a2@n2 POD_GROUP 30", "b1@n1 POD_GROUP 20", "b2@n2 POD_GROUP 20")),
            new Case(
                    "groups below a composite one that are not evicted as a whole",
                    COMPOSITES,
                    List.of(parent("c", "", SINGLE, 50), group("a", "c", SINGLE, 30), group("b", "c", ALL, 20)),
                    TWO_OF_TWO,
                    List.of("a1@n1 POD_GROUP 50", "b1@n1 b2@n2 POD_GROUP 50", "a2@n2 POD_GROUP 50")),
            new Case(
                    "the highest group that leaves as one decides",
                    COMPOSITES,
                    tree(ALL, SINGLE, SINGLE, ALL),
                    TWO_OF_TWO,
                    List.of("a1@n1 a2@n2 b1@n1 b2@n2 COMPOSITE_POD_GROUP 50")),
            new Case(
                    "a group in the middle leaves as one, and is as important as the root",
                    COMPOSITES,
                    tree(SINGLE, ALL, SINGLE, ALL),
                    TWO_OF_TWO,
                    List.of("a1@n1 a2@n2 b1@n1 b2@n2 COMPOSITE_POD_GROUP 50")),
            new Case(
                    "where a parent is not known, what is known below it counts",
                    COMPOSITES,
                    List.of(
                            parent("root", "", ALL, 50),
                            parent("known", "root", ALL, 40),
                            group("a", "missing", ALL, 30),
                            group("b", "known", ALL, 20)),
                    TWO_OF_TWO,
                    List.of("a1@n1 a2@n2 POD_GROUP 30", "b1@n1 b2@n2 COMPOSITE_POD_GROUP 50")),
            new Case(
                    "the fifth group and what is above it do not count",
                    COMPOSITES,
                    List.of(
                            parent("c5", "", ALL, 60),
                            parent("c4", "c5", SINGLE, 50),
                            parent("c3", "c4", SINGLE, 40),
                            parent("c2", "c3", SINGLE, 30),
                            group("a", "c2", SINGLE, 20),
                            group("b", "c3", SINGLE, 10)),
                    TWO_OF_TWO,
                    List.of("a1@n1 POD_GROUP 50", "b1@n1 b2@n2 COMPOSITE_POD_GROUP 60", "a2@n2 POD_GROUP 50")),
            new Case(
                    "groups that are above each other have each pod leave once",
                    COMPOSITES,
                    List.of(
                            parent("x", "y", ALL, 40),
                            parent("y", "x", ALL, 50),
                            group("a", "x", SINGLE, 30),
                            group("b", "y", SINGLE, 20)),
                    TWO_OF_TWO,
                    List.of("b1@n1 b2@n2 a1@n1 a2@n2 COMPOSITE_POD_GROUP 50")));

    private static List<String> victims(Case c, int priority) {
        Map<String, Integer> nodes = new LinkedHashMap<>();
        c.pods.stream().filter(Pod::isBound).forEach(pod -> nodes.put(pod.nodeName(), 1));
        KnownGroups groups = new KnownGroups(c.groups, c.pods);
        Snapshot snapshot = new RoomTrial(
                        nodes, c.pods, groups, waiting(podGroup("preemptor", 0, more -> {}), List.of()))
                .snapshot();
        List<String> texts = new ArrayList<>();
        for (Victim victim : new PossibleVictims(c.features, groups).below(priority, snapshot.nodes())) {
            texts.add(victim.pods().stream()
                            .map(pod -> pod.name() + "@" + pod.nodeName())
                            .collect(Collectors.joining(" "))
                    + " " + victim.kind() + " " + victim.priority());
        }
        return texts;
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void leaveTogether(Case c) {
        assertThat(victims(c, 1000)).isEqualTo(c.victims);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void areOnlyThoseThatAreLessImportant(Case c) {
        for (String victim : c.victims) {
            int priority = Integer.parseInt(victim.substring(victim.lastIndexOf(' ') + 1));
            assertThat(victims(c, priority)).doesNotContain(victim);
            assertThat(victims(c, priority + 1)).contains(victim);
        }
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void ofOneNodeAreThoseWithPodsOnIt(Case c) {
        KnownGroups groups = new KnownGroups(c.groups, c.pods);
        NodeInfo node = new RoomTrial(
                        Map.of("n2", 1), c.pods, groups, waiting(podGroup("preemptor", 0, more -> {}), List.of()))
                .snapshot()
                .nodes()
                .get(0);
        List<String> names = new PossibleVictims(c.features, groups)
                .below(1000, List.of(node)).stream()
                        .map(victim -> String.join(
                                " ", victim.pods().stream().map(Pod::name).toList()))
                        .toList();
        assertThat(names)
                .containsExactlyInAnyOrderElementsOf(c.victims.stream()
                        .filter(victim -> victim.contains("@n2"))
                        .map(victim -> victim.replaceAll("@n[12]", "").replaceAll(" [A-Z_]+ \\d+$", ""))
                        .toList());
    }
}
