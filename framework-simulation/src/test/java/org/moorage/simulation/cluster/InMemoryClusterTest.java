// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.StorageClass;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.MergePatch;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.cluster.ClusterListener;

class InMemoryClusterTest {
    private static final PersistentVolumeClaim CLAIM = PersistentVolumeClaim.of(ObjectMeta.named("c")
                    .namespace("default")
                    .uid("u")
                    .resourceVersion("5")
                    .build())
            .storageClassName("fast")
            .request(Quantity.of(7))
            .build();

    private final InMemoryCluster cluster = InMemoryCluster.of(List.of(
            CLAIM,
            PersistentVolume.of(ObjectMeta.named("v").build())
                    .phase("Available")
                    .build(),
            new StorageClass(
                    ObjectMeta.named("fast").build(), "csi.x", StorageClass.WAIT_FOR_FIRST_CONSUMER, List.of()),
            Node.of(ObjectMeta.named("n").labels(Map.of("zone", "a")).build()).build(),
            new CsiNode(
                    ObjectMeta.named("n").build(),
                    List.of(new CsiNode.Driver("csi.x", List.of("zone"), OptionalInt.empty())))));

    private static Pod pod(String name) {
        return Pod.of(
                ObjectMeta.named(name).namespace("default").uid("pod-" + name).build(),
                PodSpec.builder().build());
    }

    private PersistentVolumeClaim claim() {
        return cluster.find(ObjectKind.PERSISTENT_VOLUME_CLAIM, "default", "c").orElseThrow();
    }

    private PersistentVolume volume() {
        return cluster.find(ObjectKind.PERSISTENT_VOLUME, "", "v").orElseThrow();
    }

    @Nested
    class Volumes {
        @Test
        void areBoundOnBothSidesOnceTheyAreBoundToAClaim() {
            PersistentVolume written = cluster.volumes().bind(volume(), CLAIM);
            assertThat(written.claim()).contains(new PersistentVolume.ClaimReference("default", "c", "u"));
            assertThat(written.metadata().annotations()).containsEntry("pv.kubernetes.io/bound-by-controller", "yes");
            assertThat(volume().phase()).isEqualTo("Bound");
            assertThat(volume().claim()).isEqualTo(written.claim());
            assertThat(claim().isBound()).isTrue();
            assertThat(claim().volumeName()).isEqualTo("v");
        }

        @Test
        void areProvisionedForAClaimWhoseNodeIsSelected() {
            PersistentVolumeClaim written = cluster.volumes().selectNode(CLAIM, "n");
            assertThat(written.selectedNode()).contains("n");
            assertThat(claim().isBound()).isTrue();
            PersistentVolume provisioned = cluster.find(ObjectKind.PERSISTENT_VOLUME, "", claim().volumeName())
                    .orElseThrow();
            assertThat(provisioned.capacity()).isEqualTo(Quantity.of(7));
            assertThat(provisioned.csi()).contains(new PersistentVolume.CsiSource("csi.x", provisioned.name()));
            assertThat(provisioned.nodeAffinity())
                    .contains(new NodeSelector(List.of(new NodeSelector.Term(
                            List.of(new NodeSelector.Requirement("zone", "In", List.of("a"))), List.of()))));
        }

        @Test
        void areNotChangedForAnotherVersion() {
            PersistentVolumeClaim older = CLAIM.withMetadata(CLAIM.metadata().withResourceVersion("4"));
            assertThatExceptionOfType(ClusterException.class)
                    .isThrownBy(() -> cluster.volumes().selectNode(older, "n"))
                    .matches(ClusterException::isConflict);
            assertThat(claim()).isSameAs(CLAIM);
        }

        @Test
        void areNotFoundOnceTheyAreDeleted() {
            PersistentVolume deleted = volume();
            cluster.remove(deleted);
            assertThatExceptionOfType(ClusterException.class)
                    .isThrownBy(() -> cluster.volumes().bind(deleted, CLAIM))
                    .withMessage("persistentvolumes \"v\" not found")
                    .matches(ClusterException::isNotFound);
        }
    }

    @Nested
    class ResourceClaims {
        private static final Pod OTHER = pod("q");
        private static final ResourceClaim ALLOCATED = ResourceClaim.of(
                        ObjectMeta.named("r")
                                .namespace("default")
                                .uid("u")
                                .resourceVersion("7")
                                .build(),
                        List.of())
                .withFinalizer()
                .withAllocation(allocation())
                .withReservationFor(ResourceClaim.Consumer.of(pod("p")));

        private static DeviceAllocation allocation() {
            return new DeviceAllocation(List.of(), List.of(), Optional.empty(), Optional.empty());
        }

        record Case(
                String name,
                BiFunction<ResourceClaimWriter, ResourceClaim, ResourceClaim> write,
                List<String> finalizers,
                boolean isAllocated,
                List<String> reservedFor) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "a finalizer that it has already",
                        ResourceClaimWriter::addFinalizer,
                        List.of(ResourceClaim.FINALIZER),
                        true,
                        List.of("pod-p")),
                new Case(
                        "no finalizer any more",
                        ResourceClaimWriter::removeFinalizer,
                        List.of(),
                        true,
                        List.of("pod-p")),
                new Case(
                        "another allocation and one more pod",
                        (writer, claim) -> writer.allocate(claim, allocation(), ResourceClaim.Consumer.of(OTHER)),
                        List.of(ResourceClaim.FINALIZER),
                        true,
                        List.of("pod-p", "pod-q")),
                new Case(
                        "one more pod",
                        (writer, claim) -> writer.reserve(claim, ResourceClaim.Consumer.of(OTHER)),
                        List.of(ResourceClaim.FINALIZER),
                        true,
                        List.of("pod-p", "pod-q")),
                new Case(
                        "one pod less",
                        (writer, claim) -> writer.unreserve(claim, ResourceClaim.Consumer.of(pod("p"))),
                        List.of(ResourceClaim.FINALIZER),
                        true,
                        List.of()),
                new Case(
                        "nothing for a pod that it is not reserved for",
                        (writer, claim) -> writer.unreserve(claim, ResourceClaim.Consumer.of(OTHER)),
                        List.of(ResourceClaim.FINALIZER),
                        true,
                        List.of("pod-p")),
                new Case(
                        "no allocation and no pod any more",
                        ResourceClaimWriter::deallocate,
                        List.of(ResourceClaim.FINALIZER),
                        false,
                        List.of()));

        @ParameterizedTest
        @FieldSource("CASES")
        void have(Case c) {
            cluster.apply(ALLOCATED);
            ResourceClaim written = c.write.apply(cluster.resourceClaims(), ALLOCATED);
            assertThat(written.finalizers()).isEqualTo(c.finalizers);
            assertThat(written.allocation().isPresent()).isEqualTo(c.isAllocated);
            assertThat(written.reservedFor())
                    .extracting(ResourceClaim.Consumer::uid)
                    .isEqualTo(c.reservedFor);
            assertThat(written.metadata().resourceVersion()).isEqualTo("8");
            assertThat(cluster.find(ObjectKind.RESOURCE_CLAIM, "default", "r")).contains(written);
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void areNotChangedInPlaceOfOneOfTheSameName(Case c) {
            cluster.apply(ALLOCATED);
            ResourceClaim former = ALLOCATED.withMetadata(
                    ALLOCATED.metadata().toBuilder().uid("former").build());
            assertThatExceptionOfType(ClusterException.class)
                    .isThrownBy(() -> c.write.apply(cluster.resourceClaims(), former))
                    .matches(ClusterException::isConflict);
        }

        @Test
        void keepTheirAllocationIfTheyHaveChangedSince() {
            cluster.apply(ALLOCATED);
            cluster.resourceClaims().reserve(ALLOCATED, ResourceClaim.Consumer.of(OTHER));
            assertThatExceptionOfType(ClusterException.class)
                    .isThrownBy(() -> cluster.resourceClaims().deallocate(ALLOCATED))
                    .matches(ClusterException::isConflict);
        }

        @Test
        void areGivenBackByPodsThatAreGone() {
            Pod pod = pod("p");
            ResourceClaim shared = named("shared").withReservationFor(ResourceClaim.Consumer.of(OTHER));
            ResourceClaim own = named("own");
            ResourceClaim made = own.withMetadata(ObjectMeta.named("made")
                    .namespace("default")
                    .uid("made")
                    .ownerReferences(List.of(new OwnerReference("v1", "Pod", pod.name(), pod.uid(), true)))
                    .build());
            List.of(pod, OTHER, shared, own, made).forEach(cluster::apply);
            cluster.startControllers();

            cluster.remove(pod);

            assertThat(cluster.all(ObjectKind.RESOURCE_CLAIM))
                    .extracting(
                            ResourceClaim::name,
                            claim -> claim.allocation().isPresent(),
                            claim -> claim.isReservedFor(OTHER))
                    .containsExactly(tuple("shared", true, true), tuple("own", false, false));
        }

        private static ResourceClaim named(String name) {
            return ALLOCATED.withMetadata(ObjectMeta.named(name)
                    .namespace("default")
                    .uid(name)
                    .resourceVersion("7")
                    .build());
        }

        @Test
        void areCreatedForExtendedResourcesUnderNewNames() {
            DeviceRequest request = DeviceRequest.of("r", "gpu", 2);
            ResourceClaim first = cluster.resourceClaims().createForExtendedResources(OTHER, List.of(request));
            ResourceClaim second = cluster.resourceClaims().createForExtendedResources(OTHER, List.of(request));
            assertThat(first.name()).isEqualTo("q-extended-resources-00001");
            assertThat(second.name()).isEqualTo("q-extended-resources-00002");
            assertThat(first.isForExtendedResourcesOf(OTHER)).isTrue();
            assertThat(first.requests()).containsExactly(request);
            assertThat(cluster.all(ObjectKind.RESOURCE_CLAIM)).containsExactly(first, second);
        }
    }

    @Nested
    class Groups {
        private final PodGroup group = PodGroup.of(ObjectMeta.named("gang")
                        .namespace("default")
                        .uid("u")
                        .resourceVersion("41")
                        .build())
                .gang(3)
                .build();
        private final PodCondition scheduled =
                new PodCondition(PodGroup.INITIALLY_SCHEDULED, "True", "Scheduled", "", 1);

        private PodGroup known() {
            return cluster.find(ObjectKind.POD_GROUP, "default", "gang").orElseThrow();
        }

        @Test
        void haveANewVersionAfterEachChange() {
            cluster.apply(group);
            cluster.patchStatus(group, scheduled);
            assertThat(known())
                    .isEqualTo(group.withMetadata(group.metadata().withResourceVersion("42")).toBuilder()
                            .initiallyScheduled(scheduled)
                            .build());
            cluster.patchStatus(known(), scheduled);
            assertThat(known().metadata().resourceVersion()).isEqualTo("42");
        }

        @Test
        void areChangedOnlyIfTheyAreTheOnesMeant() {
            cluster.apply(group);
            PodGroup former = group.withMetadata(
                    group.metadata().toBuilder().uid("former").build());
            assertThatThrownBy(() -> cluster.patchStatus(former, scheduled)).isInstanceOf(ClusterException.class);
            assertThat(known()).isSameAs(group);
        }
    }

    @Nested
    class Pods {
        private final Pod pod = pod("p");

        private Pod known() {
            return cluster.find(ObjectKind.POD, "default", "p").orElseThrow();
        }

        @Test
        void haveANewVersionAfterEachChange() {
            Pod listed = pod.withMetadata(pod.metadata().withResourceVersion("41"));
            cluster.apply(listed);
            cluster.patchStatus(listed, Optional.empty(), Nomination.clear());
            assertThat(known().metadata().resourceVersion()).isEqualTo("42");
            cluster.bind(listed, "n");
            assertThat(known().metadata().resourceVersion()).isEqualTo("43");
            cluster.apply(known().withNode("other"));
            assertThat(known().metadata().resourceVersion()).isEqualTo("44");
        }

        @Test
        void sayWhatTheirClaimsTakeOfTheirNode() {
            cluster.apply(pod);
            PodStatus.NodeAllocatableResourceClaimStatus claim = new PodStatus.NodeAllocatableResourceClaimStatus(
                    "c", List.of("main"), Map.of("cpu", Quantity.of(4)), Map.of());
            cluster.patchNodeAllocatableResourceClaimStatuses(pod, List.of(claim));
            assertThat(known().status().nodeAllocatableResourceClaimStatuses()).containsExactly(claim);
            cluster.patchNodeAllocatableResourceClaimStatuses(pod, List.of());
            assertThat(known().status().nodeAllocatableResourceClaimStatuses()).isEmpty();
        }

        @Test
        void areDeletedOnlyIfTheyAreTheOnesMeant() {
            cluster.apply(pod);
            cluster.delete(
                    pod.withMetadata(pod.metadata().toBuilder().uid("former").build()));
            assertThat(known()).isSameAs(pod);
            cluster.delete(pod);
            assertThat(cluster.all(ObjectKind.POD)).isEmpty();
        }

        @Test
        void haveTheirLastThousandEventsKept() {
            for (int i = 0; i <= 1000; i++) {
                cluster.report(PodEvent.normal(pod, "Tested", "Testing", "" + i));
            }
            assertThat(cluster.events()).hasSize(1000);
            assertThat(cluster.events().get(0).note()).isEqualTo("1");
            assertThat(cluster.events().get(999).note()).isEqualTo("1000");
        }
    }

    @Nested
    class ObjectsOfOtherKinds {
        private static final ObjectKind<OtherObject> QUOTA = ObjectKind.other("x.org/v1", "Quota", "quotas", true);

        record Case(String name, String patch, String expected) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case("a field is replaced", "{'spec': {'max': 2}}", "{'max': 2, 'tiers': [1, 2]}"),
                new Case(
                        "a field is added",
                        "{'spec': {'deep': {'min': 1}}}",
                        "{'max': 1, 'tiers': [1, 2], 'deep': {'min': 1}}"),
                new Case(
                        "a field is removed by null",
                        "{'spec': {'max': null, 'none': {'x': null}}}",
                        "{'tiers': [1, 2], 'none': {}}"),
                new Case("a list is replaced", "{'spec': {'tiers': [3]}}", "{'max': 1, 'tiers': [3]}"),
                new Case(
                        "a value gives way to an object",
                        "{'spec': {'max': {'cpu': 1}}}",
                        "{'max': {'cpu': 1}, 'tiers': [1, 2]}"));

        private static ObjectNode tree(String json) throws IOException {
            return ObjectStreams.object(json.replace('\'', '"'));
        }

        private OtherObject patch(String patch) {
            cluster.apply(new OtherObject(
                    QUOTA,
                    ObjectMeta.named("x").namespace("default").uid("u").build(),
                    "{'apiVersion': 'x.org/v1', 'kind': 'Quota', 'metadata': {'name': 'x', 'namespace': 'default', 'uid': 'u'},"
                                    .replace('\'', '"')
                            + "\"spec\": {\"max\": 1, \"tiers\": [1, 2]}}"));
            return cluster.patch(QUOTA, "default", "x", MergePatch.of(patch.replace('\'', '"')));
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void areMerged(Case c) throws IOException {
            OtherObject written = patch(c.patch);
            assertThat(tree(written.json()).path("spec")).isEqualTo(tree(c.expected));
            assertThat(cluster.find(QUOTA, "default", "x")).contains(written);
        }

        @ParameterizedTest
        @ValueSource(strings = {"{'metadata': {'uid': 'v'}}", "{'metadata': {'resourceVersion': '3'}}"})
        void areNotPatchedIfTheyAreNotTheOnesMeant(String patch) {
            assertThatExceptionOfType(ClusterException.class)
                    .isThrownBy(() -> patch(patch))
                    .matches(ClusterException::isConflict);
        }

        record Scope(String name, boolean namespaced, String given, String expected) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Scope> SCOPES = List.of(
                new Scope("an explicit namespace", true, "team", "team"),
                new Scope("the default namespace", true, "", "default"),
                new Scope("none, for a kind without", false, "", ""));

        // A manifest does not contain the plural of its kind, nor whether it is namespaced.
        @ParameterizedTest
        @FieldSource("SCOPES")
        void areThoseThatAPluginAsksFor(Scope scope) throws IOException {
            ObjectKind<OtherObject> asked = ObjectKind.other("x.org/v1", "Policy", "policys", scope.namespaced);
            cluster.apply(new TreeDecoder()
                    .decode(tree("{'apiVersion': 'x.org/v1', 'kind': 'Policy', 'metadata': {'name': 'before'"
                            + (scope.given.isEmpty() ? "" : ", 'namespace': '" + scope.given + "'") + "}}")));
            List<String> seen = new ArrayList<>();
            cluster.watch(Set.of(asked), KeptJson.NONE, new ClusterListener() {
                @Override
                public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects) {
                    objects.forEach(object -> applied(kind, object));
                }

                @Override
                public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
                    assertThat(kind).isEqualTo(asked);
                    assertThat(((OtherObject) object).kind()).isEqualTo(asked);
                    seen.add(object.key());
                }

                @Override
                public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
                    seen.remove(object.key());
                }
            });
            cluster.apply(new TreeDecoder()
                    .decode(tree("{'apiVersion': 'x.org/v1', 'kind': 'Policy', 'metadata': {'name': 'after'"
                            + (scope.given.isEmpty() ? "" : ", 'namespace': '" + scope.given + "'") + "}}")));

            String prefix = scope.expected.isEmpty() ? "" : scope.expected + "/";
            assertThat(seen).containsExactly(prefix + "before", prefix + "after");
            assertThat(cluster.read(asked, scope.expected, "before")).isPresent();
        }

        @Test
        void areNotFoundUnlessTheyAreThere() {
            assertThatExceptionOfType(ClusterException.class)
                    .isThrownBy(() -> cluster.patch(QUOTA, "default", "gone", MergePatch.of("{}")))
                    .matches(ClusterException::isNotFound);
        }
    }
}
