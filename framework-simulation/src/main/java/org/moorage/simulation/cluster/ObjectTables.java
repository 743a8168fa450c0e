// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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
import org.moorage.api.plugin.ClusterException;
import org.moorage.objects.internal.TreeDecoder;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.simulation.internal.cluster.CustomResources;

/**
 * The objects of a cluster in memory, by kind and key, and the listener that is told of their changes. Custom resources are those of
 * their version and name: who watches them says whether they have namespaces.
 *
 * <p>Its methods are called with its monitor held, so that the listener hears of all changes in their order.
 */
final class ObjectTables {
    /** By the versions and names of the kinds. */
    private final Map<String, Map<String, ClusterObject>> objectsByKind = new LinkedHashMap<>();

    private final CustomResources customResources = new CustomResources(new TreeDecoder());
    private Set<ObjectKind<?>> watched = Set.of();
    private @Nullable ClusterListener listener;
    /** The highest resource version that an object has had. */
    private long version;

    <T extends ClusterObject> Optional<T> find(ObjectKind<T> kind, String namespace, String name) {
        return find(kind, namespace.isEmpty() ? name : namespace + "/" + name);
    }

    <T extends ClusterObject> Optional<T> find(ObjectKind<T> kind, String key) {
        return Optional.ofNullable(kind.type().cast(table(kind).get(key)));
    }

    /** The objects of a kind, in the order in which they came. */
    <T extends ClusterObject> List<T> all(ObjectKind<T> kind) {
        List<T> all = new ArrayList<>();
        for (ClusterObject object : table(kind).values()) {
            all.add(kind.type().cast(object));
        }
        return all;
    }

    /**
     * An object as it is now.
     *
     * @param known the object as the caller knows it
     * @throws ClusterException if it is not there, or another one has come in its place
     */
    <T extends ClusterObject> T current(ObjectKind<T> kind, T known) {
        T current = find(kind, known.key()).orElseThrow(() -> notFound(kind, known.name()));
        demand(known.metadata().uid(), current.metadata().uid(), kind, known.key());
        return current;
    }

    /** As {@link #current}, and the object must not have changed either, if the caller knows a version of it. */
    <T extends ClusterObject> T unchanged(ObjectKind<T> kind, T known) {
        T current = current(kind, known);
        demand(known.metadata().resourceVersion(), current.metadata().resourceVersion(), kind, known.key());
        return current;
    }

    /** Throws a conflict unless the object has the value that is expected; an empty one expects nothing. */
    static void demand(String expected, String actual, ObjectKind<?> kind, String key) {
        if (!expected.isEmpty() && !expected.equals(actual)) {
            throw new ClusterException(
                    "patch " + kind.kind() + " " + key + ": the object has been modified", 409, null);
        }
    }

    static ClusterException notFound(ObjectKind<?> kind, String name) {
        return new ClusterException(kind.plural() + " \"" + name + "\" not found", 404, null);
    }

    /** Adds an object as it is, or replaces the one of its kind and name. */
    void put(ClusterObject given) {
        ClusterObject object = customResources.complete(given);
        ClusterObject former = table(ObjectKind.of(object)).get(object.key());
        String givenVersion = object.metadata().resourceVersion();
        if (former != null
                && former != object
                && !givenVersion.isEmpty()
                && givenVersion.equals(former.metadata().resourceVersion())) {
            // Whoever watches passes over a version that it has seen.
            update(object);
        } else {
            version = Math.max(version, number(givenVersion));
            store(ObjectKind.of(object), object);
        }
    }

    private static long number(String resourceVersion) {
        return resourceVersion.matches("[0-9]{1,18}") ? Long.parseLong(resourceVersion) : 0;
    }

    /** Adds an object under a new resource version, or replaces the one of its kind and name; returns it with the version. */
    @SuppressWarnings("unchecked") // an object of the same type
    <T extends ClusterObject> T update(T object) {
        ClusterObject next = withMetadata(object, object.metadata().withResourceVersion(Long.toString(++version)));
        store(ObjectKind.of(next), next);
        return (T) next;
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

    private <T extends ClusterObject> void store(ObjectKind<T> kind, ClusterObject object) {
        table(kind).put(object.key(), object);
        if (listener != null && watched.contains(kind)) {
            listener.applied(kind, kind.type().cast(object));
        }
    }

    /** Removes an object, if it is there. */
    <T extends ClusterObject> Optional<T> remove(ObjectKind<T> kind, String key) {
        T removed = kind.type().cast(table(kind).remove(key));
        if (removed != null && listener != null && watched.contains(kind)) {
            listener.deleted(kind, removed);
        }
        return Optional.ofNullable(removed);
    }

    void watch(Set<ObjectKind<?>> kinds, ClusterListener newListener) {
        if (listener != null) {
            throw new IllegalStateException("watch: called twice (expected: once)");
        }
        watched = Set.copyOf(kinds);
        for (ObjectKind<?> kind : kinds) {
            if (kind.type() == OtherObject.class) {
                know(ObjectKind.other(kind.apiVersion(), kind.kind(), kind.plural(), kind.namespaced()));
            }
        }
        listener = newListener;
        // Nodes before pods, so that the scheduler's cache knows the nodes that pods are on.
        if (watched.contains(ObjectKind.NODE)) {
            list(ObjectKind.NODE, newListener);
        }
        for (ObjectKind<?> kind : watched) {
            if (!kind.equals(ObjectKind.NODE)) {
                list(kind, newListener);
            }
        }
    }

    private void know(ObjectKind<OtherObject> kind) {
        customResources.know(kind);
        List<ClusterObject> objects = new ArrayList<>(table(kind).values());
        table(kind).clear();
        for (ClusterObject object : objects) {
            ClusterObject completed = customResources.complete(object);
            table(kind).put(completed.key(), completed);
        }
    }

    private <T extends ClusterObject> void list(ObjectKind<T> kind, ClusterListener target) {
        target.replaced(kind, all(kind));
    }

    void unwatch() {
        listener = null;
        watched = Set.of();
    }

    private Map<String, ClusterObject> table(ObjectKind<?> kind) {
        return objectsByKind.computeIfAbsent(kind.toString(), any -> new LinkedHashMap<>());
    }
}
