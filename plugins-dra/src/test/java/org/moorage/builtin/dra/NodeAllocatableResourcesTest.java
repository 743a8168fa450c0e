// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.allocated;
import static org.moorage.builtin.dra.DeviceObjects.claim;
import static org.moorage.builtin.dra.DeviceObjects.deviceClass;
import static org.moorage.builtin.dra.DeviceObjects.exactly;
import static org.moorage.builtin.dra.DeviceObjects.object;
import static org.moorage.builtin.dra.DeviceObjects.requests;
import static org.moorage.builtin.dra.DeviceObjects.slice;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;

class NodeAllocatableResourcesTest {
    private static final FeatureGates ON =
            FeatureGates.DEFAULTS.with(FeatureGates.DRA_NODE_ALLOCATABLE_RESOURCES, true);
    private static final ClusterObject NODE = Nodes.named("n1")
            .allocatable("cpu", "8")
            .allocatable("memory", "16Gi")
            .build();
    private static final ClusterObject GPU = deviceClass("gpu", "{}");
    private static final String MAPPINGS = "nodeAllocatableResources: {cpu: {mapping: {capacityKey: cores,"
            + " capacityMultiplier: 500m}}, memory: {mapping: {deviceMultiplier: 1Gi}}}";
    private static final String CORES =
            "name: cores, allowMultipleAllocations: true, capacity: {cores: {value: 16}}, " + MAPPINGS;

    private static ResourceSlice device(String device) {
        return slice("s", "devices: [{" + device + "}]");
    }

    /** A claim that requests cores. */
    private static ResourceClaim cores(String name, int cores) {
        return claim(name, requests(exactly("r", "capacity: {requests: {cores: " + cores + "}}")));
    }

    /** A pod with a container that requests one cpu and uses a claim. */
    private static Pod pod(String name, String claim) {
        return pod(name, "requests: {cpu: 1}, claims: [{name: g}]", claim, "");
    }

    private static Pod pod(String name, String resources, String claim, String more) {
        return (Pod)
                object("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: default, uid: " + name
                        + "}, spec: {resourceClaims: [{name: g, resourceClaimName: " + claim + "}]," + more
                        + " containers: [{name: main, image: i, resources: {" + resources + "}}]}}");
    }

    private record Case(String name, String device, ResourceClaim claim, Pod pod, Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("the node has what the claim takes", CORES, cores("c", 14), pod("p", "c"), Status.success()),
            new Case(
                    "the node has too little in addition to the pod's requests",
                    CORES,
                    cores("c", 15),
                    pod("p", "c"),
                    Status.unresolvable("Insufficient cpu")),
            new Case(
                    "an amount that does not depend on the capacity",
                    "name: a, nodeAllocatableResources: {memory: {mapping: {deviceMultiplier: 17Gi}}}",
                    claim("c", requests(exactly("r", ""))),
                    pod("p", "c"),
                    Status.unresolvable("Insufficient memory")),
            new Case(
                    "a device that takes nothing",
                    "name: a",
                    claim("c", requests(exactly("r", ""))),
                    pod("p", "c"),
                    Status.success()),
            new Case(
                    "no container needs to use the claim",
                    CORES,
                    cores("c", 14),
                    pod("p", "requests: {cpu: 1}", "c", ""),
                    Status.success()),
            new Case(
                    "the overhead of a pod",
                    "name: a, nodeAllocatableResources: {cpu: {overhead: {perPod: '7'}}}",
                    claim("c", requests(exactly("r", ""))),
                    pod("p", "requests: {cpu: '1.5'}", "c", ""),
                    Status.unresolvable("Insufficient cpu")),
            new Case(
                    "the overhead of each container that uses the claim",
                    "name: a, nodeAllocatableResources: {cpu: {overhead: {perContainer: '4'}}}",
                    claim("c", requests(exactly("r", ""))),
                    pod(
                            "p",
                            "claims: [{name: g}]",
                            "c",
                            " initContainers: [{name: init, image: i, resources: {requests: {cpu: 100m}, claims: [{name:"
                                    + " g}]}}],"),
                    Status.unresolvable("Insufficient cpu")),
            new Case(
                    "a container that does not use the claim has no such overhead",
                    "name: a, nodeAllocatableResources: {cpu: {overhead: {perContainer: '4'}}}",
                    claim("c", requests(exactly("r", ""))),
                    pod(
                            "p",
                            "claims: [{name: g}]",
                            "c",
                            " initContainers: [{name: init, image: i, resources: {requests: {cpu: 100m}}}],"),
                    Status.success()),
            new Case(
                    "a claim that is allocated already counts as well",
                    CORES,
                    claim(
                            "c",
                            requests(exactly("r", "capacity: {requests: {cores: 15}}")),
                            allocated("{device: cores, shareID: x, consumedCapacity: {cores: 15}}")),
                    pod("p", "c"),
                    Status.unresolvable("Insufficient cpu")),
            new Case(
                    "the limit of the pod as a whole is below that of a container and its devices",
                    CORES,
                    cores("c", 4),
                    pod(
                            "p",
                            "requests: {cpu: 1}, limits: {cpu: 2}, claims: [{name: g}]",
                            "c",
                            " resources: {requests: {cpu: 3}, limits: {cpu: 3}},"),
                    Status.unresolvable(
                            "pod level limit for cpu is insufficient to cover the limit and DRA overhead for"
                                    + " container main")),
            new Case(
                    "the limit of the pod as a whole leaves too few huge pages",
                    "name: a, nodeAllocatableResources: {hugepages-2Mi: {mapping: {deviceMultiplier: 4Mi}}}",
                    claim("c", requests(exactly("r", ""))),
                    pod(
                            "p",
                            "requests: {cpu: 1}",
                            "c",
                            " resources: {requests: {cpu: 3, hugepages-2Mi: 4Mi}, limits: {cpu: 3, hugepages-2Mi:"
                                    + " 2Mi}},"),
                    Status.unresolvable("pod level limit for hugepages-2Mi is insufficient to cover the aggregated"
                            + " container and node-allocatable DRA limits")),
            new Case(
                    "the pod as a whole requests less",
                    CORES,
                    cores("c", 4),
                    pod("p", "requests: {cpu: 1}, claims: [{name: g}]", "c", " resources: {requests: {cpu: 2}},"),
                    Status.unresolvable(
                            "pod level request for cpu is insufficient to cover the aggregated container and"
                                    + " node-allocatable DRA requests")));

    @ParameterizedTest
    @FieldSource("CASES")
    void countWithWhatThePodRequests(Case expected) {
        PluginTester.of(DynamicResources.factory())
                .features(ON)
                .cluster(NODE, GPU, device(expected.device), expected.claim)
                .pod(expected.pod)
                .filters("n1", expected.status);
    }

    @Test
    void cannotBeACapacityThatIsNotConsumed() {
        PluginTester.of(DynamicResources.factory())
                .features(ON)
                .cluster(NODE, GPU, device("name: a, capacity: {cores: {value: 16}}, " + MAPPINGS), cores("c", 1))
                .pod(pod("p", "c"))
                .fails("claim default/c, device a: ConsumedCapacity is nil, but Capacity key 'cores' is set in"
                        + " NodeAllocatableResources for resource cpu");
    }

    @Nested
    class InTheScheduler {
        @Test
        void areCountedForThePodsThatFollow() {
            List<ClusterObject> objects = List.of(
                    NODE,
                    GPU,
                    device(CORES),
                    cores("c1", 8),
                    cores("c2", 5),
                    cores("c3", 4),
                    pod("p1", "c1"),
                    pod("p2", "c2"),
                    pod("p3", "c3"));
            try (DraScheduler scheduler = new DraScheduler(ON, objects)) {
                assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
                assertThat(scheduler.scheduleNext().message())
                        .startsWith("0/1 nodes are available: 1 Insufficient cpu.");
                assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
                PodStatus.NodeAllocatableResourceClaimStatus taken = new PodStatus.NodeAllocatableResourceClaimStatus(
                        "c1",
                        List.of("main"),
                        Map.of("cpu", Quantity.of(4), "memory", Quantity.of(1L << 30)),
                        Map.of());
                Pod first = scheduler.pod("p1");
                assertThat(first.status().nodeAllocatableResourceClaimStatuses())
                        .containsExactly(taken);
                assertThat(first.requestsWithClaims().milliCpu()).isEqualTo(5000);
                assertThat(first.requests().milliCpu()).isEqualTo(1000);
                assertThat(scheduler.pod("p2").status().nodeAllocatableResourceClaimStatuses())
                        .isEmpty();
                assertThat(scheduler.pod("p3").status().nodeAllocatableResourceClaimStatuses())
                        .hasSize(1);
            }
        }

        @Test
        void tieAClaimToOnePodOfANode() {
            List<ClusterObject> objects =
                    List.of(NODE, GPU, device(CORES), cores("c", 1), pod("p1", "c"), pod("p2", "c"));
            try (DraScheduler scheduler = new DraScheduler(ON, objects)) {
                scheduler.scheduleNext();
                assertThat(scheduler.scheduleNext().message())
                        .contains("node allocatable resource claim c has a mapped device and cannot be shared across"
                                + " pods");
            }
        }

        @Test
        void leaveAClaimToSeveralPodsIfItHasNothingButOverhead() {
            List<ClusterObject> objects = List.of(
                    NODE,
                    GPU,
                    device("name: a, nodeAllocatableResources: {cpu: {overhead: {perPod: '2'}}}"),
                    claim("c", requests(exactly("r", ""))),
                    pod("p1", "c"),
                    pod("p2", "c"),
                    pod("p3", "c"));
            try (DraScheduler scheduler = new DraScheduler(ON, objects)) {
                assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
                assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
                assertThat(scheduler.scheduleNext().message())
                        .startsWith("0/1 nodes are available: 1 Insufficient cpu.");
            }
        }

        @Test
        void areRemovedFromTheStatusOfAPodThatIsNotBound() {
            List<ClusterObject> objects =
                    List.of(NODE, GPU, device(CORES + ", bindingConditions: [ready]"), cores("c", 14), pod("p", "c"));
            try (DraScheduler scheduler = new DraScheduler(ON, objects)) {
                scheduler.scheduleNext();
                assertThat(scheduler.pod("p").isBound()).isFalse();
                assertThat(scheduler.pod("p").status().nodeAllocatableResourceClaimStatuses())
                        .isEmpty();
                assertThat(scheduler.writes())
                        .containsExactly(
                                "addFinalizer",
                                "allocate",
                                "patchNodeAllocatableResourceClaimStatuses",
                                "unreserve",
                                "patchNodeAllocatableResourceClaimStatuses");
            }
        }

        @Test
        void doNotCountWhileTheFeatureIsOff() {
            List<ClusterObject> objects = List.of(NODE, GPU, device(CORES), cores("c", 16), pod("p", "c"));
            try (DraScheduler scheduler = new DraScheduler(FeatureGates.DEFAULTS, objects)) {
                assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
                assertThat(scheduler.pod("p").status().nodeAllocatableResourceClaimStatuses())
                        .isEmpty();
            }
        }
    }
}
