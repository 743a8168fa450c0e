// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;

/**
 * A kind of the Kubernetes API, with the Java type of its objects.
 *
 * @param apiVersion group and version, for example {@code v1} or {@code apps/v1}
 * @param kind the kind, for example {@code Pod}
 * @param plural the name in paths, for example {@code pods}
 * @param namespaced whether its objects live in namespaces
 * @param type the Java type of its objects
 * @param <T> the Java type of its objects
 */
public record ObjectKind<T extends ClusterObject>(
        String apiVersion, String kind, String plural, boolean namespaced, Class<T> type) {
    /** Pods. */
    public static final ObjectKind<Pod> POD = new ObjectKind<>("v1", "Pod", "pods", true, Pod.class);
    /** Nodes. */
    public static final ObjectKind<Node> NODE = new ObjectKind<>("v1", "Node", "nodes", false, Node.class);
    /** Namespaces. */
    public static final ObjectKind<Namespace> NAMESPACE =
            new ObjectKind<>("v1", "Namespace", "namespaces", false, Namespace.class);
    /** Services. */
    public static final ObjectKind<Service> SERVICE =
            new ObjectKind<>("v1", "Service", "services", true, Service.class);
    /** Replication controllers. */
    public static final ObjectKind<ReplicationController> REPLICATION_CONTROLLER = new ObjectKind<>(
            "v1", "ReplicationController", "replicationcontrollers", true, ReplicationController.class);
    /** Replica sets. */
    public static final ObjectKind<ReplicaSet> REPLICA_SET =
            new ObjectKind<>("apps/v1", "ReplicaSet", "replicasets", true, ReplicaSet.class);
    /** Stateful sets. */
    public static final ObjectKind<StatefulSet> STATEFUL_SET =
            new ObjectKind<>("apps/v1", "StatefulSet", "statefulsets", true, StatefulSet.class);

    /** Persistent volumes. */
    public static final ObjectKind<PersistentVolume> PERSISTENT_VOLUME =
            new ObjectKind<>("v1", "PersistentVolume", "persistentvolumes", false, PersistentVolume.class);
    /** Persistent volume claims. */
    public static final ObjectKind<PersistentVolumeClaim> PERSISTENT_VOLUME_CLAIM = new ObjectKind<>(
            "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true, PersistentVolumeClaim.class);
    /** Storage classes. */
    public static final ObjectKind<StorageClass> STORAGE_CLASS =
            new ObjectKind<>("storage.k8s.io/v1", "StorageClass", "storageclasses", false, StorageClass.class);
    /** CSI drivers on nodes. */
    public static final ObjectKind<CsiNode> CSI_NODE =
            new ObjectKind<>("storage.k8s.io/v1", "CSINode", "csinodes", false, CsiNode.class);
    /** CSI drivers. */
    public static final ObjectKind<CsiDriver> CSI_DRIVER =
            new ObjectKind<>("storage.k8s.io/v1", "CSIDriver", "csidrivers", false, CsiDriver.class);
    /** CSI storage capacities. */
    public static final ObjectKind<CsiStorageCapacity> CSI_STORAGE_CAPACITY = new ObjectKind<>(
            "storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities", true, CsiStorageCapacity.class);
    /** Volume attachments. */
    public static final ObjectKind<VolumeAttachment> VOLUME_ATTACHMENT = new ObjectKind<>(
            "storage.k8s.io/v1", "VolumeAttachment", "volumeattachments", false, VolumeAttachment.class);

    /** Resource claims. */
    public static final ObjectKind<ResourceClaim> RESOURCE_CLAIM =
            new ObjectKind<>("resource.k8s.io/v1", "ResourceClaim", "resourceclaims", true, ResourceClaim.class);
    /** Resource slices. */
    public static final ObjectKind<ResourceSlice> RESOURCE_SLICE =
            new ObjectKind<>("resource.k8s.io/v1", "ResourceSlice", "resourceslices", false, ResourceSlice.class);
    /** Device classes. */
    public static final ObjectKind<DeviceClass> DEVICE_CLASS =
            new ObjectKind<>("resource.k8s.io/v1", "DeviceClass", "deviceclasses", false, DeviceClass.class);
    /** Device taint rules. */
    public static final ObjectKind<DeviceTaintRule> DEVICE_TAINT_RULE =
            new ObjectKind<>("resource.k8s.io/v1", "DeviceTaintRule", "devicetaintrules", false, DeviceTaintRule.class);

    /** Pod disruption budgets. */
    public static final ObjectKind<PodDisruptionBudget> POD_DISRUPTION_BUDGET = new ObjectKind<>(
            "policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", true, PodDisruptionBudget.class);

    /** Pod groups; watched if {@code GenericWorkload} is on. */
    public static final ObjectKind<PodGroup> POD_GROUP =
            new ObjectKind<>("scheduling.k8s.io/v1beta1", "PodGroup", "podgroups", true, PodGroup.class);
    /** Composite pod groups; watched if {@code CompositePodGroup} is on. */
    public static final ObjectKind<CompositePodGroup> COMPOSITE_POD_GROUP = new ObjectKind<>(
            "scheduling.k8s.io/v1alpha3", "CompositePodGroup", "compositepodgroups", true, CompositePodGroup.class);

    /** The kinds with a type in this model. */
    public static final List<ObjectKind<?>> TYPED = List.of(
            POD,
            NODE,
            NAMESPACE,
            SERVICE,
            REPLICATION_CONTROLLER,
            REPLICA_SET,
            STATEFUL_SET,
            PERSISTENT_VOLUME,
            PERSISTENT_VOLUME_CLAIM,
            STORAGE_CLASS,
            CSI_NODE,
            CSI_DRIVER,
            CSI_STORAGE_CAPACITY,
            VOLUME_ATTACHMENT,
            RESOURCE_CLAIM,
            RESOURCE_SLICE,
            DEVICE_CLASS,
            DEVICE_TAINT_RULE,
            POD_DISRUPTION_BUDGET,
            POD_GROUP,
            COMPOSITE_POD_GROUP);

    public ObjectKind {
        Objects.requireNonNull(apiVersion, "apiVersion");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(plural, "plural");
        Objects.requireNonNull(type, "type");
    }

    /** Returns a kind without a type in this model. */
    public static ObjectKind<OtherObject> other(String apiVersion, String kind, String plural, boolean namespaced) {
        return new ObjectKind<>(apiVersion, kind, plural, namespaced, OtherObject.class);
    }

    /**
     * Returns the kind of an object.
     *
     * @throws IllegalArgumentException if the type of the object is not in this model
     */
    public static ObjectKind<?> of(ClusterObject object) {
        if (object instanceof OtherObject other) {
            return other.kind();
        }
        for (ObjectKind<?> typed : TYPED) {
            if (typed.type().isInstance(object)) {
                return typed;
            }
        }
        throw new IllegalArgumentException(
                "object: " + object.getClass().getName() + " (expected: a type of the model)");
    }

    /** Returns the API group; empty for the core group. */
    public String group() {
        return groupOf(apiVersion);
    }

    /**
     * Returns the API group of an {@code apiVersion}, such as {@code apps} of {@code apps/v1}; empty for the core
     * group.
     */
    public static String groupOf(String apiVersion) {
        return apiVersion.substring(0, Math.max(0, apiVersion.indexOf('/')));
    }

    @Override
    public String toString() {
        return apiVersion + " " + kind;
    }
}
