// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.builtin.dra.DeviceObjects.allocated;
import static org.moorage.builtin.dra.DeviceObjects.claim;
import static org.moorage.builtin.dra.DeviceObjects.deviceClass;
import static org.moorage.builtin.dra.DeviceObjects.exactly;
import static org.moorage.builtin.dra.DeviceObjects.requests;
import static org.moorage.builtin.dra.DeviceObjects.slice;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.Write;

/** The claims of pods that are scheduled with their group. */
class GroupClaimsTest {
    private static final FeatureGates GROUPS = FeatureGates.DEFAULTS.with(FeatureGates.GENERIC_WORKLOAD, true);
    private static final FeatureGates GROUP_CLAIMS = GROUPS.with(FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS, true);
    private static final PodSpec.ResourceClaim ENTRY = new PodSpec.ResourceClaim("r", "c", "");
    private static final PodGroup GROUP = PodGroup.of(
                    ObjectMeta.named("g").namespace("default").uid("group").build())
            .resourceClaims(List.of(ENTRY))
            .build();
    private static final ClusterObject GPU = deviceClass("gpu", "extendedResourceName: example.com/gpu");
    private static final Status NOT_AVAILABLE = Status.unresolvable("resourceclaim not available on the node");
    private static final Status IN_FLIGHT =
            Status.unresolvable("resource claim default/c is in the process of being allocated");

    private static List<ClusterObject> cluster(ClusterObject... more) {
        List<ClusterObject> objects = new ArrayList<>(List.of(
                Nodes.named("n1").build(),
                Nodes.named("n2").build(),
                GPU,
                slice("s", "devices: [{name: a}, {name: b}, {name: x}]")));
        objects.addAll(List.of(more));
        return objects;
    }

    private static ResourceClaim unallocated(String name) {
        return claim(name, requests(exactly("r", "")));
    }

    /** A claim that is allocated, and can be used from a node only that is not there. */
    private static ResourceClaim elsewhere(String name, String... reservedFor) {
        List<String> consumers = new ArrayList<>();
        for (String consumer : reservedFor) {
            consumers.add(
                    consumer.equals("group")
                            ? "{apiGroup: scheduling.k8s.io, resource: podgroups, name: g, uid: group}"
                            : "{resource: pods, name: " + consumer + ", uid: " + consumer + "}");
        }
        return claim(
                name,
                requests(exactly("r", "")),
                "{allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: n1, device: a}]},"
                        + " nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In,"
                        + " values: [gone]}]}]}}, reservedFor: [" + String.join(", ", consumers) + "]}");
    }

    private static ResourceClaim here(String name, String reservedFor) {
        String status = allocated("{device: a}");
        return claim(
                name,
                requests(exactly("r", "")),
                status.substring(0, status.length() - 1) + ", reservedFor: ["
                        + elsewhere(name, reservedFor).reservedFor().stream()
                                .map(known -> "{apiGroup: '" + known.apiGroup() + "', resource: " + known.resource()
                                        + ", name: " + known.name() + ", uid: " + known.uid() + "}")
                                .findFirst()
                                .orElse("")
                        + "]}");
    }

    /** A pod of the group that names these claims. */
    private static Pod pod(String name, String... claims) {
        Pods pod = Pods.named(name).uid(name).podGroup("g");
        for (String claim : claims) {
            pod.resourceClaim(new PodSpec.ResourceClaim(claim.equals("c") ? "r" : claim, claim, ""));
        }
        return pod.build();
    }

    private static List<String> consumers(ResourceClaim claim) {
        return claim.reservedFor().stream().map(ResourceClaim.Consumer::uid).toList();
    }

    private static List<String> devices(ResourceClaim claim) {
        return claim.allocation().map(DeviceAllocation::results).orElse(List.of()).stream()
                .map(DeviceAllocation.Result::device)
                .toList();
    }

    private static List<String> claimWrites(GroupTry group) {
        return group.scheduler().writes().stream()
                .map(Write::toString)
                .filter(write -> write.contains("laim"))
                .toList();
    }

    @Nested
    class WhileTheGroupIsTried {
        @Test
        void areSharedBeforeTheirAllocationIsWritten() {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(unallocated("c")), group -> {
                GroupTry.Member first = group.member(pod("p1", "c"));
                GroupTry.Member second = group.member(pod("p2", "c"));
                assertThat(first.nodeName()).isEqualTo("n1");
                assertThat(second.nodeName()).isEqualTo("n1");
                assertThat(second.statuses()).containsEntry("n2", NOT_AVAILABLE);
            });
        }

        @Test
        void areNotSharedWithPodsThatAreScheduledAlone() {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(unallocated("c")), group -> {
                group.member(pod("p1", "c"));
                assertThat(group.alone(pod("p2", "c")).statuses()).containsEntry("", IN_FLIGHT);
            });
        }

        @Test
        void areNotSharedWithPodsOfThePreviousCycleThatAreBeingBound() {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(unallocated("c")), group -> {
                GroupTry.Member first = group.member(pod("p1", "c"));
                group.giveBack(first);
                GroupTry.Member bound = group.commit(first);
                group.anew();
                assertThat(group.member(pod("p2", "c")).statuses()).containsEntry("", IN_FLIGHT);
                group.bind(bound);
                assertThat(group.member(pod("p2", "c")).nodeName()).isEqualTo("n1");
            });
        }

        @Test
        void areMatchedToTheRightDevicesNextToPodClaims() {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(unallocated("c"), unallocated("d")), group -> {
                List<GroupTry.Member> members =
                        List.of(group.member(pod("p1", "c")), group.member(pod("p2", "c", "d")));
                group.giveBack(members.get(1));
                group.giveBack(members.get(0));
                members.stream().map(group::commit).toList().forEach(group::bind);
                assertThat(devices(group.claim("c"))).containsExactly("a");
                assertThat(devices(group.claim("d"))).containsExactly("b");
            });
        }

        @Test
        void rejectANodeThatCannotSkipIncompatibleOperations() {
            FeatureGates gates = GROUPS.with(FeatureGates.DRA_OPTIONAL_NODE_OPERATIONS, true);
            List<ClusterObject> objects = List.of(
                    Nodes.named("n1")
                            .declaredFeature("DRAOptionalNodeOperations")
                            .build(),
                    Nodes.named("n2").build(),
                    GPU,
                    slice("s", "allNodes: true, skipNodeOperations: [NodePrepareResources], devices: [{name: a}]"),
                    unallocated("c"));
            GroupTry.with(gates, GROUP, List.of(), objects, group -> {
                assertThat(group.member(pod("p1", "c")).nodeName()).isEqualTo("n1");
                assertThat(group.member(pod("p2", "c")).statuses())
                        .containsEntry("n1", Status.success())
                        .containsEntry(
                                "n2",
                                Status.unresolvable("resource claim default/c allocation requires"
                                        + " DRAOptionalNodeOperations feature on the node"));
            });
        }

        @Test
        void areNotSharedIfTheyStandForResourcesOfTheNode() {
            FeatureGates gates = GROUPS.with(FeatureGates.DRA_NODE_ALLOCATABLE_RESOURCES, true);
            List<ClusterObject> objects = List.of(
                    Nodes.named("n1").allocatable("cpu", "8").build(),
                    GPU,
                    slice(
                            "s",
                            "devices: [{name: a, nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: '1'}}}},"
                                    + " {name: b, nodeAllocatableResources: {cpu: {overhead: {perPod: '1'}}}}]"),
                    claim("c", requests(exactly("r", "selectors: [{cel: {expression: 'true'}}]"))),
                    unallocated("d"));
            GroupTry.with(gates, GROUP, List.of(), objects, group -> {
                assertThat(group.member(pod("p1", "c")).nodeName()).isEqualTo("n1");
                assertThat(group.member(pod("p2", "c")).statuses())
                        .containsEntry(
                                "n1",
                                Status.unresolvable("node allocatable resource claim c has a mapped device and cannot"
                                        + " be shared across pods"));
                assertThat(group.member(pod("p3", "d")).nodeName()).isEqualTo("n1");
                assertThat(group.member(pod("p4", "d")).nodeName()).isEqualTo("n1");
            });
        }

        @Test
        void areNotWrittenInATrial() {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(here("c", "p1"), unallocated("d")), group -> {
                GroupTry.Member first = group.member(pod("p1", "c", "d"));
                group.giveBack(first);
                assertThat(claimWrites(group)).isEmpty();
                group.bind(group.commit(first));
                assertThat(consumers(group.claim("c"))).containsExactly("p1");
            });
        }

        @Test
        void requeueNoPodWhenTheyAreReleased() {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(unallocated("c")), group -> {
                long before = group.tracker().releases();
                group.giveBack(group.member(pod("p1", "c")));
                assertThat(group.tracker().releases()).isEqualTo(before);
            });
        }

        @Test
        void stayWithThePodsThatHaveThemWhenAnotherIsGivenBackThatGotNothing() {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(unallocated("c")), group -> {
                group.member(pod("p1", "c"));
                GroupTry.Member rejected = group.member(pod("p2", "c"), "n2");
                assertThat(rejected.isReserved()).isFalse();
                // As when the Reserve of an earlier plugin rejects it.
                group.giveBack(rejected);
                assertThat(group.tracker().hasInFlightAllocation(unallocated("c")))
                        .isTrue();
            });
        }
    }

    @Nested
    class WhenTheGroupIsBound {
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void areWrittenOnceAndReservedForEachPod(boolean isBoundAtOnce) {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(unallocated("c")), group -> {
                List<GroupTry.Member> members = tried(group, "p1", "p2", "p3");
                if (isBoundAtOnce) {
                    members.forEach(member -> group.bind(group.commit(member)));
                } else {
                    members.stream().map(group::commit).toList().forEach(group::bind);
                }
                assertThat(consumers(group.claim("c"))).containsExactly("p1", "p2", "p3");
                assertThat(devices(group.claim("c"))).containsExactly("a");
                assertThat(group.tracker().hasInFlightAllocation(unallocated("c")))
                        .isFalse();
            });
        }

        @Test
        void areWrittenForAnotherPodIfTheFirstOneFails() {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(unallocated("c")), group -> {
                List<GroupTry.Member> members =
                        tried(group, "p1", "p2").stream().map(group::commit).toList();
                group.giveBack(members.get(0));
                assertThat(group.tracker().hasInFlightAllocation(unallocated("c")))
                        .isTrue();
                group.bind(members.get(1));
                assertThat(consumers(group.claim("c"))).containsExactly("p2");
                assertThat(group.tracker().hasInFlightAllocation(unallocated("c")))
                        .isFalse();
            });
        }

        @Test
        void areFreeOnceTheLastPodIsGivenBack() {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(unallocated("c")), group -> {
                List<GroupTry.Member> members =
                        tried(group, "p1", "p2").stream().map(group::commit).toList();
                long before = group.tracker().releases();
                group.giveBack(members.get(0));
                assertThat(group.tracker().releases()).isEqualTo(before);
                group.giveBack(members.get(1));
                assertThat(group.tracker().releases()).isEqualTo(before + 1);
                assertThat(group.alone(pod("p3", "c")).nodeName()).isEqualTo("n1");
            });
        }

        @Test
        void areNotWrittenIfAnotherClientHasAllocatedThemDifferently() {
            GroupTry.with(GROUPS, GROUP, List.of(), cluster(unallocated("c")), group -> {
                List<GroupTry.Member> members =
                        tried(group, "p1", "p2").stream().map(group::commit).toList();
                group.scheduler().cluster().apply(claim("c", requests(exactly("r", "")), allocated("{device: b}")));
                for (GroupTry.Member member : members) {
                    assertThatThrownBy(() -> group.bind(member))
                            .hasMessage("claim default/c got allocated elsewhere in the meantime");
                }
            });
        }

        private List<GroupTry.Member> tried(GroupTry group, String... names) {
            List<GroupTry.Member> members = new ArrayList<>();
            for (String name : names) {
                members.add(group.member(pod(name, "c")));
            }
            Collections.reverse(members);
            members.forEach(group::giveBack);
            Collections.reverse(members);
            assertThat(group.tracker().hasInFlightAllocation(unallocated("c"))).isFalse();
            return members;
        }
    }

    private record Reserved(
            String name, FeatureGates features, PodGroup group, ResourceClaim claim, Pod pod, String consumer) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final PodSpec.ResourceClaim TEMPLATE = new PodSpec.ResourceClaim("r", "", "t");
    private static final Pod OF_TEMPLATE = Pods.named("p1")
            .uid("p1")
            .podGroup("g")
            .resourceClaim(TEMPLATE)
            .status(status -> status.resourceClaimStatuses(List.of(new PodStatus.ClaimStatus("r", "c"))))
            .build();
    private static final PodGroup WITH_TEMPLATE =
            GROUP.toBuilder().resourceClaims(List.of(TEMPLATE)).build();

    private static ResourceClaim ownedByGroup(ResourceClaim claim, String name) {
        return claim.withMetadata(claim.metadata().toBuilder()
                .ownerReferences(
                        List.of(new OwnerReference("scheduling.k8s.io/v1beta1", "PodGroup", name, "group", true)))
                .build());
    }

    static final List<Reserved> RESERVED = List.of(
            new Reserved("a claim of the group", GROUP_CLAIMS, GROUP, unallocated("c"), pod("p1", "c"), "group"),
            new Reserved(
                    "an allocated claim of the group",
                    GROUP_CLAIMS,
                    GROUP,
                    claim("c", requests(exactly("r", "")), allocated("{device: a}")),
                    pod("p1", "c"),
                    "group"),
            new Reserved(
                    "a claim from a template of the group",
                    GROUP_CLAIMS,
                    WITH_TEMPLATE,
                    ownedByGroup(unallocated("c"), "g"),
                    OF_TEMPLATE,
                    "group"),
            new Reserved(
                    "a claim of the group while the feature is off",
                    GROUPS,
                    GROUP,
                    unallocated("c"),
                    pod("p1", "c"),
                    "p1"),
            new Reserved(
                    "a claim that the group has under another name",
                    GROUP_CLAIMS,
                    GROUP.toBuilder()
                            .resourceClaims(List.of(new PodSpec.ResourceClaim("other", "c", "")))
                            .build(),
                    unallocated("c"),
                    pod("p1", "c"),
                    "p1"),
            new Reserved(
                    "another claim than the group's of that name",
                    GROUP_CLAIMS,
                    GROUP.toBuilder()
                            .resourceClaims(List.of(new PodSpec.ResourceClaim("r", "other", "")))
                            .build(),
                    unallocated("c"),
                    pod("p1", "c"),
                    "p1"));

    @ParameterizedTest
    @FieldSource("RESERVED")
    void areReservedForTheGroupOrThePod(Reserved expected) {
        GroupTry.with(expected.features, expected.group, List.of(), cluster(expected.claim), group -> {
            GroupTry.Member member = group.member(expected.pod);
            group.giveBack(member);
            GroupTry.Member committed = group.commit(member);
            group.bind(committed);
            assertThat(consumers(group.claim("c"))).containsExactly(expected.consumer);
            ResourceClaim.Consumer consumer = group.claim("c").reservedFor().get(0);
            assertThat(consumer.resource()).isEqualTo(expected.consumer.equals("group") ? "podgroups" : "pods");
            // Other pods of the group may need it.
            group.giveBack(committed);
            assertThat(consumers(group.claim("c")))
                    .isEqualTo(expected.consumer.equals("group") ? List.of("group") : List.of());
        });
    }

    @Test
    void areReservedForTheGroupOnce() {
        GroupTry.with(GROUP_CLAIMS, GROUP, List.of(), cluster(unallocated("c")), group -> {
            List<GroupTry.Member> members = new ArrayList<>();
            for (String name : List.of("p1", "p2", "p3")) {
                members.add(group.member(pod(name, "c")));
            }
            Collections.reverse(members);
            members.forEach(group::giveBack);
            Collections.reverse(members);
            members.stream().map(group::commit).toList().forEach(group::bind);
            assertThat(consumers(group.claim("c"))).containsExactly("group");
            assertThat(group.tracker().hasInFlightAllocation(unallocated("c"))).isFalse();
            group.anew();
            group.bind(group.commit(group.member(pod("p4", "c"))));
            assertThat(consumers(group.claim("c"))).containsExactly("group");
        });
    }

    @Test
    void cannotBeOfAGroupThatIsNotTheirOwner() {
        GroupTry.with(GROUP_CLAIMS, WITH_TEMPLATE, List.of(), cluster(ownedByGroup(unallocated("c"), "x")), group -> {
            Status status = Status.unresolvable("ResourceClaim default/c was not created for Pod default/p1"
                    + " (neither Pod nor PodGroup g is the owner)");
            assertThat(group.member(OF_TEMPLATE).statuses()).containsEntry("", status);
        });
        GroupTry.with(GROUPS, WITH_TEMPLATE, List.of(), cluster(ownedByGroup(unallocated("c"), "g")), group -> {
            Status status = Status.unresolvable(
                    "ResourceClaim default/c was not created for Pod default/p1 (Pod is not owner)");
            assertThat(group.member(OF_TEMPLATE).statuses()).containsEntry("", status);
        });
    }

    @Test
    void needTheGroupToBeKnown() {
        GroupTry.with(GROUP_CLAIMS, GROUP, List.of(), cluster(unallocated("c")), group -> {
            Pod ofOther = Pods.named("p")
                    .uid("p")
                    .podGroup("other")
                    .resourceClaim(ENTRY)
                    .build();
            assertThat(group.member(ofOther).statuses())
                    .containsEntry(
                            "", Status.unresolvable("pod group state not found for pod group podgroup/default/other"));
        });
    }

    private static final Status COMPLETED =
            Status.unschedulable("deallocation and deletion of ResourceClaims completed");
    private static final Status DEALLOCATED = Status.unschedulable("deallocation of PodGroup ResourceClaim completed");
    private static final Status UNRESERVED = Status.unresolvable("ResourceClaim unreserved for PodGroup");
    private static final Pod SCHEDULED =
            Pods.named("p0").uid("p0").podGroup("g").on("n1").build();

    /**
     * A group none of whose pods finds a node.
     *
     * @param scheduled its pods that have one
     * @param claims the claims as they are
     * @param pods the pods, which name claims
     * @param status the expected status
     * @param after the resulting claims: the name, and the pods that it is reserved for if it is allocated
     */
    private record PostFilter(
            String name,
            FeatureGates features,
            SchedulingGroup group,
            List<Pod> scheduled,
            List<ResourceClaim> claims,
            List<Pod> pods,
            Status status,
            Map<String, List<String>> after) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<PostFilter> POST_FILTER = List.of(
            new PostFilter(
                    "pods without claims",
                    GROUPS,
                    GROUP,
                    List.of(),
                    List.of(),
                    List.of(pod("p1")),
                    COMPLETED,
                    Map.of()),
            new PostFilter(
                    "a claim that is reserved for a pod",
                    GROUP_CLAIMS,
                    GROUP,
                    List.of(),
                    List.of(elsewhere("c", "p1")),
                    List.of(pod("p1", "c")),
                    COMPLETED,
                    Map.of()),
            new PostFilter(
                    "an unreserved claim that several pods need",
                    GROUP_CLAIMS,
                    GROUP,
                    List.of(),
                    List.of(elsewhere("c")),
                    List.of(pod("p1", "c"), pod("p2", "c")),
                    COMPLETED,
                    Map.of()),
            new PostFilter(
                    "claims of several pods",
                    GROUPS,
                    GROUP,
                    List.of(),
                    List.of(elsewhere("c", "p1"), elsewhere("d", "p2"), elsewhere("e", "other")),
                    List.of(pod("p1", "c"), pod("p2", "d"), pod("p3", "e")),
                    COMPLETED,
                    Map.of("e", List.of("other"))),
            new PostFilter(
                    "a claim that is reserved for the group",
                    GROUP_CLAIMS,
                    GROUP,
                    List.of(),
                    List.of(elsewhere("c", "group")),
                    List.of(pod("p1", "c")),
                    DEALLOCATED,
                    Map.of()),
            new PostFilter(
                    "a claim that is reserved for the group while the feature is off",
                    GROUPS,
                    GROUP,
                    List.of(),
                    List.of(elsewhere("c", "group")),
                    List.of(pod("p1", "c")),
                    COMPLETED,
                    Map.of("c", List.of("group"))),
            new PostFilter(
                    "a claim that is reserved for the group, one of whose pods has a node",
                    GROUP_CLAIMS,
                    GROUP,
                    List.of(SCHEDULED),
                    List.of(elsewhere("c", "group")),
                    List.of(pod("p1", "c")),
                    COMPLETED,
                    Map.of("c", List.of("group"))),
            new PostFilter(
                    "a claim that is reserved for the group, and can be used",
                    GROUP_CLAIMS,
                    GROUP,
                    List.of(),
                    List.of(here("c", "group")),
                    List.of(pod("p1", "c"), pod("p2", "c")),
                    UNRESERVED,
                    Map.of("c", List.of())),
            new PostFilter(
                    "a claim of the group that can be used, and one of a pod that cannot",
                    GROUP_CLAIMS,
                    GROUP,
                    List.of(),
                    List.of(here("c", "group"), elsewhere("d", "p2")),
                    List.of(pod("p1", "c"), pod("p2", "d")),
                    UNRESERVED,
                    Map.of("c", List.of())),
            new PostFilter(
                    "a group with topology constraints",
                    GROUP_CLAIMS.with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true),
                    GROUP.toBuilder().topologyKeys(List.of("rack")).build(),
                    List.of(),
                    List.of(elsewhere("c", "group")),
                    List.of(pod("p1", "c")),
                    Status.unschedulable(),
                    Map.of("c", List.of("group"))),
            new PostFilter(
                    "topology constraints while that feature is off",
                    GROUP_CLAIMS,
                    GROUP.toBuilder().topologyKeys(List.of("rack")).build(),
                    List.of(),
                    List.of(elsewhere("c", "group")),
                    List.of(pod("p1", "c")),
                    DEALLOCATED,
                    Map.of()));

    @ParameterizedTest
    @FieldSource("POST_FILTER")
    void areGivenBackInPodGroupPostFilter(PostFilter expected) {
        List<ClusterObject> objects = cluster(expected.claims.toArray(ClusterObject[]::new));
        GroupTry.with(expected.features, expected.group, expected.scheduled, objects, group -> {
            for (Pod pod : expected.pods) {
                GroupTry.Member member = group.member(pod);
                if (member.isReserved()) {
                    group.giveBack(member);
                }
            }
            assertThat(group.postFilter(expected.pods.toArray(Pod[]::new))).isEqualTo(expected.status);
            Map<String, List<String>> after = new HashMap<>();
            for (ResourceClaim claim : group.scheduler().cluster().all(ObjectKind.RESOURCE_CLAIM)) {
                if (claim.allocation().isPresent()) {
                    after.put(claim.name(), consumers(claim));
                }
            }
            assertThat(after).isEqualTo(expected.after);
        });
    }

    @Test
    void saysInPodGroupPostFilterThatAClaimOfThisCycleWasDeallocatedAlthoughItWasNotAllocated() {
        GroupTry.with(GROUP_CLAIMS, GROUP, List.of(), cluster(unallocated("c")), group -> {
            Pod first = pod("p1", "c");
            Pod second = pod("p2", "c");
            GroupTry.Member reserved = group.member(first);
            assertThat(group.member(second, "n2").statuses()).containsEntry("n2", NOT_AVAILABLE);
            group.giveBack(reserved);
            assertThat(group.postFilter(first, second)).isEqualTo(DEALLOCATED);
            assertThat(claimWrites(group)).isEmpty();
        });
    }

    @Test
    void areDeletedInPodGroupPostFilterIfAnEarlierAttemptLeftThemForExtendedResources() {
        Pod pod = Pods.named("p1")
                .uid("p1")
                .podGroup("g")
                .container("main")
                .requests("example.com/gpu", "1")
                .build();
        ResourceClaim leftOver = ResourceClaim.forExtendedResources(
                ObjectMeta.named("left-over").namespace("default").uid("x").build(),
                pod,
                unallocated("c").requests());
        GroupTry.with(GROUPS, GROUP, List.of(), cluster(leftOver), group -> {
            assertThat(group.member(pod).isReserved()).isFalse();
            assertThat(group.postFilter(pod)).isEqualTo(COMPLETED);
            assertThat(group.scheduler().cluster().all(ObjectKind.RESOURCE_CLAIM))
                    .isEmpty();
        });
    }

    @Test
    void areNotFoundInPodGroupPostFilterIfNoPodWasTried() {
        GroupTry.with(
                GROUPS,
                GROUP,
                List.of(),
                cluster(),
                group -> assertThatThrownBy(() -> group.postFilter(pod("p"))).hasMessage("not found"));
    }

    @Test
    void areLeftAloneInPodGroupPostFilterOfACompositeGroup() {
        CompositePodGroup composite = CompositePodGroup.of(
                        ObjectMeta.named("g").namespace("default").build())
                .build();
        GroupTry.with(
                GROUPS,
                composite,
                List.of(),
                cluster(),
                group -> assertThat(group.postFilter(pod("p"))).isEqualTo(Status.unschedulable()));
    }

    // Pods of one group that share claims are tried and reverted in reverse order, then some are bound and the others
    // unreserved in any order: no allocation is lost while a pod uses it, and none is left.
    @Test
    void areInFlightExactlyAsLongAsAPodHasThem() {
        long seed = new Random().nextLong();
        System.out.println("GroupClaimsTest.areInFlightExactlyAsLongAsAPodHasThem: seed " + seed);
        Random random = new Random(seed);
        int claims = 6;
        List<ClusterObject> objects = new ArrayList<>(List.of(Nodes.named("n1").build(), GPU));
        List<String> names = new ArrayList<>();
        List<String> devices = new ArrayList<>();
        for (int i = 0; i < claims; i++) {
            names.add("c" + i);
            devices.add("{name: d" + i + "}");
            objects.add(unallocated("c" + i));
        }
        objects.add(slice("s", "devices: [" + String.join(", ", devices) + "]"));
        GroupTry.with(GROUPS, GROUP, List.of(), objects, group -> {
            for (int round = 0; round < 60; round++) {
                group.anew();
                List<GroupTry.Member> held = new ArrayList<>();
                List<GroupTry.Member> found = new ArrayList<>();
                for (int step = 0; step < 20; step++) {
                    if (random.nextInt(3) > 0 || held.isEmpty()) {
                        List<String> wanted = new ArrayList<>(names);
                        Collections.shuffle(wanted, random);
                        String[] some =
                                wanted.subList(0, random.nextInt(claims)).toArray(String[]::new);
                        GroupTry.Member member = group.member(pod("p" + round + "-" + step, some));
                        assertThat(member.isReserved())
                                .as("seed %d: %s", seed, member.statuses())
                                .isTrue();
                        held.add(member);
                    } else {
                        group.giveBack(held.remove(held.size() - 1));
                    }
                    assertInFlight(group, held, names, seed);
                }
                found.addAll(held);
                while (!held.isEmpty()) {
                    group.giveBack(held.remove(held.size() - 1));
                    assertInFlight(group, held, names, seed);
                }
                for (GroupTry.Member member : found) {
                    held.add(group.commit(member));
                    assertInFlight(group, held, names, seed);
                }
                Collections.shuffle(held, random);
                while (!held.isEmpty()) {
                    GroupTry.Member member = held.remove(held.size() - 1);
                    group.giveBack(member);
                    // Once is enough, and twice does no harm.
                    group.giveBack(member);
                    assertInFlight(group, held, names, seed);
                }
            }
            assertThat(claimWrites(group)).isEmpty();
        });
    }

    private static void assertInFlight(GroupTry group, List<GroupTry.Member> held, List<String> names, long seed) {
        Set<String> expected = new HashSet<>();
        for (GroupTry.Member member : held) {
            member.pod().spec().resourceClaims().forEach(entry -> expected.add(entry.claimName()));
        }
        Set<String> inFlight = new HashSet<>();
        int taken = 0;
        AllocatedState state = group.tracker().gatherAllocatedState();
        for (int i = 0; i < names.size(); i++) {
            if (group.tracker().hasInFlightAllocation(unallocated(names.get(i)))) {
                inFlight.add(names.get(i));
            }
            taken += state.isAllocated(new DeviceId(DeviceObjects.DRIVER, "n1", "d" + i)) ? 1 : 0;
        }
        assertThat(inFlight).as("seed %d", seed).isEqualTo(expected);
        assertThat(taken).as("seed %d", seed).isEqualTo(expected.size());
    }
}
