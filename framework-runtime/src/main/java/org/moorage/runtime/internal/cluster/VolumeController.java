// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
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

/**
 * Stands in for the API server, the volume controller and the storage drivers of a cluster in memory, as far as a scheduler has
 * to do with them. For one thread at a time.
 */
public final class VolumeController {
    private static final String YES = "yes";
    private static final String BOUND = "Bound";

    private final Map<ObjectKind<?>, Map<String, ClusterObject>> objectsByKind;
    private long version;

    /**
     * A controller.
     *
     * @param objectsByKind the objects of the cluster, by kind and key, as they are at any time
     */
    public VolumeController(Map<ObjectKind<?>, Map<String, ClusterObject>> objectsByKind) {
        this.objectsByKind = objectsByKind;
    }

    /**
     * What a merge patch of a volume or claim makes of it, and what comes of that.
     *
     * @param current the object
     * @param patch the patch
     * @return all objects that have changed or are new, in order
     * @throws ClusterException if the object, or a field that the patch is about, cannot be patched
     */
    public List<ClusterObject> patched(ClusterObject current, ObjectNode patch) {
        List<ClusterObject> changes = new ArrayList<>();
        if (current instanceof PersistentVolume volume) {
            demandFields(patch, "spec.claimRef");
            PersistentVolume changed = patchedVolume(volume, patch);
            changes.add(changed);
            bind(changed, changes);
        } else if (current instanceof PersistentVolumeClaim claim) {
            demandFields(patch, "");
            PersistentVolumeClaim changed =
                    claim.toBuilder().metadata(patchedMetadata(claim, patch)).build();
            changes.add(changed);
            provision(changed, changes);
        } else {
            throw new ClusterException("patch " + current.key() + ": not supported by a cluster in memory", 405, null);
        }
        return changes;
    }

    private static void demandFields(ObjectNode patch, String allowed) {
        patch.properties()
                .forEach(part -> part.getValue().fieldNames().forEachRemaining(field -> {
                    String path = part.getKey() + "." + field;
                    if (!path.equals(allowed)
                            && !path.equals("metadata.annotations")
                            && !path.equals("metadata.resourceVersion")) {
                        throw new ClusterException(
                                "patch: " + path + ": not supported by a cluster in memory", 405, null);
                    }
                }));
    }

    private PersistentVolume patchedVolume(PersistentVolume volume, ObjectNode patch) {
        PersistentVolume.Builder result = volume.toBuilder().metadata(patchedMetadata(volume, patch));
        JsonNode reference = patch.path("spec").path("claimRef");
        if (reference.isObject()) {
            Optional<PersistentVolume.ClaimReference> known = volume.claim();
            result.claim(new PersistentVolume.ClaimReference(
                    reference
                            .path("namespace")
                            .asText(known.map(PersistentVolume.ClaimReference::namespace)
                                    .orElse("")),
                    reference
                            .path("name")
                            .asText(known.map(PersistentVolume.ClaimReference::name)
                                    .orElse("")),
                    reference
                            .path("uid")
                            .asText(known.map(PersistentVolume.ClaimReference::uid)
                                    .orElse(""))));
        }
        return result.build();
    }

    private ObjectMeta patchedMetadata(ClusterObject object, ObjectNode patch) {
        Map<String, String> annotations = new HashMap<>(object.metadata().annotations());
        patch.path("metadata").path("annotations").properties().forEach(entry -> {
            if (entry.getValue().isNull()) {
                annotations.remove(entry.getKey());
            } else {
                annotations.put(entry.getKey(), entry.getValue().asText());
            }
        });
        return changed(object.metadata(), annotations);
    }

    private ObjectMeta changed(ObjectMeta metadata, Map<String, String> annotations) {
        String next = Long.toString(++version);
        while (next.equals(metadata.resourceVersion())) {
            next = Long.toString(++version);
        }
        return metadata.toBuilder()
                .annotations(annotations)
                .resourceVersion(next)
                .build();
    }

    // What the volume controller does when it finds a volume that somebody has given to a claim.
    private void bind(PersistentVolume volume, List<ClusterObject> changes) {
        PersistentVolume.ClaimReference reference = volume.claim().orElse(null);
        if (reference == null) {
            return;
        }
        ClusterObject found = find(ObjectKind.PERSISTENT_VOLUME_CLAIM, reference.namespace() + "/" + reference.name());
        if (found instanceof PersistentVolumeClaim claim && reference.covers(claim) && !claim.isBound()) {
            changes.add(volume.toBuilder()
                    .metadata(changed(volume.metadata(), volume.metadata().annotations()))
                    .phase(BOUND)
                    .build());
            changes.add(bound(claim, volume.name()));
        }
    }

    private PersistentVolumeClaim bound(PersistentVolumeClaim claim, String volumeName) {
        Map<String, String> annotations = new HashMap<>(claim.metadata().annotations());
        annotations.put(PersistentVolumeClaim.BIND_COMPLETED, YES);
        annotations.put(PersistentVolume.BOUND_BY_CONTROLLER, YES);
        return claim.toBuilder()
                .metadata(changed(claim.metadata(), annotations))
                .volumeName(volumeName)
                .phase(BOUND)
                .build();
    }

    // What a storage driver does when a claim is given a node.
    private void provision(PersistentVolumeClaim claim, List<ClusterObject> changes) {
        ClusterObject found = find(ObjectKind.STORAGE_CLASS, claim.storageClassName());
        String nodeName = claim.selectedNode().orElse("");
        if (nodeName.isEmpty()
                || claim.isBound()
                || !(found instanceof StorageClass storageClass)
                || !storageClass.hasProvisioner()) {
            return;
        }
        String name = "pvc-" + claim.metadata().uid();
        PersistentVolume.Builder volume = PersistentVolume.of(changed(
                        ObjectMeta.named(name).uid(name).build(), Map.of(PersistentVolume.BOUND_BY_CONTROLLER, YES)))
                .capacity(claim.request().orElse(Quantity.ZERO))
                .accessModes(claim.accessModes())
                .storageClassName(storageClass.name())
                .volumeMode(claim.volumeMode())
                .attributesClassName(claim.attributesClassName())
                .claim(new PersistentVolume.ClaimReference(
                        claim.namespace(), claim.name(), claim.metadata().uid()))
                .csi(new PersistentVolume.CsiSource(storageClass.provisioner(), name))
                .phase(BOUND);
        reachableFrom(nodeName, storageClass.provisioner()).ifPresent(volume::nodeAffinity);
        changes.add(volume.build());
        changes.add(bound(claim, name));
    }

    // A driver's volume can be reached from where the node is, in terms of the labels that the driver names.
    private Optional<NodeSelector> reachableFrom(String nodeName, String driverName) {
        if (!(find(ObjectKind.CSI_NODE, nodeName) instanceof CsiNode csiNode)
                || !(find(ObjectKind.NODE, nodeName) instanceof Node node)) {
            return Optional.empty();
        }
        List<NodeSelector.Requirement> requirements = new ArrayList<>();
        for (CsiNode.Driver driver : csiNode.drivers()) {
            for (String key : driver.name().equals(driverName) ? driver.topologyKeys() : List.<String>of()) {
                String value = node.labels().get(key);
                if (value != null) {
                    requirements.add(new NodeSelector.Requirement(key, "In", List.of(value)));
                }
            }
        }
        return requirements.isEmpty()
                ? Optional.empty()
                : Optional.of(new NodeSelector(List.of(new NodeSelector.Term(requirements, List.of()))));
    }

    private @Nullable ClusterObject find(ObjectKind<?> kind, String key) {
        return objectsByKind.getOrDefault(kind, Map.of()).get(key);
    }
}
