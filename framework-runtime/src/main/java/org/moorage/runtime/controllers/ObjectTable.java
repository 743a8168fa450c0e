// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.controllers;

import java.util.Collection;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.cluster.ClusterException;

/**
 * The objects of an in-memory cluster, as its controllers read and change them. All methods are called with the table's
 * monitor held.
 */
public interface ObjectTable {
    /**
     * Returns the object of a kind with a key, which is {@code namespace/name}, or the name of an object of the whole
     * cluster.
     */
    <T extends ClusterObject> Optional<T> find(ObjectKind<T> kind, String key);

    /** Returns the objects of a kind. The collection does not change when the table does. */
    <T extends ClusterObject> Collection<T> all(ObjectKind<T> kind);

    /**
     * Stores an object under a new resource version, in place of the one of its kind and key.
     *
     * @return the object with its version
     */
    <T extends ClusterObject> T update(T object);

    /** Removes the object of a kind with a key, if it exists. */
    <T extends ClusterObject> Optional<T> remove(ObjectKind<T> kind, String key);

    /**
     * Returns the current state of an object.
     *
     * @param known the object as the caller knows it
     * @throws ClusterException if it does not exist, or another object has taken its name
     */
    default <T extends ClusterObject> T current(ObjectKind<T> kind, T known) {
        T current = find(kind, known.key()).orElseThrow(() -> notFound(kind, known.name()));
        demand(known.metadata().uid(), current.metadata().uid(), kind, known.key());
        return current;
    }

    /**
     * Returns the current state of an object that must not have changed since the caller saw it. A known object without
     * a version matches any.
     *
     * @param known the object as the caller knows it
     * @throws ClusterException if it does not exist, or has changed
     */
    default <T extends ClusterObject> T unchanged(ObjectKind<T> kind, T known) {
        T current = current(kind, known);
        demand(known.metadata().resourceVersion(), current.metadata().resourceVersion(), kind, known.key());
        return current;
    }

    /**
     * Checks a precondition of a change.
     *
     * @param expected the value that the caller expects; empty for any
     * @throws ClusterException a conflict, if the object has another value
     */
    static void demand(String expected, String actual, ObjectKind<?> kind, String key) {
        if (!expected.isEmpty() && !expected.equals(actual)) {
            throw new ClusterException(
                    "patch " + kind.kind() + " " + key + ": the object has been modified", 409, null);
        }
    }

    /** Returns the exception for an object that does not exist. */
    static ClusterException notFound(ObjectKind<?> kind, String name) {
        return new ClusterException(kind.plural() + " \"" + name + "\" not found", 404, null);
    }

    /** Returns an object with a resource version. Objects of kinds that nothing here writes stay as they are. */
    @SuppressWarnings("unchecked") // an object of the same type
    static <T extends ClusterObject> T withVersion(T object, String version) {
        ObjectMeta metadata = object.metadata().withResourceVersion(version);
        return (T) withMetadata(object, metadata);
    }

    private static ClusterObject withMetadata(ClusterObject object, ObjectMeta metadata) {
        if (object instanceof Pod pod) {
            return pod.withMetadata(metadata);
        }
        if (object instanceof PersistentVolume volume) {
            return volume.withMetadata(metadata);
        }
        if (object instanceof PersistentVolumeClaim claim) {
            return claim.withMetadata(metadata);
        }
        if (object instanceof ResourceClaim claim) {
            return claim.withMetadata(metadata);
        }
        if (object instanceof SchedulingGroup group) {
            return group.withMetadata(metadata);
        }
        if (object instanceof CsiStorageCapacity capacity) {
            return new CsiStorageCapacity(
                    metadata,
                    capacity.storageClassName(),
                    capacity.capacity(),
                    capacity.maximumVolumeSize(),
                    capacity.nodeTopology());
        }
        if (object instanceof OtherObject other) {
            return new OtherObject(other.kind(), metadata, other.json());
        }
        return object;
    }
}
