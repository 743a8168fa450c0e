// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.builtin.group.Groups.COMPOSITES;
import static org.moorage.builtin.group.Groups.composite;
import static org.moorage.builtin.group.Groups.info;
import static org.moorage.builtin.group.Groups.podGroup;
import static org.moorage.builtin.group.Groups.running;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.NodeInfo;
import org.moorage.api.Placement;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class TopologyPlacementGeneratorTest {
    private static final PluginTester PLUGIN =
            PluginTester.of(TopologyPlacementGenerator.FACTORY).features(COMPOSITES);
    private static final PodGroup UNCONSTRAINED = podGroup("g").build();
    private static final PodGroup IN_ONE_ZONE =
            podGroup("g").topologyKeys(List.of("zone")).build();
    private static final SchedulingGroup TREE_IN_ONE_ZONE =
            composite("g").topologyKeys(List.of("zone")).build();

    private static Node node(String name, String zone) {
        return Nodes.named(name).label("zone", zone).build();
    }

    private static Node outside(String name, String zone) {
        return Nodes.named(name).label("zone", zone).label("outside", "").build();
    }

    /**
     * A group and its cluster.
     *
     * @param cluster the placement to choose from is all nodes but those with the label outside
     * @param placements the names of the nodes by the names of the placements
     * @param failure how it fails; empty if it does not
     */
    record Case(
            String name,
            SchedulingGroup group,
            List<ClusterObject> cluster,
            Map<String, List<String>> placements,
            String failure) {
        Case(String name, SchedulingGroup group, List<ClusterObject> cluster, Map<String, List<String>> placements) {
            this(name, group, cluster, placements, "");
        }

        Case(String name, SchedulingGroup group, List<ClusterObject> cluster, String failure) {
            this(name, group, cluster, Map.of(), "cannot determine domain for already scheduled pods: " + failure);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    // Two levels below the group.
    private static final List<ClusterObject> TREE = List.of(
            TREE_IN_ONE_ZONE,
            composite("c1").parentName("g").build(),
            composite("c2").parentName("g").build(),
            podGroup("g1").parentName("c1").build(),
            podGroup("g2").parentName("c2").build());

    private static List<ClusterObject> tree(ClusterObject... others) {
        List<ClusterObject> all = new ArrayList<>(TREE);
        all.addAll(List.of(others));
        return all;
    }

    static final Case[] CASES = {
        new Case(
                "without a constraint any node is allowed",
                UNCONSTRAINED,
                List.of(UNCONSTRAINED, node("n1", "a"), Nodes.named("n2").build(), outside("n3", "a")),
                Map.of("all", List.of("n1", "n2"))),
        new Case(
                "there is a placement for each zone, and nodes without one are in none",
                IN_ONE_ZONE,
                List.of(
                        IN_ONE_ZONE,
                        Nodes.named("n0").label("rack", "b").build(),
                        node("n1", "b"),
                        node("n2", "a"),
                        node("n3", "b"),
                        node("n4", "c"),
                        outside("n5", "d")),
                Map.of("a", List.of("n2"), "b", List.of("n1", "n3"), "c", List.of("n4"))),
        new Case(
                "no node has the label",
                IN_ONE_ZONE,
                List.of(IN_ONE_ZONE, Nodes.named("n0").label("rack", "b").build()),
                Map.of()),
        new Case(
                "only the zone of the pods that have a node",
                IN_ONE_ZONE,
                List.of(
                        IN_ONE_ZONE,
                        node("n1", "b"),
                        node("n2", "a"),
                        outside("n3", "a"),
                        outside("n4", "a"),
                        running("p", "g", "n3"),
                        running("q", "g", "n4"),
                        running("r", "other", "n1")),
                Map.of("a", List.of("n2"))),
        new Case(
                "nothing is left of the zone of the pods that have a node",
                IN_ONE_ZONE,
                List.of(IN_ONE_ZONE, node("n1", "b"), outside("n3", "a"), running("p", "g", "n3")),
                Map.of()),
        new Case(
                "pods that have nodes in two zones",
                IN_ONE_ZONE,
                List.of(
                        IN_ONE_ZONE,
                        node("n1", "b"),
                        node("n2", "a"),
                        running("p", "g", "n1"),
                        running("q", "g", "n2")),
                "more than 1 domain found for pod group: "),
        new Case(
                "a pod on a node without zone",
                IN_ONE_ZONE,
                List.of(IN_ONE_ZONE, node("n1", "b"), Nodes.named("n2").build(), running("p", "g", "n2")),
                "no topology domain found for pod default/p"),
        new Case(
                "a composite group has a placement for each zone",
                TREE_IN_ONE_ZONE,
                tree(node("n1", "b"), node("n2", "a"), node("n3", "b")),
                Map.of("a", List.of("n2"), "b", List.of("n1", "n3"))),
        new Case(
                "only the zone of the pods below a composite group",
                TREE_IN_ONE_ZONE,
                tree(node("n1", "b"), node("n2", "a"), running("p", "g1", "n2"), running("q", "g2", "n2")),
                Map.of("a", List.of("n2"))),
        new Case(
                "pods of two groups below a composite group in two zones",
                TREE_IN_ONE_ZONE,
                tree(node("n1", "b"), node("n2", "a"), running("p", "g1", "n1"), running("q", "g2", "n2")),
                "more than 1 domain found for pod group: "),
        new Case(
                "a pod below a composite group on a node without zone",
                TREE_IN_ONE_ZONE,
                tree(node("n1", "b"), Nodes.named("n2").build(), running("p", "g1", "n2")),
                "no topology domain found for pod default/p"),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void placesAGroupInOneDomain(Case c) {
        try (TestScheduler scheduler = PLUGIN.cluster(c.cluster).start()) {
            if (!c.failure.isEmpty()) {
                assertThatThrownBy(() -> placements(scheduler, c.group)).hasMessageContaining(c.failure);
                return;
            }
            Map<String, List<String>> placements = placements(scheduler, c.group);
            assertThat(placements).isEqualTo(c.placements);
            assertThat(List.copyOf(placements.keySet())).isSorted();
        }
    }

    @Test
    void failsIfANodeOfAPodIsGone() {
        Node gone = node("n2", "a");
        try (TestScheduler scheduler = PLUGIN.cluster(IN_ONE_ZONE, node("n1", "a"), gone, running("p", "g", "n2"))
                .start()) {
            scheduler.cluster().remove(gone);

            assertThatThrownBy(() -> placements(scheduler, IN_ONE_ZONE))
                    .hasMessageContaining("cannot determine domain for already scheduled pods: "
                            + "getting node for pod default/p: nodeinfo not found for node name \"n2\"");
        }
    }

    private static Map<String, List<String>> placements(TestScheduler scheduler, SchedulingGroup group) {
        Map<String, List<String>> placements = new LinkedHashMap<>();
        scheduler.inCycle(Pods.named("asking").build(), (state, snapshot) -> {
            List<NodeInfo> nodes = new ArrayList<>(snapshot.nodes());
            nodes.removeIf(node -> node.node().labels().containsKey("outside"));
            for (Placement placement : scheduler
                    .plugin(TopologyPlacementGenerator.class)
                    .generatePlacements(state, info(group), Placement.of("all", nodes), snapshot)
                    .placements()) {
                placements.put(
                        placement.name(),
                        placement.nodes().stream().map(NodeInfo::name).sorted().toList());
            }
        });
        return placements;
    }
}
