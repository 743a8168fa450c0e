// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.network;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.builtin.group.GangScheduling;
import org.moorage.builtin.resources.NodeResourcesFit;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodGroups;
import org.moorage.testkit.Pods;

class NetworkRacksTest {
    // region tester
    private static final PluginTester PLUGIN = PluginTester.of(new NetworkRacks.Factory())
            .features(FeatureGates.DEFAULTS
                    .with(FeatureGates.GENERIC_WORKLOAD, true)
                    .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true))
            // GangScheduling waits for all pods of a gang; NodeResourcesFit limits the pods of a node.
            .beside(GangScheduling.FACTORY, NodeResourcesFit.FACTORY)
            .cluster(
                    node("a1-1", "a", "a1"),
                    node("a1-2", "a", "a1"),
                    node("a2-1", "a", "a2"),
                    node("a2-2", "a", "a2"),
                    node("b1-1", "b", "b1"));

    private static Node node(String name, String spine, String rack) {
        return Nodes.named(name)
                .label("network.example.com/spine", spine)
                .label("network.example.com/rack", rack)
                .allocatable("cpu", "2")
                .build();
    }

    private static PodGroup gang(int pods, String racks) {
        return PodGroups.named("training")
                .gang(pods)
                .annotation(NetworkRacks.RACKS, racks)
                .build();
    }

    private static Pod[] pods(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Pods.named("worker-" + i)
                        .podGroup("training")
                        .requests("cpu", "1")
                        .build())
                .toArray(Pod[]::new);
    }
    // endregion

    // region placements
    @Test
    void offersRacksAndNeighboursOfOneSpine() {
        PLUGIN.group(gang(3, "1"), pods(3)).generates("a1", "a2", "b1");
        PLUGIN.group(gang(3, "2"), pods(3))
                .generates("a1", "a2", "a1+a2", "b1")
                .placementHas("a1+a2", "a1-1", "a1-2", "a2-1", "a2-2");
    }

    @Test
    void prefersFewHops() {
        PLUGIN.group(gang(4, "2"), pods(4))
                .scoresRaw("a1", 8) // four pairs of pods on two nodes of a rack, two hops each
                .scores("a1", 60)
                .scores("a1+a2", 0)
                .isScheduled();
    }

    @Test
    void takesTwoRacksWhereOneIsTooSmall() {
        PLUGIN.group(gang(5, "2"), pods(5)).isScheduled().places("a1-1", "a1-2", "a2-1", "a2-2");
        PLUGIN.group(gang(5, "1"), pods(5))
                .isUnschedulable("pod group is unschedulable, 0/3 placements are available, first placement status: "
                        + "minCount (5) cannot be satisfied: 4 scheduled, 0 remaining, ");
    }
    // endregion

    @Test
    void hasALatePodJoinTheOthers() {
        Pod running = Pods.named("first").podGroup("training").on("a2-1").build();
        PLUGIN.cluster(running).group(gang(3, "1"), pods(2)).generates("a2").places("a2-1", "a2-2");
    }

    @Test
    void leavesGroupsAloneThatDoNotAsk() {
        PodGroup group = PodGroups.named("training").gang(2).build();
        PLUGIN.group(group, pods(2)).generates("").isScheduled();
    }

    @Test
    void saysWhatItDoesNotUnderstand() {
        PLUGIN.group(gang(2, "all"), pods(2))
                .rejectsGroup(Status.unresolvable("network.example.com/racks is not a number from 1 to 9"));
    }

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verify(
                new NetworkRacks.Factory(),
                NetworkRacks.Args.DEFAULTS,
                gang(2, "2"),
                node("a1-1", "a", "a1"),
                node("a2-1", "a", "a2"));
    }
}
