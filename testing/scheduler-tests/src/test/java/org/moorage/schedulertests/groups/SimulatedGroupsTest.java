// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.groups;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PodGroup;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.simulation.SimulatedGroup;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Tests the results of simulations about groups of pods. */
final class SimulatedGroupsTest {
    private static final FeatureGates GATES = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
            .with(FeatureGates.COMPOSITE_POD_GROUP, true);

    static SimulationResult simulate(List<ClusterObject> objects, FeatureGates features) {
        return simulation(objects, features).run();
    }

    static Simulation simulation(List<ClusterObject> objects, FeatureGates features) {
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        String config = "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}";
        return Simulation.of(objects, ConfigLoader.load(config, "test", registry, features), registry)
                .seed(1);
    }

    // Returns racks of two nodes with four cores each.
    static List<ClusterObject> racks(int count) {
        List<ClusterObject> nodes = new ArrayList<>();
        for (int i = 0; i < 2 * count; i++) {
            nodes.add(Nodes.named("n" + i)
                    .label("rack", "r" + i / 2)
                    .allocatable("cpu", "4")
                    .allocatable("memory", "8Gi")
                    .allocatable("pods", "10")
                    .build());
        }
        return nodes;
    }

    static PodGroup.Builder group(String name) {
        return PodGroup.of(meta(name));
    }

    static ObjectMeta meta(String name) {
        return ObjectMeta.named(name).namespace("default").uid("uid-" + name).build();
    }

    static Pods member(String group, int number, String cpu) {
        return Pods.named(group + "-" + number).podGroup(group).requests("cpu", cpu);
    }

    static List<ClusterObject> gang(int minCount, int pods, String cpu) {
        return gang(group("g").gang(minCount), pods, cpu);
    }

    static List<ClusterObject> gang(PodGroup.Builder group, int pods, String cpu) {
        List<ClusterObject> objects = new ArrayList<>(racks(2));
        PodGroup built = group.build();
        objects.add(built);
        for (int i = 0; i < pods; i++) {
            objects.add(member(built.name(), i, cpu).priority(built.priority()).build());
        }
        return objects;
    }

    static List<ClusterObject> with(List<ClusterObject> objects, ClusterObject... more) {
        List<ClusterObject> all = new ArrayList<>(objects);
        all.addAll(List.of(more));
        return all;
    }

    private static String text(SimulatedGroup group) {
        return group.key().name() + ": " + group.state() + " " + group.placed() + "/" + group.members() + ", needs "
                + group.needed() + (group.domain().isEmpty() ? "" : ", in " + group.domain())
                + (group.nodes().isEmpty() ? "" : ", on " + group.nodes())
                + (group.plugin().isEmpty() ? "" : ", " + group.plugin())
                + (group.message().isEmpty() ? "" : ", " + group.message());
    }

    /**
     * A cluster, and the result about its groups.
     *
     * @param groups the groups as text
     */
    private record Case(String name, List<ClusterObject> objects, List<String> groups) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String NO_VICTIMS =
            ", pod group preemption: No preemption victims found for incoming preemptor";

    static final List<Case> CASES = List.of(
            new Case("a gang that fits", gang(2, 2, "4"), List.of("g: SCHEDULED 2/2, needs 2, on [n0, n1]")),
            new Case(
                    "a gang that does not fit",
                    gang(5, 5, "4"),
                    List.of(
                            "g: UNSCHEDULABLE 0/5, needs 5, pod group is unschedulable, 0/1 placements are available, first "
                                    + "placement status: minCount (5) cannot be satisfied: 4 scheduled, 0 remaining"
                                    + NO_VICTIMS)),
            new Case(
                    "a gang of which not all need be placed",
                    gang(3, 5, "4"),
                    List.of("g: SCHEDULED 4/5, needs 3, on [n0, n1, n2, n3]")),
            new Case(
                    "a gang in one rack",
                    gang(group("g").gang(2).topologyKeys(List.of("rack")), 2, "4"),
                    List.of("g: SCHEDULED 2/2, needs 2, in r0, on [n0, n1]")),
            new Case(
                    "a gang of which a pod was placed before",
                    with(gang(2, 1, "4"), member("g", 9, "4").on("n3").build()),
                    List.of("g: SCHEDULED 2/2, needs 2, on [n0, n3]")),
            new Case(
                    "a gang without all its pods",
                    gang(3, 2, "1"),
                    List.of("g: GATED 0/2, needs 3, GangScheduling, waiting for minCount pods from a gang to appear in"
                            + " scheduling queue")),
            new Case(
                    "a group that is not there",
                    with(racks(1), member("lost", 0, "1").build()),
                    List.of("lost: GATED 0/1, needs 0, waits for podgroup/default/lost, which is not in the cluster")),
            new Case(
                    "a gang that has a group leave as a whole, and is placed once that is gone",
                    with(
                            gang(group("g").gang(4).priority(10), 4, "4"),
                            group("old").disruptionMode(DisruptionMode.ALL).build(),
                            member("old", 0, "1").on("n0").build(),
                            member("old", 1, "1").on("n1").build()),
                    List.of(
                            "g: SCHEDULED 4/4, needs 4, on [n0, n1, n2, n3]",
                            "old: PREEMPTED 0/2, needs 1, had to leave for more important pods")),
            new Case(
                    "a composite group, the groups below it after it",
                    with(
                            racks(2),
                            CompositePodGroup.of(meta("all")).gang(2).build(),
                            group("a").parentName("all").gang(2).build(),
                            group("b").parentName("all").gang(1).build(),
                            member("a", 0, "4").build(),
                            member("a", 1, "4").build(),
                            member("b", 0, "4").build()),
                    List.of(
                            "all: SCHEDULED 2/2, needs 2, on [n0, n1, n2]",
                            "a: SCHEDULED 2/2, needs 2, on [n0, n1]",
                            "b: SCHEDULED 1/1, needs 1, on [n2]")));

    @ParameterizedTest
    @FieldSource("CASES")
    void reportsTheResultsOfGroups(Case tried) {
        assertThat(simulate(tried.objects, GATES).groups())
                .extracting(SimulatedGroupsTest::text)
                .containsExactlyElementsOf(tried.groups);
    }

    @Test
    void knowsNoGroupsWithoutTheFeature() {
        SimulationResult result = simulate(gang(5, 5, "4"), FeatureGates.DEFAULTS);

        assertThat(result.groups()).isEmpty();
        assertThat(result.count(SimulatedPod.State.SCHEDULED)).isEqualTo(4);
    }
}
