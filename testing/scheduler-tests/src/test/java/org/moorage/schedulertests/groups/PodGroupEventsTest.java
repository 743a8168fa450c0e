// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.gang;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.group;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.member;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.meta;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.racks;
import static org.moorage.schedulertests.groups.SimulatedGroupsTest.with;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Tests the events of groups about failed attempts. */
final class PodGroupEventsTest {
    private static final FeatureGates GATES = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
            .with(FeatureGates.COMPOSITE_POD_GROUP, true);

    /**
     * A cluster, and the events of its groups after an attempt at each.
     *
     * @param events the events as group and note
     */
    private record Case(String name, List<ClusterObject> objects, List<String> events) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("none of a gang that fits", gang(2, 2, "4"), List.of()),
            new Case("none of a gang without all its pods", gang(3, 2, "1"), List.of()),
            new Case(
                    "of a gang that fits nowhere the pod",
                    gang(5, 5, "4"),
                    List.of(
                            "default/g: 4 of the 5 pods that it needs have a node, and pod g-4 finds none: 0/4 nodes are"
                                    + " available: 4 Insufficient cpu.")),
            new Case(
                    "of a gang that fits in no rack the rack and the pod",
                    with(
                            gang(group("g").gang(4).topologyKeys(List.of("rack")), 4, "2"),
                            member("other", 0, "3").on("n0").build(),
                            member("other", 1, "1").on("n2").build()),
                    List.of(
                            "default/g: comes farthest in r1: 3 of the 4 pods that it needs have a node, and pod g-3 finds"
                                    + " none: 0/2 nodes are available: 2 Insufficient cpu.")),
            new Case(
                    "of a composite group the group that stops it",
                    with(
                            racks(1),
                            CompositePodGroup.of(meta("all"))
                                    .gang(2)
                                    .topologyKeys(List.of("rack"))
                                    .build(),
                            group("a").parentName("all").gang(1).build(),
                            group("b").parentName("all").gang(2).build(),
                            member("a", 0, "4").build(),
                            member("b", 0, "4").build(),
                            member("b", 1, "4").build()),
                    List.of(
                            "default/b: 1 of the 2 pods that it needs have a node in r0, and pod b-1 finds none: 0/2 nodes are"
                                    + " available: 2 Insufficient cpu.")));

    @ParameterizedTest
    @FieldSource("CASES")
    void namesTheDomainAndThePod(Case tried) {
        InMemoryCluster cluster = InMemoryCluster.of(tried.objects);
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        String config = "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}";
        try (Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.load(config, "test", registry, GATES), registry, cluster)
                .random(new Random(1))
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            while (scheduler.scheduleNext().isPresent()) {}
        }

        assertThat(cluster.objectEvents())
                .extracting(event -> event.object().key() + ": " + event.note())
                .containsExactlyElementsOf(tried.events);
        assertThat(cluster.objectEvents()).allSatisfy(event -> {
            assertThat(event.type()).isEqualTo("Warning");
            assertThat(event.reason()).isEqualTo("FailedScheduling");
            assertThat(event.controller()).isEqualTo("default-scheduler");
        });
    }
}
