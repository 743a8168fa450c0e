// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import java.util.Objects;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;

/**
 * The kind of object that an event is about.
 *
 * @param name the name in kube-scheduler's labels: a core kind as it is, others behind their group, for example
 *     {@code storage.k8s.io/CSINode}; a custom kind as {@code plural.version.group}
 */
public record EventResource(String name) {
    /** Pods, in a plugin's registration: assigned pods, pending pods, and the rejected pod itself. */
    public static final EventResource POD = new EventResource("Pod");
    /** Pods that have a node. */
    public static final EventResource ASSIGNED_POD = new EventResource("AssignedPod");
    /** Other pending pods. */
    public static final EventResource UNSCHEDULED_POD = new EventResource("UnscheduledPod");
    /** The rejected pod itself, while it is pending. */
    public static final EventResource TARGET_POD = new EventResource("TargetPod");
    /** Nodes. */
    public static final EventResource NODE = new EventResource("Node");
    /** Persistent volumes. */
    public static final EventResource PERSISTENT_VOLUME = new EventResource("PersistentVolume");
    /** Claims of persistent volumes. */
    public static final EventResource PERSISTENT_VOLUME_CLAIM = new EventResource("PersistentVolumeClaim");
    /** The information that storage drivers report about a node. */
    public static final EventResource CSI_NODE = new EventResource("storage.k8s.io/CSINode");
    /** Storage drivers. */
    public static final EventResource CSI_DRIVER = new EventResource("storage.k8s.io/CSIDriver");
    /** Free storage capacity. */
    public static final EventResource CSI_STORAGE_CAPACITY = new EventResource("storage.k8s.io/CSIStorageCapacity");
    /** Classes of storage. */
    public static final EventResource STORAGE_CLASS = new EventResource("storage.k8s.io/StorageClass");
    /** Volumes attached to nodes. */
    public static final EventResource VOLUME_ATTACHMENT = new EventResource("storage.k8s.io/VolumeAttachment");
    /** Claims of devices. */
    public static final EventResource RESOURCE_CLAIM = new EventResource("resource.k8s.io/ResourceClaim");
    /** Devices that a node offers. */
    public static final EventResource RESOURCE_SLICE = new EventResource("resource.k8s.io/ResourceSlice");
    /** Classes of devices. */
    public static final EventResource DEVICE_CLASS = new EventResource("resource.k8s.io/DeviceClass");
    /** Groups of pods. */
    public static final EventResource POD_GROUP = new EventResource("scheduling.k8s.io/PodGroup");
    /** Groups of groups of pods. */
    public static final EventResource COMPOSITE_POD_GROUP = new EventResource("scheduling.k8s.io/CompositePodGroup");
    /** Any kind. */
    public static final EventResource ANY = new EventResource("*");

    public EventResource {
        Objects.requireNonNull(name, "name");
    }

    /** Returns the resource of a kind, including kinds without a type in the model. */
    public static EventResource of(ObjectKind<?> kind) {
        if (kind.group().isEmpty()) {
            return new EventResource(kind.kind());
        }
        if (kind.type() != OtherObject.class && kind.group().endsWith(".k8s.io")) {
            return new EventResource(kind.group() + "/" + kind.kind());
        }
        String version = kind.apiVersion().substring(kind.group().length() + 1);
        return new EventResource(kind.plural() + "." + version + "." + kind.group());
    }

    /** Returns whether a registration for this resource matches an event of the other. */
    public boolean covers(EventResource happened) {
        return equals(ANY)
                || equals(happened)
                || equals(POD)
                        && (happened.equals(ASSIGNED_POD)
                                || happened.equals(UNSCHEDULED_POD)
                                || happened.equals(TARGET_POD));
    }

    @Override
    public String toString() {
        return name;
    }
}
