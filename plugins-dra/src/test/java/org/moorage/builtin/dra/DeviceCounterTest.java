// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.allocated;
import static org.moorage.builtin.dra.DeviceObjects.claim;
import static org.moorage.builtin.dra.DeviceObjects.deviceClass;
import static org.moorage.builtin.dra.DeviceObjects.slice;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.plugin.builtin.DeviceCounts;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class DeviceCounterTest {
    private static final String GPUS = "selectors: [{cel: {expression: \"device.driver == 'gpu.example.com'\"}}]";
    private static final ResourceSlice TWO = slice("s", "devices: [{name: gpu-0}, {name: gpu-1}]");
    private static final String SHARED = "devices: [{name: gpu-2, allowMultipleAllocations: true}]";

    private record Case(String name, String deviceClass, List<ResourceSlice> slices, DeviceCounts.Count count) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("the devices of the node", GPUS, List.of(TWO), new DeviceCounts.Count(2, 1)),
            new Case(
                    "the devices of all nodes, too",
                    GPUS,
                    List.of(TWO, slice("t", "allNodes: true, " + SHARED)),
                    new DeviceCounts.Count(3, 1)),
            new Case(
                    "no devices of other nodes",
                    GPUS,
                    List.of(slice("t", "nodeName: n2, " + SHARED)),
                    DeviceCounts.Count.NONE),
            new Case(
                    "devices that name their nodes",
                    GPUS,
                    List.of(slice(
                            "t",
                            "perDeviceNodeSelection: true, devices: [{name: gpu-0, nodeName: n1}, {name:"
                                    + " gpu-1, nodeName: n2}]")),
                    new DeviceCounts.Count(1, 1)),
            new Case(
                    "no devices of other classes",
                    "selectors: [{cel: {expression: \"false\"}}]",
                    List.of(TWO),
                    DeviceCounts.Count.NONE),
            new Case(
                    "devices of all generations of a pool",
                    GPUS,
                    List.of(
                            TWO,
                            slice(
                                    "t",
                                    "pool: {name: n1, generation: 2, resourceSliceCount: 1}, devices: [{name:"
                                            + " gpu-3}]")),
                    new DeviceCounts.Count(3, 1)),
            new Case(
                    "devices of a pool that is being updated",
                    GPUS,
                    List.of(slice(
                            "t", "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: gpu-3}]")),
                    new DeviceCounts.Count(1, 0)),
            new Case(
                    "tainted devices",
                    GPUS,
                    List.of(slice("t", "devices: [{name: gpu-3, taints: [{key: worn, effect: NoSchedule}]}]")),
                    new DeviceCounts.Count(1, 0)),
            new Case(
                    "for a selector, no device allows multiple allocations",
                    "selectors: [{cel: {expression: \"device.allowMultipleAllocations\"}}]",
                    List.of(slice("t", "allNodes: true, " + SHARED)),
                    DeviceCounts.Count.NONE),
            new Case(
                    "no devices if a node selector cannot be parsed",
                    GPUS,
                    List.of(
                            TWO,
                            slice(
                                    "t",
                                    "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: gen, operator: Gt,"
                                            + " values: [v4]}]}]}, devices: [{name: gpu-3}]")),
                    DeviceCounts.Count.NONE),
            new Case(
                    "no devices if a selector fails",
                    "selectors: [{cel: {expression: \"device.attributes['gpu.example.com'].fast\"}}]",
                    List.of(TWO),
                    DeviceCounts.Count.NONE));

    @ParameterizedTest
    @FieldSource("CASES")
    void countsDevices(Case expected) {
        ObjectTable<ResourceSlice> slices = ObjectTable.of(expected.slices.toArray(ResourceSlice[]::new));
        ObjectTable<ResourceClaim> claims =
                ObjectTable.of(claim("c", "{}", allocated("{device: gpu-0}", "{device: gpu-1, adminAccess: true}")));
        DeviceFeatures features = DeviceFeatures.of(FeatureGates.DEFAULTS);
        DeviceCounts counts = new DeviceCounter(
                slices,
                new ClaimTracker(claims, ObjectTable.of(), features, pods -> {}),
                new DeviceSelectors(features));
        try (TestScheduler scheduler = PluginTester.of(DynamicResources.factory())
                .cluster(Nodes.named("n1").build())
                .start()) {
            scheduler.inCycle(
                    Pods.named("p").build(),
                    (state, snapshot) -> assertThat(
                                    counts.of(deviceClass("gpu", expected.deviceClass), snapshot.nodes()))
                            .containsExactly(expected.count));
        }
    }
}
