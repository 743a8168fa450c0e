// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.InTreeVolume;
import org.moorage.api.model.PersistentVolume;

class CsiMigrationTest {
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final InTreeVolume GCE = disk(InTreeVolume.Type.GCE_PERSISTENT_DISK, "d", "");

    record Case(String name, InTreeVolume disk, Map<String, String> labels, String handle) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("an EBS volume", disk(InTreeVolume.Type.AWS_ELASTIC_BLOCK_STORE, "vol-1", ""), Map.of(), "vol-1"),
        new Case(
                "by its address",
                disk(InTreeVolume.Type.AWS_ELASTIC_BLOCK_STORE, "aws://z/vol-1", ""),
                Map.of(),
                "vol-1"),
        new Case("a GCE disk", GCE, Map.of(), "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
        new Case("of a zone", GCE, Map.of(ZONE, "z"), "projects/UNSPECIFIED/zones/z/disks/d"),
        new Case(
                "of a region",
                GCE,
                Map.of(ZONE, "us-east1-a__us-east1-b"),
                "projects/UNSPECIFIED/regions/us-east1/disks/d"),
        new Case("an Azure disk", disk(InTreeVolume.Type.AZURE_DISK, "/uri", "managed"), Map.of(), "/uri"),
        new Case("a Cinder volume", disk(InTreeVolume.Type.CINDER, "c", ""), Map.of(), "c"),
    };

    private static InTreeVolume disk(InTreeVolume.Type type, String id, String kind) {
        return new InTreeVolume(type, id, kind, false);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void namesVolumesAsDriversDo(Case c) {
        assertThat(CsiMigration.volumeHandle(Storage.labelled("v", c.labels), c.disk))
                .isEqualTo(c.handle);
    }

    @Test
    void refusesDisksThatDriversDoNotHave() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CsiMigration.volumeHandle(disk(InTreeVolume.Type.AZURE_DISK, "/uri", "Shared")))
                .withMessage("kind(Shared) is not supported in csi migration");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        CsiMigration.volumeHandle(disk(InTreeVolume.Type.AWS_ELASTIC_BLOCK_STORE, "aws://z/x", "")))
                .withMessageContaining("Invalid format for AWS volume (aws://z/x)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CsiMigration.volumeHandle(Storage.labelled("v", Map.of(ZONE, "a__b")), GCE))
                .withMessageContaining("zone in unexpected format");
    }

    @Test
    void findsNodesByTheLabelsOfDrivers() {
        PersistentVolume byAffinity = Storage.volume("v", "", "1Gi")
                .nodeAffinity(Storage.in(ZONE, "z"))
                .build();
        assertThat(CsiMigration.nodeAffinity(byAffinity, GCE)).contains(Storage.in("topology.gke.io/zone", "z"));
        PersistentVolume byLabel =
                Storage.labelled("v", Map.of("failure-domain.beta.kubernetes.io/zone", "us-east1-b__us-east1-a"));
        assertThat(CsiMigration.nodeAffinity(byLabel, GCE))
                .contains(Storage.in("topology.gke.io/zone", "us-east1-a", "us-east1-b"));
        assertThat(CsiMigration.nodeAffinity(byAffinity, disk(InTreeVolume.Type.PORTWORX, "p", "")))
                .isEqualTo(Optional.of(Storage.in(ZONE, "z")));
    }
}
