// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;

/** A cluster in memory that has a volume controller. */
class VolumesInMemoryTest {
    private static PersistentVolumeClaim.Builder claim(String name, String className) {
        return PersistentVolumeClaim.of(
                        ObjectMeta.named(name).namespace("default").uid(name).build())
                .storageClassName(className)
                .accessModes(List.of("ReadWriteOnce"))
                .request(Quantity.parse("2Gi"));
    }

    private static PersistentVolume.Builder volume(String name, String className, String capacity) {
        return PersistentVolume.of(
                        ObjectMeta.named(name).labels(Map.of("name", name)).build())
                .storageClassName(className)
                .accessModes(List.of("ReadWriteOnce"))
                .capacity(Quantity.parse(capacity))
                .phase("Available");
    }

    private static CsiStorageCapacity part(String zone, String className, String capacity) {
        return new CsiStorageCapacity(
                ObjectMeta.named(className + "-" + zone).namespace("default").build(),
                className,
                Optional.of(Quantity.parse(capacity)),
                Optional.of(Quantity.parse("3Gi")),
                Optional.of(new LabelSelector(Map.of("zone", zone), List.of())));
    }

    /** Two zones of a node each, the driver csi.x in both of them, classes of all sorts. */
    private static InMemoryCluster cluster(Consumer<List<ClusterObject>> more) {
        List<ClusterObject> objects = new ArrayList<>();
        for (String number : List.of("1", "2")) {
            String zone = number.equals("1") ? "a" : "b";
            objects.add(Node.of(ObjectMeta.named("n" + number)
                            .labels(Map.of("zone", zone))
                            .build())
                    .build());
            objects.add(new CsiNode(
                    ObjectMeta.named("n" + number).build(),
                    List.of(new CsiNode.Driver("csi.x", List.of("zone"), OptionalInt.empty()))));
        }
        objects.add(storageClass("static", StorageClass.NO_PROVISIONER, StorageClass.IMMEDIATE));
        objects.add(storageClass("now", "csi.x", StorageClass.IMMEDIATE));
        objects.add(storageClass("wait", "csi.x", StorageClass.WAIT_FOR_FIRST_CONSUMER));
        objects.add(new StorageClass(
                ObjectMeta.named("only-b").build(),
                "csi.x",
                StorageClass.IMMEDIATE,
                List.of(new NodeSelector.Term(
                        List.of(new NodeSelector.Requirement("zone", "In", List.of("b"))), List.of()))));
        more.accept(objects);
        return InMemoryCluster.of(objects);
    }

    private static StorageClass storageClass(String name, String provisioner, String mode) {
        return new StorageClass(ObjectMeta.named(name).build(), provisioner, mode, List.of());
    }

    private static PersistentVolumeClaim claimIn(InMemoryCluster cluster, String name) {
        return cluster.find(ObjectKind.PERSISTENT_VOLUME_CLAIM, "default", name).orElseThrow();
    }

    private static Quantity left(InMemoryCluster cluster, String part) {
        return cluster.find(ObjectKind.CSI_STORAGE_CAPACITY, "default", part)
                .orElseThrow()
                .capacity()
                .orElseThrow();
    }

    /** The volume that the claim is bound to; empty for none. */
    record Case(String name, PersistentVolumeClaim claim, List<PersistentVolume> volumes, String volume) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final PersistentVolumeClaim STATIC = claim("c", "static").build();

    static final Case[] CASES = {
        new Case(
                "the smallest that fits",
                STATIC,
                List.of(
                        volume("large", "static", "9Gi").build(),
                        volume("right", "static", "3Gi").build(),
                        volume("small", "static", "1Gi").build()),
                "right"),
        new Case(
                "the first by name of one size",
                STATIC,
                List.of(
                        volume("v2", "static", "3Gi").build(),
                        volume("v1", "static", "3Gi").build()),
                "v1"),
        new Case(
                "the one with the fewest ways to mount it, although it is larger",
                STATIC,
                List.of(
                        volume("many", "static", "2Gi")
                                .accessModes(List.of("ReadWriteOnce", "ReadOnlyMany"))
                                .build(),
                        volume("one", "static", "9Gi").build()),
                "one"),
        new Case(
                "none that cannot be mounted so",
                claim("c", "static").accessModes(List.of("ReadWriteMany")).build(),
                List.of(volume("v", "static", "3Gi").build()),
                ""),
        new Case(
                "none of another class",
                STATIC,
                List.of(volume("v", "now", "3Gi").build()),
                ""),
        new Case(
                "the one that the selector allows",
                claim("c", "static")
                        .selector(new LabelSelector(Map.of("name", "v2"), List.of()))
                        .build(),
                List.of(
                        volume("v1", "static", "3Gi").build(),
                        volume("v2", "static", "4Gi").build()),
                "v2"),
        new Case(
                "none of another mode",
                STATIC,
                List.of(volume("v", "static", "3Gi").volumeMode("Block").build()),
                ""),
        new Case(
                "one that no node can reach",
                STATIC,
                List.of(volume("v", "static", "3Gi")
                        .nodeAffinity(new NodeSelector(List.of()))
                        .build()),
                "v"),
        new Case(
                "the one that is kept for it",
                STATIC,
                List.of(
                        volume("kept", "static", "9Gi")
                                .claim(new PersistentVolume.ClaimReference("default", "c", ""))
                                .build(),
                        volume("v", "static", "3Gi").build()),
                "kept"),
        new Case(
                "none that is kept for another",
                STATIC,
                List.of(volume("v", "static", "3Gi")
                        .claim(new PersistentVolume.ClaimReference("default", "d", ""))
                        .build()),
                ""),
        new Case(
                "one that is new",
                STATIC,
                List.of(volume("v", "static", "3Gi").phase("Pending").build()),
                "v"),
        new Case(
                "none that is released",
                STATIC,
                List.of(volume("v", "static", "3Gi").phase("Released").build()),
                ""),
        new Case(
                "the one that it names",
                claim("c", "static").volumeName("large").build(),
                List.of(
                        volume("large", "static", "9Gi").build(),
                        volume("right", "static", "3Gi").build()),
                "large"),
        new Case(
                "not the one that it names, as it is too small",
                claim("c", "static").volumeName("small").build(),
                List.of(volume("small", "static", "1Gi").build()),
                ""),
        new Case(
                "without a class",
                claim("c", "").build(),
                List.of(volume("v", "", "3Gi").build()),
                "v"),
        new Case("a new one", claim("c", "now").build(), List.of(), "pvc-c"),
        new Case(
                "one that is there rather than a new one",
                claim("c", "now").build(),
                List.of(volume("v", "now", "3Gi").build()),
                "v"),
        new Case("no new one without a provisioner", STATIC, List.of(), ""),
        new Case(
                "none while it waits for a pod",
                claim("c", "wait").build(),
                List.of(volume("v", "wait", "3Gi").build()),
                ""),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void bindsClaimsThatDoNotWaitForAPod(Case c) {
        InMemoryCluster cluster = cluster(objects -> {
            objects.add(c.claim);
            objects.addAll(c.volumes);
        });
        cluster.startControllers();
        PersistentVolumeClaim claim = claimIn(cluster, "c");
        assertThat(claim.isBound() ? claim.volumeName() : "").isEqualTo(c.volume);
        for (PersistentVolume volume : cluster.all(ObjectKind.PERSISTENT_VOLUME)) {
            boolean isBound = volume.name().equals(c.volume);
            assertThat(volume.phase().equals("Bound")).as(volume.name()).isEqualTo(isBound);
            if (isBound) {
                assertThat(volume.claim()).contains(new PersistentVolume.ClaimReference("default", "c", "c"));
            }
        }
    }

    @Test
    void leavesClaimsAloneUnlessAsked() {
        InMemoryCluster cluster =
                cluster(objects -> objects.add(claim("c", "now").build()));
        assertThat(claimIn(cluster, "c").isBound()).isFalse();
    }

    @Test
    void bindsAClaimThatComesLater() {
        InMemoryCluster cluster = cluster(objects -> {});
        cluster.startControllers();
        cluster.apply(STATIC);
        assertThat(claimIn(cluster, "c").isBound()).isFalse();
        cluster.apply(volume("v", "static", "3Gi").build());
        assertThat(claimIn(cluster, "c").volumeName()).isEqualTo("v");
    }

    /** Where the volumes of claims are made: the zones of data-web-0, data-web-1 and logs-web-0. */
    @Test
    void spreadsTheClaimsOfAStatefulSetOverZones() {
        List<String> names = List.of("data-web-0", "data-web-1", "logs-web-0");
        InMemoryCluster cluster = cluster(
                objects -> names.forEach(name -> objects.add(claim(name, "now").build())));
        cluster.startControllers();
        List<Optional<NodeSelector>> zones = new ArrayList<>();
        for (String name : names) {
            zones.add(cluster.find(ObjectKind.PERSISTENT_VOLUME, "", "pvc-" + name)
                    .orElseThrow()
                    .nodeAffinity());
        }
        assertThat(zones.get(0)).isPresent().isEqualTo(zones.get(2)).isNotEqualTo(zones.get(1));
    }

    @Test
    void makesVolumesOnlyWhereTheClassAllowsAndRoomIsLeft() {
        InMemoryCluster cluster = cluster(objects -> {
            objects.add(new CsiDriver(ObjectMeta.named("csi.x").build(), true, false));
            objects.add(part("a", "only-b", "9Gi"));
            objects.add(part("b", "only-b", "5Gi"));
            for (String name : List.of("c1", "c2", "c3")) {
                objects.add(claim(name, "only-b").build());
            }
        });
        cluster.startControllers();
        assertThat(claimIn(cluster, "c1").isBound()).isTrue();
        assertThat(claimIn(cluster, "c2").isBound()).isTrue();
        assertThat(claimIn(cluster, "c3").isBound()).isFalse();
        assertThat(left(cluster, "only-b-a")).isEqualTo(Quantity.parse("9Gi"));
        assertThat(left(cluster, "only-b-b")).isEqualTo(Quantity.parse("1Gi"));
        assertThat(cluster.find(ObjectKind.CSI_STORAGE_CAPACITY, "default", "only-b-b")
                        .orElseThrow()
                        .volumeLimit())
                .contains(Quantity.parse("1Gi"));
    }

    @Test
    void takesTheNodeFromAClaimForWhichNoStorageIsLeft() {
        InMemoryCluster cluster = cluster(objects -> {
            objects.add(new CsiDriver(ObjectMeta.named("csi.x").build(), true, false));
            objects.add(part("a", "wait", "3Gi"));
            objects.add(claim("c1", "wait").build());
            objects.add(claim("c2", "wait").build());
        });
        cluster.volumes().selectNode(claimIn(cluster, "c1"), "n1");
        cluster.volumes().selectNode(claimIn(cluster, "c2"), "n1");
        assertThat(claimIn(cluster, "c1").isBound()).isTrue();
        assertThat(left(cluster, "wait-a")).isEqualTo(Quantity.parse("1Gi"));
        assertThat(claimIn(cluster, "c2").isBound()).isFalse();
        assertThat(claimIn(cluster, "c2").selectedNode()).isEmpty();
        assertThat(claimIn(cluster, "c2").metadata().annotations())
                .containsEntry("volume.kubernetes.io/storage-provisioner", "csi.x");
    }

    @Test
    void givesStorageBackWhenAPodLeaves() {
        Pod pod = Pod.of(
                ObjectMeta.named("p").namespace("default").uid("pod").build(),
                PodSpec.builder()
                        .volumes(List.of(
                                new Volume("x", new Volume.EphemeralClaim()),
                                new Volume("y", new Volume.EphemeralClaim()),
                                new Volume("z", new Volume.EphemeralClaim())))
                        .build());
        InMemoryCluster cluster = cluster(objects -> {
            objects.add(new CsiDriver(ObjectMeta.named("csi.x").build(), true, false));
            objects.add(part("a", "wait", "9Gi"));
            objects.add(pod);
            for (String name : List.of("p-x", "p-y")) {
                objects.add(owned(claim(name, "wait").build(), pod));
            }
            objects.add(owned(claim("p-z", "static").build(), pod));
            objects.add(volume("v", "static", "3Gi").build());
        });
        cluster.startControllers();
        cluster.volumes().selectNode(claimIn(cluster, "p-x"), "n1");
        cluster.volumes().selectNode(claimIn(cluster, "p-y"), "n1");
        assertThat(left(cluster, "wait-a")).isEqualTo(Quantity.parse("5Gi"));
        assertThat(claimIn(cluster, "p-z").volumeName()).isEqualTo("v");

        cluster.remove(pod);

        assertThat(left(cluster, "wait-a")).isEqualTo(Quantity.parse("9Gi"));
        assertThat(cluster.all(ObjectKind.PERSISTENT_VOLUME_CLAIM)).isEmpty();
        assertThat(cluster.all(ObjectKind.PERSISTENT_VOLUME))
                .singleElement()
                .satisfies(volume -> assertThat(volume.phase()).isEqualTo("Released"));
    }

    private static PersistentVolumeClaim owned(PersistentVolumeClaim claim, Pod pod) {
        OwnerReference owner = new OwnerReference("v1", "Pod", pod.name(), pod.uid(), true);
        return claim.toBuilder()
                .metadata(claim.metadata().toBuilder()
                        .ownerReferences(List.of(owner))
                        .build())
                .build();
    }
}
