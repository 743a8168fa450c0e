// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.InTreeVolume;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;
import org.moorage.api.model.VolumeAttachment;

/** Decodes the volumes of pods, and the kinds of storage. */
final class VolumeDecoder {
    /** By the field of the volume source, in pods and in PersistentVolumes. */
    private static final Map<String, InTreeVolume.Type> IN_TREE_VOLUMES = Map.of(
            "awsElasticBlockStore", InTreeVolume.Type.AWS_ELASTIC_BLOCK_STORE,
            "gcePersistentDisk", InTreeVolume.Type.GCE_PERSISTENT_DISK,
            "azureDisk", InTreeVolume.Type.AZURE_DISK,
            "azureFile", InTreeVolume.Type.AZURE_FILE,
            "cinder", InTreeVolume.Type.CINDER,
            "portworxVolume", InTreeVolume.Type.PORTWORX,
            "vsphereVolume", InTreeVolume.Type.VSPHERE);

    private final SharedValues shared;
    private final SelectorDecoder selectors;

    VolumeDecoder(SharedValues shared, SelectorDecoder selectors) {
        this.shared = shared;
        this.selectors = selectors;
    }

    List<Volume> volumes(FieldReader spec) {
        List<Volume> volumes = new ArrayList<>(0);
        for (Optional<Volume> volume : spec.list("volumes", this::volume)) {
            volume.ifPresent(volumes::add);
        }
        return List.copyOf(volumes);
    }

    static List<String> imageVolumes(FieldReader spec) {
        List<String> images = new ArrayList<>(
                spec.list("volumes", volume -> volume.object("image").text("reference")));
        images.removeIf(String::isEmpty);
        return List.copyOf(images);
    }

    private Optional<Volume> volume(FieldReader volume) {
        return volumeSource(volume).map(source -> shared.value(new Volume(shared.text(volume.text("name")), source)));
    }

    private Optional<Volume.Source> volumeSource(FieldReader volume) {
        if (volume.has("persistentVolumeClaim")) {
            return Optional.of(
                    new Volume.Claim(volume.object("persistentVolumeClaim").text("claimName")));
        }
        if (volume.has("ephemeral")) {
            return Optional.of(new Volume.EphemeralClaim());
        }
        if (volume.has("iscsi")) {
            FieldReader iscsi = volume.object("iscsi");
            return Optional.of(new Volume.Iscsi(iscsi.text("iqn"), iscsi.flag("readOnly")));
        }
        if (volume.has("rbd")) {
            FieldReader rbd = volume.object("rbd");
            return Optional.of(
                    new Volume.Rbd(rbd.texts("monitors"), rbd.text("pool"), rbd.text("image"), rbd.flag("readOnly")));
        }
        if (volume.has("csi")) {
            return Optional.of(
                    new Volume.InlineCsi(shared.text(volume.object("csi").text("driver"))));
        }
        if (volume.has("emptyDir")) {
            return Optional.of(
                    new Volume.EmptyDir(shared.text(volume.object("emptyDir").text("medium"))));
        }
        if (volume.has("hostPath")) {
            return Optional.of(new Volume.HostPath());
        }
        return inTreeVolume(volume).map(disk -> disk);
    }

    private static Optional<InTreeVolume> inTreeVolume(FieldReader volume) {
        for (Map.Entry<String, InTreeVolume.Type> field : IN_TREE_VOLUMES.entrySet()) {
            if (volume.has(field.getKey())) {
                FieldReader disk = volume.object(field.getKey());
                String id = switch (field.getValue()) {
                    case AWS_ELASTIC_BLOCK_STORE, CINDER, PORTWORX -> disk.text("volumeID");
                    case GCE_PERSISTENT_DISK -> disk.text("pdName");
                    case AZURE_DISK -> disk.text("diskURI");
                    case AZURE_FILE -> disk.text("shareName");
                    case VSPHERE -> disk.text("volumePath");
                };
                return Optional.of(new InTreeVolume(field.getValue(), id, disk.text("kind"), disk.flag("readOnly")));
            }
        }
        return Optional.empty();
    }

    PersistentVolume persistentVolume(ObjectMeta metadata, FieldReader root) {
        FieldReader spec = root.object("spec");
        PersistentVolume.Builder result = PersistentVolume.of(metadata)
                .capacity(shared.quantities(spec, "capacity").getOrDefault("storage", Quantity.ZERO))
                .accessModes(shared.value(spec.texts("accessModes")))
                .storageClassName(shared.text(spec.text("storageClassName")))
                .volumeMode(shared.text(spec.text("volumeMode", PersistentVolumeClaim.FILESYSTEM)))
                .attributesClassName(shared.text(spec.text("volumeAttributesClassName")))
                .phase(shared.text(root.object("status").text("phase")));
        spec.object("nodeAffinity")
                .optional("required", selectors::nodeSelector)
                .ifPresent(selector -> result.nodeAffinity(shared.value(selector)));
        spec.optional(
                        "claimRef",
                        claim -> new PersistentVolume.ClaimReference(
                                shared.text(claim.text("namespace")), claim.text("name"), claim.text("uid")))
                .ifPresent(result::claim);
        spec.optional(
                        "csi",
                        csi -> new PersistentVolume.CsiSource(
                                shared.text(csi.text("driver")), csi.text("volumeHandle")))
                .ifPresent(result::csi);
        inTreeVolume(spec).ifPresent(result::inTreeVolume);
        return result.build();
    }

    PersistentVolumeClaim persistentVolumeClaim(ObjectMeta metadata, FieldReader root) {
        FieldReader spec = root.object("spec");
        PersistentVolumeClaim.Builder result = PersistentVolumeClaim.of(metadata)
                .accessModes(shared.value(spec.texts("accessModes")))
                .storageClassName(shared.text(spec.text("storageClassName")))
                .volumeMode(shared.text(spec.text("volumeMode", PersistentVolumeClaim.FILESYSTEM)))
                .attributesClassName(shared.text(spec.text("volumeAttributesClassName")))
                .volumeName(spec.text("volumeName"))
                .phase(shared.text(root.object("status").text("phase")));
        Quantity request =
                shared.quantities(spec.object("resources"), "requests").get("storage");
        if (request != null) {
            result.request(request);
        }
        spec.optional("selector", selectors::labelSelector)
                .ifPresent(selector -> result.selector(shared.value(selector)));
        return result.build();
    }

    StorageClass storageClass(ObjectMeta metadata, FieldReader root) {
        return new StorageClass(
                metadata,
                shared.text(root.text("provisioner")),
                shared.text(root.text("volumeBindingMode")),
                root.list("allowedTopologies", this::topologyTerm));
    }

    private NodeSelector.Term topologyTerm(FieldReader term) {
        return new NodeSelector.Term(
                term.list(
                        "matchLabelExpressions",
                        label -> new NodeSelector.Requirement(
                                shared.text(label.text("key")), "In", label.texts("values"))),
                List.of());
    }

    CsiNode csiNode(ObjectMeta metadata, FieldReader root) {
        return new CsiNode(metadata, shared.value(root.object("spec").list("drivers", this::csiNodeDriver)));
    }

    private CsiNode.Driver csiNodeDriver(FieldReader driver) {
        FieldReader allocatable = driver.object("allocatable");
        return shared.value(new CsiNode.Driver(
                shared.text(driver.text("name")),
                shared.value(driver.texts("topologyKeys")),
                allocatable.has("count") ? OptionalInt.of(allocatable.number("count")) : OptionalInt.empty()));
    }

    CsiDriver csiDriver(ObjectMeta metadata, FieldReader root) {
        FieldReader spec = root.object("spec");
        return new CsiDriver(metadata, spec.flag("storageCapacity"), spec.flag("preventPodSchedulingIfMissing"));
    }

    CsiStorageCapacity csiStorageCapacity(ObjectMeta metadata, FieldReader root) {
        return new CsiStorageCapacity(
                metadata,
                shared.text(root.text("storageClassName")),
                root.optionalQuantity("capacity"),
                root.optionalQuantity("maximumVolumeSize"),
                root.optional("nodeTopology", selectors::labelSelector).map(shared::value));
    }

    VolumeAttachment volumeAttachment(ObjectMeta metadata, FieldReader root) {
        FieldReader spec = root.object("spec");
        return new VolumeAttachment(
                metadata,
                shared.text(spec.text("attacher")),
                shared.text(spec.text("nodeName")),
                spec.object("source").text("persistentVolumeName"));
    }
}
