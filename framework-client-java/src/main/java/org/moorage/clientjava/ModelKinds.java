// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1CSIDriver;
import io.kubernetes.client.openapi.models.V1CSINode;
import io.kubernetes.client.openapi.models.V1CSIStorageCapacity;
import io.kubernetes.client.openapi.models.V1DeviceClass;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1ResourceSlice;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.openapi.models.V1VolumeAttachment;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ObjectKind;

/** client-java's models of the kinds that scheduling reads, in the API version that scheduling reads. */
final class ModelKinds {
    private static final Map<ObjectKind<?>, Class<? extends KubernetesObject>> MODELS = Map.ofEntries(
            Map.entry(ObjectKind.POD, V1Pod.class),
            Map.entry(ObjectKind.NODE, V1Node.class),
            Map.entry(ObjectKind.NAMESPACE, V1Namespace.class),
            Map.entry(ObjectKind.SERVICE, V1Service.class),
            Map.entry(ObjectKind.REPLICATION_CONTROLLER, V1ReplicationController.class),
            Map.entry(ObjectKind.REPLICA_SET, V1ReplicaSet.class),
            Map.entry(ObjectKind.STATEFUL_SET, V1StatefulSet.class),
            Map.entry(ObjectKind.PERSISTENT_VOLUME, V1PersistentVolume.class),
            Map.entry(ObjectKind.PERSISTENT_VOLUME_CLAIM, V1PersistentVolumeClaim.class),
            Map.entry(ObjectKind.STORAGE_CLASS, V1StorageClass.class),
            Map.entry(ObjectKind.CSI_NODE, V1CSINode.class),
            Map.entry(ObjectKind.CSI_DRIVER, V1CSIDriver.class),
            Map.entry(ObjectKind.CSI_STORAGE_CAPACITY, V1CSIStorageCapacity.class),
            Map.entry(ObjectKind.VOLUME_ATTACHMENT, V1VolumeAttachment.class),
            Map.entry(ObjectKind.RESOURCE_CLAIM, ResourceV1ResourceClaim.class),
            Map.entry(ObjectKind.RESOURCE_SLICE, V1ResourceSlice.class),
            Map.entry(ObjectKind.DEVICE_CLASS, V1DeviceClass.class),
            Map.entry(ObjectKind.POD_DISRUPTION_BUDGET, V1PodDisruptionBudget.class));

    /** Kinds whose models lack fields that affect scheduling; {@code ModelVectorsTest} lists these fields. */
    private static final Set<ObjectKind<?>> INCOMPLETE = Set.of(ObjectKind.RESOURCE_SLICE, ObjectKind.RESOURCE_CLAIM);

    private ModelKinds() {}

    /** Returns the model that has all fields of a kind that scheduling reads; empty if there is none. */
    static Optional<Class<? extends KubernetesObject>> completeModel(ObjectKind<?> kind) {
        return INCOMPLETE.contains(kind) ? Optional.empty() : Optional.ofNullable(MODELS.get(kind));
    }

    /** Returns the kind of a model; empty if scheduling does not read it. */
    static Optional<ObjectKind<?>> kind(Class<?> model) {
        return MODELS.entrySet().stream()
                .filter(entry -> entry.getValue().isAssignableFrom(model))
                .<ObjectKind<?>>map(Map.Entry::getKey)
                .findFirst();
    }
}
