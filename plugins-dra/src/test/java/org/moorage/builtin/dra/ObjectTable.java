// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.plugin.cluster.ObjectLister;

/** A lister whose objects a test puts there. */
final class ObjectTable<T extends ClusterObject> implements ObjectLister<T> {
    private final Map<String, T> objects = new LinkedHashMap<>();
    private volatile Consumer<ObjectChange<T>> listener = change -> {};

    @SafeVarargs
    static <T extends ClusterObject> ObjectTable<T> of(T... objects) {
        ObjectTable<T> table = new ObjectTable<>();
        for (T object : objects) {
            table.put(object);
        }
        return table;
    }

    /** Notifies a listener of each change, once the table reflects it. */
    void onChange(Consumer<ObjectChange<T>> told) {
        listener = told;
    }

    void put(T object) {
        T before;
        synchronized (this) {
            before = objects.put(object.key(), object);
        }
        listener.accept(before == null ? ObjectChange.added(object) : ObjectChange.updated(before, object));
    }

    void remove(T object) {
        synchronized (this) {
            objects.remove(object.key());
        }
        listener.accept(ObjectChange.deleted(object));
    }

    @Override
    public synchronized Optional<T> get(String namespace, String name) {
        return Optional.ofNullable(objects.get(namespace.isEmpty() ? name : namespace + "/" + name));
    }

    @Override
    public synchronized Collection<T> all() {
        return List.copyOf(objects.values());
    }

    @Override
    public synchronized Collection<T> in(String namespace) {
        return objects.values().stream()
                .filter(object -> object.namespace().equals(namespace))
                .toList();
    }
}
