// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.moorage.builtin.dra.DeviceObjects.allocated;
import static org.moorage.builtin.dra.DeviceObjects.claim;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class PodResourceClaimsTest {
    private static final ResourceClaim CLAIM = claim("c", "{}");
    private static final ResourceClaim ALLOCATED = claim("c", "{}", allocated("{device: a}"));

    private static PluginTester tester(ResourceClaim... claims) {
        return PluginTester.of(DynamicResources.factory()).cluster(claims);
    }

    private static Pod naming(String claim) {
        return Pods.named("p")
                .uid("p")
                .resourceClaim(new PodSpec.ResourceClaim("g", claim, ""))
                .build();
    }

    private static Pod fromTemplate(PodStatus.ClaimStatus... statuses) {
        return Pods.named("p")
                .uid("p")
                .resourceClaim(new PodSpec.ResourceClaim("g", "", "t"))
                .status(status -> status.resourceClaimStatuses(List.of(statuses)))
                .build();
    }

    private static ResourceClaim ownedBy(String uid) {
        ObjectMeta metadata = CLAIM.metadata().toBuilder()
                .ownerReferences(List.of(new OwnerReference("v1", "Pod", "p", uid, true)))
                .build();
        return CLAIM.withMetadata(metadata);
    }

    private static ResourceClaim deleting() {
        return CLAIM.withMetadata(
                CLAIM.metadata().toBuilder().deletionTimestamp(Instant.EPOCH).build());
    }

    private record Gate(String name, Pod pod, ResourceClaim claim, Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Gate> GATES = List.of(
            new Gate("a pod without claims", Pods.named("p").build(), CLAIM, Status.success()),
            new Gate("a claim that is there", naming("c"), CLAIM, Status.success()),
            new Gate(
                    "a claim that is not there",
                    naming("gone"),
                    CLAIM,
                    Status.unresolvable("could not find ResourceClaim \"default/gone\"")),
            new Gate(
                    "a claim that is being deleted",
                    naming("c"),
                    deleting(),
                    Status.unresolvable("resourceclaim \"c\" is being deleted")),
            new Gate(
                    "a claim that is not created yet",
                    fromTemplate(),
                    CLAIM,
                    Status.unresolvable("pod \"default/p\": ResourceClaim not created yet")),
            new Gate(
                    "a claim that was created from a template",
                    fromTemplate(new PodStatus.ClaimStatus("g", "c")),
                    ownedBy("p"),
                    Status.success()),
            new Gate(
                    "a claim from a template that is not needed",
                    fromTemplate(new PodStatus.ClaimStatus("g", "")),
                    CLAIM,
                    Status.success()),
            new Gate(
                    "a claim without an owner, although it should be from a template",
                    fromTemplate(new PodStatus.ClaimStatus("g", "c")),
                    CLAIM,
                    Status.unresolvable(
                            "ResourceClaim default/c was not created for Pod default/p (Pod is not owner)")),
            new Gate(
                    "a claim from a template for another pod",
                    fromTemplate(new PodStatus.ClaimStatus("g", "c")),
                    ownedBy("q"),
                    Status.unresolvable(
                            "ResourceClaim default/c was not created for Pod default/p (Pod is not owner)")),
            new Gate(
                    "an entry that names neither a claim nor a template",
                    naming(""),
                    CLAIM,
                    Status.unresolvable(
                            "pod \"default/p\", spec.resourceClaim \"g\": none of the supported fields are set")));

    @ParameterizedTest
    @FieldSource("GATES")
    void keepPodsOutOfTheQueueUntilTheyAreThere(Gate gate) {
        if (gate.status.isSuccess()) {
            tester(gate.claim).pod(gate.pod).entersQueue();
        } else {
            tester(gate.claim).pod(gate.pod).isGated(gate.status);
        }
    }

    private record Change(String name, ObjectChange<ResourceClaim> change, Hint hint) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final ResourceClaim OTHER = claim("d", "{}");
    private static final ResourceClaim OTHER_ALLOCATED = claim("d", "{}", allocated("{device: b}"));

    static final List<Change> CHANGES = List.of(
            new Change("the claim is created", ObjectChange.added(CLAIM), Hint.QUEUE),
            new Change("the claim is allocated", ObjectChange.updated(CLAIM, ALLOCATED), Hint.QUEUE),
            new Change("the claim is deallocated", ObjectChange.updated(ALLOCATED, CLAIM), Hint.QUEUE),
            new Change("the status of the claim stays as it is", ObjectChange.updated(CLAIM, CLAIM), Hint.SKIP),
            new Change("another claim is created", ObjectChange.added(OTHER), Hint.SKIP),
            new Change("another claim is allocated", ObjectChange.updated(OTHER, OTHER_ALLOCATED), Hint.SKIP),
            new Change(
                    "another claim is deallocated, so its devices are free",
                    ObjectChange.updated(OTHER_ALLOCATED, OTHER),
                    Hint.QUEUE),
            new Change(
                    "another claim is deleted while it is allocated, so its devices are free",
                    ObjectChange.deleted(OTHER_ALLOCATED),
                    Hint.QUEUE),
            new Change("another claim is deleted", ObjectChange.deleted(OTHER), Hint.SKIP),
            new Change("the claim is deleted", ObjectChange.deleted(CLAIM), Hint.SKIP));

    @ParameterizedTest
    @FieldSource("CHANGES")
    void requeueAPodAfterAChangeOfAClaim(Change change) {
        tester(CLAIM).pod(naming("c")).hint(change.change, change.hint);
    }

    @Test
    void doNotRequeueAPodWhileAClaimIsMissing() {
        tester(CLAIM).pod(naming("gone")).hint(ObjectChange.updated(ALLOCATED, CLAIM), Hint.SKIP);
    }

    @Test
    void requeueAPodWhoseClaimsWereCreated() {
        Pod after = fromTemplate(new PodStatus.ClaimStatus("g", "c"));
        tester(ownedBy("p")).pod(fromTemplate()).hint(ObjectChange.updated(fromTemplate(), after), Hint.QUEUE);
    }
}
