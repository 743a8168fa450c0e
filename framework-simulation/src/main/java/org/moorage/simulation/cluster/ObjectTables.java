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
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.runtime.controllers.ObjectTable;
import org.moorage.simulation.internal.cluster.CustomResources;

/**
 * The objects of an in-memory cluster, by kind and key, and the listener of their changes. Custom resources are known
 * by their version and name; their watcher states whether they have namespaces.
 *
 * <p>Its methods are called with its monitor held, so that the listener receives all changes in order.
 */
final class ObjectTables implements ObjectTable {
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

    @Override
    public <T extends ClusterObject> Optional<T> find(ObjectKind<T> kind, String key) {
        return Optional.ofNullable(kind.type().cast(table(kind).get(key)));
    }

    /** {@inheritDoc} In the order in which they were added. */
    @Override
    public <T extends ClusterObject> List<T> all(ObjectKind<T> kind) {
        List<T> all = new ArrayList<>();
        for (ClusterObject object : table(kind).values()) {
            all.add(kind.type().cast(object));
        }
        return all;
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
            // A watcher skips a version that it has seen.
            update(object);
        } else {
            version = Math.max(version, number(givenVersion));
            store(ObjectKind.of(object), object);
        }
    }

    private static long number(String resourceVersion) {
        return resourceVersion.matches("[0-9]{1,18}") ? Long.parseLong(resourceVersion) : 0;
    }

    @Override
    public <T extends ClusterObject> T update(T object) {
        T next = ObjectTable.withVersion(object, Long.toString(++version));
        store(ObjectKind.of(next), next);
        return next;
    }

    private <T extends ClusterObject> void store(ObjectKind<T> kind, ClusterObject object) {
        table(kind).put(object.key(), object);
        if (listener != null && watched.contains(kind)) {
            listener.applied(kind, kind.type().cast(object));
        }
    }

    @Override
    public <T extends ClusterObject> Optional<T> remove(ObjectKind<T> kind, String key) {
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
