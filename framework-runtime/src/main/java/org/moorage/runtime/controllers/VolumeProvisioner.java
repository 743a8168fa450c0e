// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.controllers;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;

/**
 * Provisions volumes in an in-memory cluster, as CSI drivers and their external-provisioner do, and keeps the storage
 * capacities up to date. Guarded by the monitor of the table.
 */
final class VolumeProvisioner {
    /** The annotation of a claim that names the provisioner of its volume. */
    private static final String PROVISIONER = "volume.kubernetes.io/storage-provisioner";
    /** The annotation of a provisioned volume that holds the key of the storage capacity that it was taken from. */
    private static final String CAPACITY = "moorage.org/storage-capacity";
    /** The annotation of a lowered storage capacity that holds the largest volume that the driver published. */
    private static final String LARGEST = "moorage.org/maximum-volume-size";
    /** The prefix of the names of provisioned volumes. */
    private static final String NAME_PREFIX = "pvc-";

    private final ObjectTable objects;

    VolumeProvisioner(ObjectTable objects) {
        this.objects = objects;
    }

    /** Returns the claim with the annotation of the provisioner of its class. */
    PersistentVolumeClaim handledBy(PersistentVolumeClaim claim, StorageClass storageClass) {
        return claim.withMetadata(claim.metadata().withAnnotation(PROVISIONER, storageClass.provisioner()));
    }

    /**
     * Provisions a volume for a claim on the first node that the class allows and that has capacity; empty if there is
     * none.
     */
    Optional<PersistentVolume> provision(
            PersistentVolumeClaim claim, StorageClass storageClass, TopologySegments segments) {
        for (Node node : segments.nodesFor(claim.name())) {
            if (storageClass.allows(node.labels())) {
                Optional<PersistentVolume> volume = provision(claim, storageClass, node.name());
                if (volume.isPresent()) {
                    return volume;
                }
            }
        }
        return Optional.empty();
    }

    /** Provisions a volume for a claim that can be reached from a node; empty if no capacity is left there. */
    Optional<PersistentVolume> provision(PersistentVolumeClaim claim, StorageClass storageClass, String nodeName) {
        String driver = storageClass.provisioner();
        String name = NAME_PREFIX + claim.metadata().uid();
        Quantity size = claim.request().orElse(Quantity.ZERO);
        Map<String, String> annotations = new HashMap<>(Map.of(PersistentVolume.BOUND_BY_CONTROLLER, "yes"));
        if (claim.request().isPresent() && publishesCapacity(driver)) {
            Optional<CsiStorageCapacity> capacity = capacityFor(storageClass, size, nodeName);
            if (capacity.isEmpty()) {
                return Optional.empty();
            }
            objects.update(plus(capacity.get(), Quantity.ZERO.minus(size)));
            annotations.put(CAPACITY, capacity.get().key());
        }
        ObjectMeta metadata =
                ObjectMeta.named(name).uid(name).annotations(annotations).build();
        PersistentVolume.Builder volume = PersistentVolume.of(metadata)
                .capacity(size)
                .accessModes(claim.accessModes())
                .storageClassName(storageClass.name())
                .volumeMode(claim.volumeMode())
                .attributesClassName(claim.attributesClassName())
                .claim(PersistentVolume.ClaimReference.to(claim))
                .csi(new PersistentVolume.CsiSource(driver, name))
                .phase(PersistentVolume.BOUND);
        accessibleTopology(nodeName, driver).ifPresent(volume::nodeAffinity);
        return Optional.of(objects.update(volume.build()));
    }

    private boolean publishesCapacity(String driver) {
        return objects.find(ObjectKind.CSI_DRIVER, driver)
                .filter(CsiDriver::storageCapacity)
                .isPresent();
    }

    // As VolumeBinding, the first one by name.
    private Optional<CsiStorageCapacity> capacityFor(StorageClass storageClass, Quantity size, String nodeName) {
        return objects.find(ObjectKind.NODE, nodeName)
                .flatMap(node -> objects.all(ObjectKind.CSI_STORAGE_CAPACITY).stream()
                        .filter(capacity -> capacity.storageClassName().equals(storageClass.name())
                                && capacity.volumeLimit()
                                        .filter(limit -> limit.value() >= size.value())
                                        .isPresent()
                                && capacity.nodeTopology()
                                        .filter(topology -> topology.matches(node.labels()))
                                        .isPresent())
                        .min(Comparator.comparing(CsiStorageCapacity::key)));
    }

    private static CsiStorageCapacity plus(CsiStorageCapacity before, Quantity more) {
        Optional<Quantity> left =
                before.capacity().map(amount -> amount.plus(more).max(Quantity.ZERO));
        ObjectMeta metadata = before.metadata();
        Optional<Quantity> largest = before.maximumVolumeSize();
        if (largest.isPresent() && left.isPresent()) {
            String published =
                    metadata.annotations().getOrDefault(LARGEST, largest.get().toString());
            metadata = metadata.withAnnotation(LARGEST, published);
            // No volume can be larger than what is left.
            Quantity size = Quantity.parse(published);
            largest = Optional.of(left.get().compareTo(size) < 0 ? left.get() : size);
        }
        return new CsiStorageCapacity(metadata, before.storageClassName(), left, largest, before.nodeTopology());
    }

    // The part of the cluster that the node is in, by those of its labels that the driver names.
    private Optional<NodeSelector> accessibleTopology(String nodeName, String driver) {
        Optional<Node> node = objects.find(ObjectKind.NODE, nodeName);
        List<NodeSelector.Requirement> requirements = new ArrayList<>();
        for (String key : topologyKeys(nodeName, driver)) {
            String value = node.isEmpty() ? null : node.get().labels().get(key);
            if (value != null) {
                requirements.add(new NodeSelector.Requirement(key, "In", List.of(value)));
            }
        }
        return requirements.isEmpty()
                ? Optional.empty()
                : Optional.of(new NodeSelector(List.of(new NodeSelector.Term(requirements, List.of()))));
    }

    private List<String> topologyKeys(String nodeName, String driver) {
        return installedDriver(nodeName, driver)
                .map(CsiNode.Driver::topologyKeys)
                .orElse(List.of());
    }

    private Optional<CsiNode.Driver> installedDriver(String nodeName, String driver) {
        return objects.find(ObjectKind.CSI_NODE, nodeName)
                .flatMap(csiNode -> csiNode.drivers().stream()
                        .filter(installed -> installed.name().equals(driver))
                        .findFirst());
    }

    /** The topology segments of a driver; one of all nodes if it is installed on none. */
    TopologySegments segments(String driver) {
        TopologySegments segments = new TopologySegments();
        Collection<Node> nodes = objects.all(ObjectKind.NODE);
        for (Node node : nodes) {
            installedDriver(node.name(), driver).ifPresent(installed -> segments.add(node, installed.topologyKeys()));
        }
        if (segments.isEmpty()) {
            nodes.forEach(node -> segments.add(node, List.of()));
        }
        return segments;
    }

    /** Deletes a provisioned volume and returns its capacity; returns false if the volume was not provisioned. */
    boolean delete(PersistentVolume volume) {
        if (!volume.name().startsWith(NAME_PREFIX)) {
            return false;
        }
        objects.remove(ObjectKind.PERSISTENT_VOLUME, volume.key());
        capacityOf(volume).ifPresent(capacity -> objects.update(plus(capacity, volume.capacity())));
        return true;
    }

    // The storage capacity of a volume; for a volume that was provisioned before the table was filled, the first one by
    // name that matches one of its nodes.
    private Optional<CsiStorageCapacity> capacityOf(PersistentVolume volume) {
        String key = volume.metadata().annotations().get(CAPACITY);
        if (key != null) {
            return objects.find(ObjectKind.CSI_STORAGE_CAPACITY, key);
        }
        return objects.all(ObjectKind.CSI_STORAGE_CAPACITY).stream()
                .filter(capacity -> capacity.storageClassName().equals(volume.storageClassName()))
                .filter(capacity -> objects.all(ObjectKind.NODE).stream()
                        .anyMatch(node -> volume.nodeAffinity()
                                        .filter(affinity -> !affinity.matches(node))
                                        .isEmpty()
                                && capacity.nodeTopology()
                                        .filter(topology -> topology.matches(node.labels()))
                                        .isPresent()))
                .min(Comparator.comparing(CsiStorageCapacity::key));
    }
}
