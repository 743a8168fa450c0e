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

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.runtime.decision.Decision;
import org.moorage.testkit.Nodes;

class ClaimReservationsTest {
    private static final ClusterObject NODE =
            Nodes.named("n1").allocatable("cpu", "8").build();
    private static final ClusterObject GPU =
            deviceClass("gpu", "config: [{opaque: {driver: gpu.example.com, parameters: {mode: fast}}}]");
    private static final ClusterObject NIC = deviceClass(
            "nic",
            "extendedResourceName: example.com/nic, selectors: [{cel: {expression: \"device.driver =="
                    + " 'nic.example.com'\"}}]");
    private static final ResourceSlice NICS = slice("nics", "driver: nic.example.com, devices: [{name: nic}]");
    private static final ResourceSlice GPUS = slice("gpus", "devices: [{name: a}, {name: b}]");

    private static ResourceClaim oneGpu(String name) {
        return claim(
                name,
                requests("{name: r, exactly: {deviceClassName: gpu, selectors:"
                        + " [{cel: {expression: \"device.driver == 'gpu.example.com'\"}}]}}"));
    }

    /** A pod that names these claims. */
    private static Pod pod(String name, String resources, String... claims) {
        List<String> entries = new ArrayList<>();
        for (String claim : claims) {
            entries.add("{name: " + claim + ", resourceClaimName: " + claim + "}");
        }
        return (Pod)
                object("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: default, uid: " + name
                        + "}, spec: {resourceClaims: [" + String.join(", ", entries)
                        + "], containers: [{name: main, image: i, resources: {" + resources + "}}]}}");
    }

    private static List<String> devices(ResourceClaim claim) {
        return claim.allocation().map(DeviceAllocation::results).orElse(List.of()).stream()
                .map(DeviceAllocation.Result::device)
                .toList();
    }

    private static List<String> consumers(ResourceClaim claim) {
        return claim.reservedFor().stream().map(ResourceClaim.Consumer::uid).toList();
    }

    @Test
    void allocateAndReserveAClaim() {
        try (DraScheduler scheduler = DraScheduler.of(NODE, GPU, GPUS, oneGpu("c"), pod("p", "", "c"))) {
            assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
            ResourceClaim bound = scheduler.claim("c");
            assertThat(devices(bound)).containsExactly("a");
            assertThat(consumers(bound)).containsExactly("p");
            assertThat(bound.finalizers()).containsExactly(ResourceClaim.FINALIZER);
            DeviceAllocation allocation = bound.allocation().orElseThrow();
            assertThat(allocation.time()).isPresent();
            assertThat(allocation.config())
                    .extracting(config ->
                            config.config().requests() + config.config().json())
                    .containsExactly(
                            "[]{\"opaque\":{\"driver\":\"gpu.example.com\",\"parameters\":{\"mode\":\"fast\"}}}");
            assertThat(scheduler.writes()).containsExactly("addFinalizer", "allocate", "bind");
        }
    }

    @Test
    void doNotDateAnAllocationWithoutBindingConditions() {
        FeatureGates off = FeatureGates.DEFAULTS.with(FeatureGates.DRA_DEVICE_BINDING_CONDITIONS, false);
        // The argument bindingTimeout goes with the feature.
        try (DraScheduler scheduler =
                new DraScheduler(off, "", List.of(NODE, GPU, GPUS, oneGpu("c"), pod("p", "", "c")))) {
            scheduler.scheduleNext();
            assertThat(scheduler.claim("c").allocation().orElseThrow().time()).isEmpty();
        }
    }

    @Test
    void onlyReserveAClaimThatIsAllocated() {
        ResourceClaim shared = claim(
                "c",
                requests(exactly("r", "")),
                allocated("{device: b}").replaceFirst("\\}$", ", reservedFor: [{resource: pods, name: q, uid: q}]}"));
        try (DraScheduler scheduler = DraScheduler.of(NODE, GPU, GPUS, shared, pod("p", "", "c"))) {
            assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
            assertThat(consumers(scheduler.claim("c"))).containsExactly("q", "p");
            assertThat(scheduler.writes()).containsExactly("reserve", "bind");
        }
    }

    @Test
    void giveNoDeviceToTwoClaims() {
        List<ClusterObject> objects = new ArrayList<>(List.of(NODE, GPU, GPUS));
        for (String name : List.of("c0", "c1", "c2")) {
            objects.add(oneGpu(name));
            objects.add(pod("p-" + name, "", name));
        }
        try (DraScheduler scheduler = new DraScheduler(FeatureGates.DEFAULTS, objects)) {
            List<Decision.Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                outcomes.add(scheduler.scheduleNext().outcome());
            }
            assertThat(outcomes)
                    .containsExactly(
                            Decision.Outcome.SCHEDULED, Decision.Outcome.SCHEDULED, Decision.Outcome.UNSCHEDULABLE);
            assertThat(devices(scheduler.claim("c0"))).containsExactly("a");
            assertThat(devices(scheduler.claim("c1"))).containsExactly("b");
        }
    }

    @Test
    void giveOneDeviceToTwentyPodsInTurnWhoseClaimsAreDeletedInBetween() {
        ResourceSlice one = slice("gpus", "devices: [{name: a}]");
        try (DraScheduler scheduler = DraScheduler.of(NODE, GPU, one)) {
            for (int round = 0; round < 20; round++) {
                ResourceClaim claim = oneGpu("c" + round);
                scheduler.cluster().apply(claim);
                scheduler.cluster().apply(pod("p" + round, "", claim.name()));
                assertThat(scheduler.scheduleNext().nodeName())
                        .as("round %d", round)
                        .isEqualTo("n1");
                scheduler.cluster().remove(scheduler.pod("p" + round));
                scheduler.cluster().remove(claim);
            }
        }
    }

    @Test
    void createAClaimForExtendedResources() {
        Pod pod = pod("p", "requests: {example.com/nic: 1}");
        try (DraScheduler scheduler = DraScheduler.of(NODE, NIC, NICS, pod)) {
            assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
            assertThat(scheduler.cluster().all(ObjectKind.RESOURCE_CLAIM))
                    .singleElement()
                    .satisfies(created -> {
                        assertThat(created.name()).startsWith("p-extended-resources-");
                        assertThat(created.isForExtendedResourcesOf(pod)).isTrue();
                        assertThat(consumers(created)).containsExactly("p");
                        assertThat(devices(created)).containsExactly("nic");
                    });
            assertThat(scheduler.writes())
                    .containsExactly(
                            "createForExtendedResources",
                            "addFinalizer",
                            "allocate",
                            "patchExtendedResourceClaimStatus",
                            "bind");
        }
    }

    private record Failure(String name, Integer[] failingWrites, String message, List<String> writes) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Failure failure(String name, Integer[] failingWrites, String message, String... writes) {
        return new Failure(name, failingWrites, message, List.of(writes));
    }

    private static Integer[] at(Integer... numbers) {
        return numbers;
    }

    private static final String PRE_BIND = "running PreBind plugin \"DynamicResources\": ";

    // The pod has claims c0 and c1 and an extended resource.
    static final List<Failure> FAILURES = List.of(
            failure(
                    "the finalizer of the first claim",
                    at(1),
                    PRE_BIND + "add finalizer to claim default/c0: write 1 fails",
                    "addFinalizer"),
            failure(
                    "the allocation of the first claim",
                    at(2),
                    PRE_BIND + "add allocation and reservation to claim default/c0: write 2 fails",
                    "addFinalizer",
                    "allocate"),
            failure(
                    "the finalizer of the second claim",
                    at(3),
                    PRE_BIND + "add finalizer to claim default/c1: write 3 fails",
                    "addFinalizer",
                    "allocate",
                    "addFinalizer",
                    "unreserve"),
            failure(
                    "the allocation of the second claim",
                    at(4),
                    PRE_BIND + "add allocation and reservation to claim default/c1: write 4 fails",
                    "addFinalizer",
                    "allocate",
                    "addFinalizer",
                    "allocate",
                    "unreserve"),
            failure(
                    "the creation of the claim for extended resources",
                    at(5),
                    PRE_BIND + "create claim for extended resources default/<extended-resources>: write 5 fails",
                    "addFinalizer",
                    "allocate",
                    "addFinalizer",
                    "allocate",
                    "createForExtendedResources",
                    "unreserve",
                    "unreserve"),
            failure(
                    "the finalizer of the claim for extended resources",
                    at(6),
                    PRE_BIND + "add finalizer to claim default/p-extended-resources-00001: write 6 fails",
                    "addFinalizer",
                    "allocate",
                    "addFinalizer",
                    "allocate",
                    "createForExtendedResources",
                    "addFinalizer",
                    "unreserve",
                    "unreserve",
                    "removeFinalizer",
                    "delete"),
            failure(
                    "the allocation of the claim for extended resources",
                    at(7),
                    PRE_BIND + "add allocation and reservation to claim default/p-extended-resources-00001:"
                            + " write 7 fails",
                    "addFinalizer",
                    "allocate",
                    "addFinalizer",
                    "allocate",
                    "createForExtendedResources",
                    "addFinalizer",
                    "allocate",
                    "unreserve",
                    "unreserve",
                    "removeFinalizer",
                    "delete"),
            failure(
                    "the status of the pod",
                    at(8),
                    PRE_BIND + "update pod default/p ExtendedResourceClaimStatus: write 8 fails",
                    "addFinalizer",
                    "allocate",
                    "addFinalizer",
                    "allocate",
                    "createForExtendedResources",
                    "addFinalizer",
                    "allocate",
                    "patchExtendedResourceClaimStatus",
                    "unreserve",
                    "unreserve",
                    "removeFinalizer",
                    "delete"),
            failure(
                    "the binding",
                    at(9),
                    "write 9 fails",
                    "addFinalizer",
                    "allocate",
                    "addFinalizer",
                    "allocate",
                    "createForExtendedResources",
                    "addFinalizer",
                    "allocate",
                    "patchExtendedResourceClaimStatus",
                    "bind",
                    "unreserve",
                    "unreserve",
                    "removeFinalizer",
                    "delete"));

    private static List<ClusterObject> clusterOfFailures() {
        return List.of(
                NODE,
                GPU,
                NIC,
                GPUS,
                NICS,
                oneGpu("c0"),
                oneGpu("c1"),
                pod("p", "requests: {example.com/nic: 1}", "c0", "c1"));
    }

    @ParameterizedTest
    @FieldSource("FAILURES")
    void takeBackWhatWasWrittenWhenAWriteFails(Failure failure) {
        try (DraScheduler scheduler =
                new DraScheduler(FeatureGates.DEFAULTS, clusterOfFailures()).failingWrites(failure.failingWrites)) {
            scheduler.scheduleNext();
            assertThat(scheduler.pod("p").isBound()).isFalse();
            assertThat(scheduler.writes()).isEqualTo(failure.writes);
            assertThat(scheduler.bindingFailure()).endsWith(failure.message);
            assertThat(scheduler.cluster().all(ObjectKind.RESOURCE_CLAIM))
                    .extracting(ResourceClaim::name)
                    .containsExactlyInAnyOrder("c0", "c1");
            assertThat(consumers(scheduler.claim("c0"))).isEmpty();
            assertThat(consumers(scheduler.claim("c1"))).isEmpty();
            assertAnotherPodCanHaveEverything(scheduler);
        }
    }

    // No allocation is in flight or assumed any more that the cluster does not have.
    private static void assertAnotherPodCanHaveEverything(DraScheduler scheduler) {
        scheduler.cluster().apply(pod("q", "requests: {example.com/nic: 1}", "c0", "c1"));
        assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
        assertThat(scheduler.pod("q").isBound()).isTrue();
        assertThat(consumers(scheduler.claim("c0"))).containsExactly("q");
        assertThat(consumers(scheduler.claim("c1"))).containsExactly("q");
    }

    static final List<Function<String, RuntimeException>> THROWN = List.of(
            message -> new ClusterException(message, 500, null),
            IllegalStateException::new,
            IllegalArgumentException::new,
            NullPointerException::new);

    @ParameterizedTest
    @FieldSource("THROWN")
    void takeBackTheRestWhenTakingBackFails(Function<String, RuntimeException> thrown) {
        // 9 is the binding, 10 the removal of the first reservation.
        try (DraScheduler scheduler = new DraScheduler(FeatureGates.DEFAULTS, clusterOfFailures())
                .failingWrites(9, 10)
                .failingBy(thrown)) {
            scheduler.scheduleNext();
            assertThat(consumers(scheduler.claim("c0"))).containsExactly("p");
            assertThat(consumers(scheduler.claim("c1"))).isEmpty();
            assertThat(scheduler.cluster().all(ObjectKind.RESOURCE_CLAIM)).hasSize(2);
        }
    }

    private record Change(String name, ResourceClaim before, ResourceClaim after, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final ResourceClaim ALLOCATED_C1 = claim("c1", requests(exactly("r", "")), allocated("{device: b}"));

    static final List<Change> CHANGES = List.of(
            new Change(
                    "allocated",
                    oneGpu("c1"),
                    ALLOCATED_C1,
                    "claim default/c1 got allocated elsewhere in the meantime"),
            new Change(
                    "deallocated",
                    ALLOCATED_C1,
                    claim("c1", requests(exactly("r", ""))),
                    "claim default/c1 got deallocated elsewhere in the meantime"),
            new Change(
                    "deleted",
                    oneGpu("c1"),
                    oneGpu("c1")
                            .withMetadata(ObjectMeta.named("c1")
                                    .namespace("default")
                                    .uid("c1")
                                    .deletionTimestamp(Instant.EPOCH)
                                    .build()),
                    "claim default/c1 got deleted in the meantime"));

    // Another client changes the second claim while the first one is written.
    @ParameterizedTest
    @FieldSource("CHANGES")
    void doNotWriteAClaimThatWasChangedSincePreFilter(Change change) {
        try (DraScheduler scheduler = DraScheduler.of(
                        NODE, GPU, GPUS, oneGpu("c0"), change.before, pod("p", "", "c0", "c1"))
                .beforeWrite(1, cluster -> cluster.apply(change.after))) {
            scheduler.scheduleNext();
            assertThat(scheduler.pod("p").isBound()).isFalse();
            assertThat(scheduler.bindingFailure()).isEqualTo(PRE_BIND + change.message);
            assertThat(scheduler.claim("c1")).isEqualTo(change.after);
            assertThat(consumers(scheduler.claim("c0"))).isEmpty();
        }
    }

    private static final ResourceSlice WITH_CONDITIONS =
            slice("gpus", "devices: [{name: a, bindingConditions: [ready], bindingFailureConditions: [broken]}]");

    @Test
    void waitForBindingConditionsUntilTheTimeout() {
        try (DraScheduler scheduler = DraScheduler.of(NODE, GPU, WITH_CONDITIONS, oneGpu("c"), pod("p", "", "c"))) {
            scheduler.scheduleNext();
            assertThat(scheduler.pod("p").isBound()).isFalse();
            assertThat(scheduler.bindingFailure())
                    .endsWith(PRE_BIND + "device binding timeout: context deadline exceeded");
            assertThat(scheduler.cluster().events()).anySatisfy(event -> {
                assertThat(event.reason()).isEqualTo("BindingConditionsPending");
                assertThat(event.note()).isEqualTo("waiting for binding conditions for device on node n1");
            });
            assertThat(consumers(scheduler.claim("c"))).isEmpty();
            // The driver may still make the device ready: the claim stays allocated.
            assertThat(devices(scheduler.claim("c"))).containsExactly("a");
        }
    }

    private static ResourceClaim withCondition(String type) {
        return claim(
                "c",
                requests(exactly("r", "")),
                allocated("{device: a, bindingConditions: [ready], bindingFailureConditions: [broken]}")
                        .replaceFirst(
                                "\\}$",
                                ", devices: [{driver: gpu.example.com, pool: n1, device: a, conditions: [{type: " + type
                                        + ", status: 'True', reason: R, message: m}]}]}"));
    }

    @Test
    void bindAPodWhoseDevicesAreReady() {
        try (DraScheduler scheduler =
                DraScheduler.of(NODE, GPU, WITH_CONDITIONS, withCondition("ready"), pod("p", "", "c"))) {
            assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
            assertThat(scheduler.pod("p").isBound()).isTrue();
        }
    }

    @Test
    void failImmediatelyWithExtendedResourcesOfTheNode() {
        ClusterObject node = Nodes.named("n1")
                .allocatable("cpu", "8")
                .allocatable("example.com/nic", "1")
                .build();
        Pod pod = pod("p", "requests: {example.com/nic: '1'}, limits: {example.com/nic: '1'}", "c");
        try (DraScheduler scheduler = DraScheduler.of(node, GPU, NIC, WITH_CONDITIONS, withCondition("ready"), pod)) {
            scheduler.scheduleNext();
            assertThat(scheduler.pod("p").isBound()).isFalse();
            assertThat(scheduler.bindingFailure())
                    .endsWith(PRE_BIND + "could not find ResourceClaim \"default/<extended-resources>\"");
        }
    }

    @Test
    void deallocateAClaimWhoseDeviceIsBroken() {
        try (DraScheduler scheduler =
                DraScheduler.of(NODE, GPU, WITH_CONDITIONS, withCondition("broken"), pod("p", "", "c"))) {
            assertThat(scheduler.scheduleNext().message()).contains("deallocation of ResourceClaim completed");
            assertThat(scheduler.claim("c").allocation()).isEmpty();
        }
    }
}
