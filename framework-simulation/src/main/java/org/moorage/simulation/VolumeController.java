// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.ClusterException;

/**
 * Stands in for the API server, the volume controller and the storage drivers of a cluster in memory, as far as a scheduler has
 * to do with them. For one thread at a time.
 */
public final class VolumeController {
    private static final String YES = "yes";
    private static final String PENDING = "Pending";
    /** Who is to make the volume of a claim. */
    private static final String PROVISIONER = "volume.kubernetes.io/storage-provisioner";
    /** What the names of volumes begin with that were made for a claim. */
    private static final String MADE = "pvc-";

    private static final Comparator<PersistentVolume> BEST_FIRST = Comparator.comparingInt((PersistentVolume volume) ->
                    Set.copyOf(volume.accessModes()).size())
            .thenComparing(volume -> new TreeSet<>(volume.accessModes()).toString())
            .thenComparing(volume -> volume.claim().isEmpty())
            .thenComparing(volume -> volume.claim().isEmpty() ? volume.capacity() : Quantity.ZERO)
            .thenComparing(PersistentVolume::name);

    private final Map<ObjectKind<?>, Map<String, ClusterObject>> objectsByKind;
    private final Map<String, Taken> takenByVolume = new HashMap<>();
    private long version;

    /** The part of the storage that a volume was made of. */
    private record Taken(String partKey, Quantity amount) {}

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
            provisionForNode(changed, changes);
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
                    .phase(PersistentVolume.BOUND)
                    .build());
            changes.add(bound(claim, volume.name()));
        }
    }

    private PersistentVolumeClaim bound(PersistentVolumeClaim claim, String volumeName) {
        Map<String, String> annotations = new HashMap<>(claim.metadata().annotations());
        annotations.put(PersistentVolumeClaim.BIND_COMPLETED, YES);
        if (claim.volumeName().isEmpty()) {
            annotations.put(PersistentVolume.BOUND_BY_CONTROLLER, YES);
        }
        return claim.toBuilder()
                .metadata(changed(claim.metadata(), annotations))
                .volumeName(volumeName)
                .phase(PersistentVolume.BOUND)
                .build();
    }

    // What a storage driver does when a claim is given a node. Without room there, it asks for another node.
    private void provisionForNode(PersistentVolumeClaim claim, List<ClusterObject> changes) {
        StorageClass storageClass = provisionedClass(claim);
        String nodeName = claim.selectedNode().orElse("");
        if (storageClass != null && !nodeName.isEmpty() && !provision(claim, storageClass, nodeName, changes)) {
            Map<String, String> annotations = new HashMap<>(claim.metadata().annotations());
            annotations.remove(PersistentVolumeClaim.SELECTED_NODE);
            annotations.put(PROVISIONER, storageClass.provisioner());
            changes.add(claim.toBuilder()
                    .metadata(changed(claim.metadata(), annotations))
                    .build());
        }
    }

    private @Nullable StorageClass provisionedClass(PersistentVolumeClaim claim) {
        return !claim.isBound()
                        && find(ObjectKind.STORAGE_CLASS, claim.storageClassName()) instanceof StorageClass found
                        && found.hasProvisioner()
                ? found
                : null;
    }

    private boolean provision(
            PersistentVolumeClaim claim, StorageClass storageClass, String nodeName, List<ClusterObject> changes) {
        String name = MADE + claim.metadata().uid();
        Quantity size = claim.request().orElse(Quantity.ZERO);
        if (claim.request().isPresent() && isMeasured(storageClass.provisioner())) {
            CsiStorageCapacity part = partWithRoom(storageClass, size, nodeName);
            if (part == null) {
                return false;
            }
            changes.add(withMore(part, Quantity.ZERO.minus(size)));
            takenByVolume.put(name, new Taken(part.key(), size));
        }
        PersistentVolume.Builder volume = PersistentVolume.of(changed(
                        ObjectMeta.named(name).uid(name).build(), Map.of(PersistentVolume.BOUND_BY_CONTROLLER, YES)))
                .capacity(size)
                .accessModes(claim.accessModes())
                .storageClassName(storageClass.name())
                .volumeMode(claim.volumeMode())
                .attributesClassName(claim.attributesClassName())
                .claim(referenceTo(claim))
                .csi(new PersistentVolume.CsiSource(storageClass.provisioner(), name))
                .phase(PersistentVolume.BOUND);
        reachableFrom(nodeName, storageClass.provisioner()).ifPresent(volume::nodeAffinity);
        changes.add(volume.build());
        Map<String, String> annotations = new HashMap<>(claim.metadata().annotations());
        annotations.put(PROVISIONER, storageClass.provisioner());
        changes.add(bound(
                claim.toBuilder()
                        .metadata(changed(claim.metadata(), annotations))
                        .build(),
                name));
        return true;
    }

    private static PersistentVolume.ClaimReference referenceTo(PersistentVolumeClaim claim) {
        return new PersistentVolume.ClaimReference(
                claim.namespace(), claim.name(), claim.metadata().uid());
    }

    private boolean isMeasured(String driverName) {
        return find(ObjectKind.CSI_DRIVER, driverName) instanceof CsiDriver driver && driver.storageCapacity();
    }

    // The one that VolumeBinding has in mind, too: the first by name.
    private @Nullable CsiStorageCapacity partWithRoom(StorageClass storageClass, Quantity size, String nodeName) {
        CsiStorageCapacity first = null;
        if (find(ObjectKind.NODE, nodeName) instanceof Node node) {
            for (CsiStorageCapacity part : all(ObjectKind.CSI_STORAGE_CAPACITY)) {
                if (part.storageClassName().equals(storageClass.name())
                        && part.volumeLimit()
                                .filter(limit -> limit.value() >= size.value())
                                .isPresent()
                        && part.nodeTopology()
                                .filter(topology -> topology.matches(node.labels()))
                                .isPresent()
                        && (first == null || part.key().compareTo(first.key()) < 0)) {
                    first = part;
                }
            }
        }
        return first;
    }

    private CsiStorageCapacity withMore(CsiStorageCapacity part, Quantity more) {
        Optional<Quantity> capacity =
                part.capacity().map(before -> before.plus(more).max(Quantity.ZERO));
        // No volume can be larger than what is left.
        Optional<Quantity> most = part.maximumVolumeSize()
                .map(before ->
                        capacity.filter(left -> left.compareTo(before) < 0).orElse(before));
        return new CsiStorageCapacity(
                changed(part.metadata(), part.metadata().annotations()),
                part.storageClassName(),
                capacity,
                most,
                part.nodeTopology());
    }

    /**
     * Does what is to be done without a pod: makes volumes available, binds claims that do not wait for a pod, to volumes that
     * are there or else to new ones.
     *
     * @return all objects that have changed or are new, in order; the tables have them already
     */
    public List<ClusterObject> settle() {
        List<ClusterObject> settled = new ArrayList<>();
        for (PersistentVolume volume : all(ObjectKind.PERSISTENT_VOLUME)) {
            boolean isOpen =
                    volume.claim().filter(claim -> !claim.uid().isEmpty()).isEmpty();
            if (isOpen && (volume.phase().isEmpty() || volume.phase().equals(PENDING))) {
                keep(List.of(available(volume)), settled);
            }
        }
        Map<String, Segments> segmentsByDriver = new HashMap<>();
        for (PersistentVolumeClaim claim : all(ObjectKind.PERSISTENT_VOLUME_CLAIM)) {
            if (!claim.isBound() && !claim.isLost() && !claim.metadata().isDeleting()) {
                keep(settled(claim, segmentsByDriver), settled);
            }
        }
        return settled;
    }

    private void keep(List<? extends ClusterObject> changes, List<ClusterObject> settled) {
        for (ClusterObject changed : changes) {
            objectsByKind
                    .computeIfAbsent(ObjectKind.of(changed), any -> new LinkedHashMap<>())
                    .put(changed.key(), changed);
        }
        settled.addAll(changes);
    }

    private PersistentVolume available(PersistentVolume volume) {
        return volume.toBuilder()
                .metadata(changed(volume.metadata(), volume.metadata().annotations()))
                .phase(PersistentVolume.AVAILABLE)
                .build();
    }

    private List<ClusterObject> settled(PersistentVolumeClaim claim, Map<String, Segments> segmentsByDriver) {
        List<ClusterObject> changes = new ArrayList<>();
        boolean isDelayed = find(ObjectKind.STORAGE_CLASS, claim.storageClassName()) instanceof StorageClass found
                && found.isDelayed();
        PersistentVolume volume = claim.volumeName().isEmpty() ? matching(claim, isDelayed) : wanted(claim);
        if (volume != null) {
            boolean wasKept = volume.claim().isPresent();
            Map<String, String> annotations = new HashMap<>(volume.metadata().annotations());
            if (!wasKept) {
                annotations.put(PersistentVolume.BOUND_BY_CONTROLLER, YES);
            }
            changes.add(volume.toBuilder()
                    .metadata(changed(volume.metadata(), annotations))
                    .claim(referenceTo(claim))
                    .phase(PersistentVolume.BOUND)
                    .build());
            changes.add(bound(claim, volume.name()));
        } else if (claim.volumeName().isEmpty()) {
            if (isDelayed) {
                provisionForNode(claim, changes);
            } else {
                provisionAnywhere(claim, segmentsByDriver, changes);
            }
        }
        return changes;
    }

    // The volume that a claim names.
    private @Nullable PersistentVolume wanted(PersistentVolumeClaim claim) {
        if (!(find(ObjectKind.PERSISTENT_VOLUME, claim.volumeName()) instanceof PersistentVolume volume)) {
            return null;
        }
        boolean isKept = volume.claim().filter(known -> known.covers(claim)).isPresent();
        boolean suits = volume.couldServe(claim)
                && volume.storageClassName().equals(claim.storageClassName())
                && volume.accessModes().containsAll(claim.accessModes());
        return isKept || suits ? volume : null;
    }

    // Fewer ways to mount a volume come before a smaller size. Claims that wait for a pod only take what is kept for
    // them.
    private @Nullable PersistentVolume matching(PersistentVolumeClaim claim, boolean isDelayed) {
        PersistentVolume best = null;
        for (PersistentVolume volume : all(ObjectKind.PERSISTENT_VOLUME)) {
            boolean isKept = volume.claim().isPresent() && volume.accessModes().containsAll(claim.accessModes());
            boolean isFree = !isDelayed
                    && volume.claim().isEmpty()
                    && volume.storageClassName().equals(claim.storageClassName())
                    && volume.isFreeFor(claim);
            if ((isKept || isFree)
                    && volume.couldServe(claim)
                    && (best == null || BEST_FIRST.compare(volume, best) < 0)) {
                best = volume;
            }
        }
        return best;
    }

    // Where a volume that waits for no pod is made, nobody says.
    private void provisionAnywhere(
            PersistentVolumeClaim claim, Map<String, Segments> segmentsByDriver, List<ClusterObject> changes) {
        StorageClass storageClass = provisionedClass(claim);
        if (storageClass == null) {
            return;
        }
        List<Node> nodes = segmentsByDriver
                .computeIfAbsent(storageClass.provisioner(), this::segmentsOf)
                .nodesFor(claim.name());
        for (Node node : nodes) {
            if (storageClass.allows(node.labels()) && provision(claim, storageClass, node.name(), changes)) {
                return;
            }
        }
    }

    private Segments segmentsOf(String driverName) {
        Segments segments = new Segments();
        for (Node node : all(ObjectKind.NODE)) {
            if (find(ObjectKind.CSI_NODE, node.name()) instanceof CsiNode csiNode) {
                for (CsiNode.Driver driver : csiNode.drivers()) {
                    if (driver.name().equals(driverName)) {
                        segments.add(node, driver.topologyKeys());
                    }
                }
            }
        }
        if (segments.isEmpty()) {
            // A driver that does not say where it is can be reached from everywhere.
            all(ObjectKind.NODE).forEach(node -> segments.add(node, List.of()));
        }
        return segments;
    }

    /**
     * Deletes what was there for a pod alone: its claims, and the volumes that were made for them.
     *
     * @param gone is given the objects that are to be deleted
     * @return all objects that have changed, in order; the tables have them already
     */
    public List<ClusterObject> released(Pod pod, Consumer<ClusterObject> gone) {
        List<ClusterObject> changes = new ArrayList<>();
        for (Volume volume : pod.spec().volumes()) {
            if (volume.source() instanceof Volume.EphemeralClaim
                    && find(ObjectKind.PERSISTENT_VOLUME_CLAIM, pod.namespace() + "/" + volume.claimName(pod))
                            instanceof PersistentVolumeClaim claim
                    && claim.isMadeFor(pod)) {
                gone.accept(claim);
                if (find(ObjectKind.PERSISTENT_VOLUME, claim.volumeName()) instanceof PersistentVolume bound) {
                    release(bound, gone, changes);
                }
            }
        }
        return changes;
    }

    private void release(PersistentVolume volume, Consumer<ClusterObject> gone, List<ClusterObject> changes) {
        if (!volume.name().startsWith(MADE)) {
            PersistentVolume released = volume.toBuilder()
                    .metadata(changed(volume.metadata(), volume.metadata().annotations()))
                    .phase("Released")
                    .build();
            keep(List.of(released), changes);
            return;
        }
        gone.accept(volume);
        Taken taken = takenByVolume.remove(volume.name());
        if (taken != null && find(ObjectKind.CSI_STORAGE_CAPACITY, taken.partKey) instanceof CsiStorageCapacity part) {
            keep(List.of(withMore(part, taken.amount)), changes);
        }
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

    private <T extends ClusterObject> List<T> all(ObjectKind<T> kind) {
        List<T> all = new ArrayList<>();
        for (ClusterObject object : objectsByKind.getOrDefault(kind, Map.of()).values()) {
            all.add(kind.type().cast(object));
        }
        return all;
    }

    private @Nullable ClusterObject find(ObjectKind<?> kind, String key) {
        return objectsByKind.getOrDefault(kind, Map.of()).get(key);
    }
}
