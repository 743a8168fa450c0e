// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import java.util.List;
import java.util.Map;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;

/** Volumes, claims and classes for tests. */
public final class Storage {
    private Storage() {}

    /** An open claim of 1Gi. */
    public static PersistentVolumeClaim.Builder claim(String name, String className) {
        return PersistentVolumeClaim.of(ObjectMeta.named(name)
                        .namespace("default")
                        .uid("claim-" + name)
                        .resourceVersion("1")
                        .build())
                .accessModes(List.of("ReadWriteOnce"))
                .request(Quantity.parse("1Gi"))
                .storageClassName(className)
                .phase("Pending");
    }

    /** A claim that is bound on both sides. */
    public static PersistentVolumeClaim bound(String name, String volumeName) {
        PersistentVolumeClaim claim = claim(name, "now").build();
        return claim.toBuilder()
                .metadata(claim.metadata().toBuilder()
                        .annotations(Map.of(PersistentVolumeClaim.BIND_COMPLETED, "yes"))
                        .resourceVersion("2")
                        .build())
                .volumeName(volumeName)
                .phase("Bound")
                .build();
    }

    /** A free volume. */
    public static PersistentVolume.Builder volume(String name, String className, String capacity) {
        return PersistentVolume.of(ObjectMeta.named(name)
                        .uid("volume-" + name)
                        .resourceVersion("1")
                        .build())
                .accessModes(List.of("ReadWriteOnce"))
                .capacity(Quantity.parse(capacity))
                .storageClassName(className)
                .phase("Available");
    }

    /** A volume of the driver csi.x with these labels. */
    public static PersistentVolume labelled(String name, Map<String, String> labels) {
        return volume(name, "now", "5Gi")
                .metadata(ObjectMeta.named(name).labels(labels).build())
                .csi(new PersistentVolume.CsiSource("csi.x", "handle-" + name))
                .build();
    }

    /** Only this node. */
    public static NodeSelector on(String node) {
        return in("kubernetes.io/hostname", node);
    }

    /** Only nodes with one of these values. */
    public static NodeSelector in(String label, String... values) {
        return new NodeSelector(List.of(
                new NodeSelector.Term(List.of(new NodeSelector.Requirement(label, "In", List.of(values))), List.of())));
    }

    /** A class whose claims wait for a pod. */
    public static StorageClass delayed(String name, String provisioner, NodeSelector.Term... allowed) {
        return new StorageClass(
                ObjectMeta.named(name).build(), provisioner, StorageClass.WAIT_FOR_FIRST_CONSUMER, List.of(allowed));
    }

    /** A class whose claims are bound at once. */
    public static StorageClass immediate(String name) {
        return new StorageClass(ObjectMeta.named(name).build(), "csi.x", StorageClass.IMMEDIATE, List.of());
    }
}
