// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.Volume;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.simulation.admission.RecreatedPod.Fate;

class RecreatedPodTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    /**
     * @param owner the kind that controls the pod, with its version; empty for none
     * @param annotation of the pod, and its value; empty for none
     * @param name what the name of the pod in its place matches; empty if there is none
     */
    record Case(String name, String owner, String annotation, String phase, boolean isDeleting, Fate fate, String as) {
        static Case of(String name, String owner, String annotation, Fate fate, String as) {
            return new Case(name, owner, annotation, "Running", false, fate, as);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        String letters = "[a-z0-9]{5}";
        return Stream.of(
                Case.of("a pod of a replica set", "apps/v1 ReplicaSet", "", Fate.CREATED_AGAIN, "w-" + letters),
                Case.of(
                        "of a replication controller",
                        "v1 ReplicationController",
                        "",
                        Fate.CREATED_AGAIN,
                        "w-" + letters),
                Case.of("of a job", "batch/v1 Job", "", Fate.CREATED_AGAIN, "w-" + letters),
                Case.of(
                        "of a job with indexes",
                        "batch/v1 Job",
                        "batch.kubernetes.io/job-completion-index=3",
                        Fate.CREATED_AGAIN,
                        "w-3-" + letters),
                Case.of("of a custom controller", "example.org/v1 Fleet", "", Fate.CREATED_AGAIN, "w-" + letters),
                Case.of("of a stateful set", "apps/v1 StatefulSet", "", Fate.CREATED_AGAIN, "w-0"),
                Case.of(
                        "of a custom StatefulSet",
                        "example.org/v1 StatefulSet",
                        "",
                        Fate.CREATED_AGAIN,
                        "w-" + letters),
                Case.of("of a daemon set", "apps/v1 DaemonSet", "", Fate.OF_NODE, ""),
                Case.of("of a node", "v1 Node", "", Fate.OF_NODE, ""),
                Case.of("a mirror pod", "", "kubernetes.io/config.mirror=1", Fate.OF_NODE, ""),
                Case.of("one without controller", "", "", Fate.LOST, ""),
                new Case("one that has ended", "apps/v1 ReplicaSet", "", "Succeeded", false, Fate.ENDED, ""),
                new Case("one that was being deleted", "apps/v1 ReplicaSet", "", "Running", true, Fate.ENDED, ""));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theFateOfAPodFollowsFromItsController(Case expected) {
        ObjectMeta.Builder metadata = metadata(expected.owner());
        if (!expected.annotation().isEmpty()) {
            String[] parts = expected.annotation().split("=", 2);
            metadata.annotations(Map.of(parts[0], parts[1]));
        }
        if (expected.isDeleting()) {
            metadata.deletionTimestamp(NOW);
        }
        Pod gone = pod(metadata.build(), PodSpec.builder(), PodStatus.builder().phase(expected.phase()));

        RecreatedPod recreated = RecreatedPod.of(gone, ClusterSource.of(List.of(gone)), NOW);

        assertThat(recreated.fate()).isEqualTo(expected.fate()).isEqualTo(RecreatedPod.fateOf(gone));
        assertThat(recreated.pod().map(Pod::name).orElse("")).matches(expected.as());
        assertThat(recreated.gone()).isSameAs(gone);
    }

    @Test
    void thePodInItsPlaceIsANewOneWithoutNode() {
        PodStatus.Builder status =
                PodStatus.builder().phase("Running").nominatedNodeName("n").startTime(NOW);
        Pod gone = pod(
                        metadata("apps/v1 StatefulSet")
                                .labels(Map.of("app", "w"))
                                .resourceVersion("7")
                                .build(),
                        PodSpec.builder().priority(5),
                        status)
                .withJson("""
                        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "w-0", "uid": "u", "resourceVersion": "7"},
                        "spec": {"nodeName": "n", "priority": 5}, "status": {"phase": "Running"}}""");

        Pod pod = created(RecreatedPod.of(gone, ClusterSource.of(List.of(gone)), NOW));

        assertThat(pod.isBound()).isFalse();
        assertThat(pod.uid()).isNotEmpty().isNotEqualTo(gone.uid());
        assertThat(pod.metadata().resourceVersion()).isEmpty();
        assertThat(pod.metadata().creationTimestamp()).contains(NOW);
        assertThat(pod.labels()).isEqualTo(gone.labels());
        assertThat(pod.spec()).isSameAs(gone.spec());
        assertThat(pod.status()).isEqualTo(PodStatus.builder().phase("Pending").build());
        assertThat(pod.json())
                .contains("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"w-0\",\"uid\":\""
                        + pod.uid() + "\"},\"spec\":{\"priority\":5}}");
    }

    @Test
    void aDaemonSetCreatesAPreemptedPodAgainForTheSameNode() {
        Pod ofDaemonSet = pod(metadata("apps/v1 DaemonSet").build(), PodSpec.builder(), PodStatus.builder());
        Pod mirror = pod(metadata("v1 Node").build(), PodSpec.builder(), PodStatus.builder());
        ClusterSource cluster = ClusterSource.of(List.of(ofDaemonSet));

        assertThat(created(RecreatedPod.ofPreempted(ofDaemonSet, cluster, NOW)).spec())
                .isSameAs(ofDaemonSet.spec());
        assertThat(RecreatedPod.ofPreempted(mirror, cluster, NOW).fate()).isEqualTo(Fate.OF_NODE);
    }

    @Test
    void severalTogetherHaveDistinctNames() {
        List<Pod> gone = new ArrayList<>();
        // As many as there are, two of one set get the same five letters now and then.
        for (int i = 0; i < 20_000; i++) {
            ObjectMeta metadata = metadata("apps/v1 ReplicaSet").build().toBuilder("w-" + i)
                    .uid("u-" + i)
                    .build();
            gone.add(pod(metadata, PodSpec.builder(), PodStatus.builder()));
        }

        List<RecreatedPod> all = RecreatedPod.all(gone, ClusterSource.of(gone), NOW);

        assertThat(all).extracting(recreated -> created(recreated).name()).doesNotHaveDuplicates();
        assertThat(all).extracting(recreated -> created(recreated).uid()).doesNotHaveDuplicates();
        assertThat(RecreatedPod.all(gone, ClusterSource.of(gone), NOW))
                .extracting(recreated -> created(recreated).name())
                .isEqualTo(
                        all.stream().map(recreated -> created(recreated).name()).toList());
    }

    @Test
    void itsOwnClaimsAreMadeAnewAndOthersStay() {
        Pod gone = pod(
                metadata("apps/v1 StatefulSet").build(),
                PodSpec.builder()
                        .volumes(List.of(
                                new Volume("scratch", new Volume.EphemeralClaim()),
                                new Volume("data", new Volume.Claim("data-w-0"))))
                        .resourceClaims(List.of(
                                new PodSpec.ResourceClaim("gpu", "", "gpus"),
                                new PodSpec.ResourceClaim("shared", "", "gpus"))),
                PodStatus.builder()
                        .resourceClaimStatuses(List.of(
                                new PodStatus.ClaimStatus("gpu", "w-0-gpu-x"),
                                new PodStatus.ClaimStatus("shared", "of-group"))));
        PersistentVolumeClaim scratch = PersistentVolumeClaim.of(owned("w-0-scratch", gone).toBuilder()
                        .annotations(Map.of(
                                PersistentVolumeClaim.BIND_COMPLETED,
                                "yes",
                                PersistentVolumeClaim.SELECTED_NODE,
                                "n",
                                "note",
                                "kept"))
                        .build())
                .storageClassName("fast")
                .volumeName("pv-1")
                .phase("Bound")
                .build();
        PersistentVolumeClaim data =
                PersistentVolumeClaim.of(named("data-w-0")).volumeName("pv-2").build();
        ResourceClaim gpu = ResourceClaim.of(owned("w-0-gpu-x", gone), List.of())
                .withAllocation(new DeviceAllocation(List.of(), List.of(), Optional.empty(), Optional.empty()))
                .withReservationFor(ResourceClaim.Consumer.of(gone));
        ResourceClaim shared = ResourceClaim.of(named("of-group"), List.of());

        RecreatedPod recreated =
                RecreatedPod.of(gone, ClusterSource.of(List.of(gone, scratch, data, gpu, shared)), NOW);

        Pod pod = created(recreated);
        assertThat(recreated.claims()).extracting(ClusterObject::name).containsExactly("w-0-scratch", "w-0-gpu");
        PersistentVolumeClaim newScratch =
                (PersistentVolumeClaim) recreated.claims().get(0);
        assertThat(newScratch.isCreatedFor(pod)).isTrue();
        assertThat(newScratch.volumeName()).isEmpty();
        assertThat(newScratch.storageClassName()).isEqualTo("fast");
        assertThat(newScratch.metadata().annotations()).isEqualTo(Map.of("note", "kept"));
        ResourceClaim newGpu = (ResourceClaim) recreated.claims().get(1);
        assertThat(newGpu.allocation()).isEmpty();
        assertThat(newGpu.reservedFor()).isEmpty();
        assertThat(newGpu.metadata().controller().orElseThrow().uid()).isEqualTo(pod.uid());
        assertThat(pod.status().resourceClaimStatuses())
                .containsExactly(
                        new PodStatus.ClaimStatus("gpu", "w-0-gpu"), new PodStatus.ClaimStatus("shared", "of-group"));
    }

    private static Pod created(RecreatedPod recreated) {
        return recreated.pod().orElseThrow();
    }

    private static Pod pod(ObjectMeta metadata, PodSpec.Builder spec, PodStatus.Builder status) {
        return Pod.of(metadata, spec.build()).withNode("n").withStatus(status.build());
    }

    private static ObjectMeta.Builder metadata(String owner) {
        ObjectMeta.Builder metadata =
                ObjectMeta.named("w-0").namespace("default").uid("u");
        if (!owner.isEmpty()) {
            String[] parts = owner.split(" ", 2);
            metadata.ownerReferences(List.of(new OwnerReference(parts[0], parts[1], "w", "w-uid", true)));
        }
        return metadata;
    }

    private static ObjectMeta named(String name) {
        return ObjectMeta.named(name).namespace("default").uid(name).build();
    }

    private static ObjectMeta owned(String name, Pod owner) {
        return named(name).toBuilder()
                .ownerReferences(List.of(new OwnerReference("v1", "Pod", owner.name(), owner.uid(), true)))
                .build();
    }
}
