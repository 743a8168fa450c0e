// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.Patch;

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

    private PersistentVolumeClaim claim() {
        return cluster.find(ObjectKind.PERSISTENT_VOLUME_CLAIM, "default", "c").orElseThrow();
    }

    @Test
    void bindsAVolumeThatIsGivenToAClaim() {
        cluster.patch(
                ObjectKind.PERSISTENT_VOLUME,
                "",
                "v",
                Patch.merge("{\"spec\":{\"claimRef\":{\"namespace\":\"default\",\"name\":\"c\",\"uid\":\"u\"}}}"));
        PersistentVolume volume =
                cluster.find(ObjectKind.PERSISTENT_VOLUME, "", "v").orElseThrow();
        assertThat(volume.phase()).isEqualTo("Bound");
        assertThat(volume.claim()).contains(new PersistentVolume.ClaimReference("default", "c", "u"));
        assertThat(claim().isBound()).isTrue();
        assertThat(claim().volumeName()).isEqualTo("v");
    }

    @Test
    void makesAVolumeForAClaimThatIsGivenANode() {
        cluster.patch(
                ObjectKind.PERSISTENT_VOLUME_CLAIM,
                "default",
                "c",
                Patch.merge(
                        "{\"metadata\":{\"resourceVersion\":\"5\",\"annotations\":{\"volume.kubernetes.io/selected-node\":\"n\"}}}"));
        assertThat(claim().isBound()).isTrue();
        PersistentVolume made = cluster.find(ObjectKind.PERSISTENT_VOLUME, "", claim().volumeName())
                .orElseThrow();
        assertThat(made.capacity()).isEqualTo(Quantity.of(7));
        assertThat(made.csi()).contains(new PersistentVolume.CsiSource("csi.x", made.name()));
        assertThat(made.nodeAffinity())
                .contains(new NodeSelector(List.of(new NodeSelector.Term(
                        List.of(new NodeSelector.Requirement("zone", "In", List.of("a"))), List.of()))));
    }

    @Test
    void takesNoPatchForAnotherVersion() {
        assertThatExceptionOfType(ClusterException.class)
                .isThrownBy(() -> cluster.patch(
                        ObjectKind.PERSISTENT_VOLUME_CLAIM,
                        "default",
                        "c",
                        Patch.merge("{\"metadata\":{\"resourceVersion\":\"4\"}}")))
                .matches(ClusterException::isConflict);
        assertThat(claim()).isSameAs(CLAIM);
    }

    @Test
    void refusesPatchesThatItCannotMake() {
        assertThatExceptionOfType(ClusterException.class)
                .isThrownBy(() -> cluster.patch(ObjectKind.NODE, "", "n", Patch.merge("{}")))
                .withMessageContaining("not supported");
        assertThatExceptionOfType(ClusterException.class)
                .isThrownBy(() -> cluster.patch(
                        ObjectKind.PERSISTENT_VOLUME_CLAIM,
                        "default",
                        "c",
                        Patch.merge("{\"spec\":{\"volumeName\":\"v\"}}")))
                .withMessageContaining("spec.volumeName");
        assertThatExceptionOfType(ClusterException.class)
                .isThrownBy(() -> cluster.patch(ObjectKind.PERSISTENT_VOLUME, "", "gone", Patch.merge("{}")))
                .matches(ClusterException::isNotFound);
    }
}
