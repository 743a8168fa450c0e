// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.cluster.ClusterListener;

/**
 * The last known objects of the cluster. It turns the reports of a {@link org.moorage.runtime.cluster.Cluster} into
 * changes. Tables are created on demand; the kinds that have a table are watched.
 */
public final class ObjectStore implements ClusterListener {
    private final Map<ObjectKind<?>, Table<?>> tables = new ConcurrentHashMap<>();
    private final FeatureView view;
    private final ChangeHandler handler;
    // Objects that change in a copy are simulated and have no new resource version. Kinds that the original store does
    // not have are unavailable.
    private final boolean isCopy;

    private volatile boolean watching;

    /** Creates an empty store of objects in the given view, which calls the handler for each change. */
    public ObjectStore(FeatureView view, ChangeHandler handler) {
        this(view, handler, false);
    }

    private ObjectStore(FeatureView view, ChangeHandler handler, boolean isCopy) {
        this.view = view;
        this.handler = handler;
        this.isCopy = isCopy;
    }

    /**
     * The objects of a kind, which will be watched.
     *
     * @throws IllegalStateException if the kind is asked for the first time after {@link #kindsToWatch}
     */
    public <T extends ClusterObject> ObjectLister<T> lister(ObjectKind<T> kind) {
        synchronized (tables) {
            if (watching && !tables.containsKey(kind)) {
                throw new IllegalStateException("lister: " + kind.kind()
                        + " is not watched (expected: asked for before the scheduler starts, when a plugin is made)");
            }
            return table(kind);
        }
    }

    /**
     * The objects of a kind, which will be watched, for a plugin.
     *
     * @throws IllegalStateException if the kind is asked for the first time after {@link #kindsToWatch}
     */
    public <T extends ClusterObject> ObjectLister<T> lister(ObjectKind<T> kind, String plugin) {
        ObjectLister<T> lister = lister(kind);
        table(kind).askedBy.add(plugin);
        return lister;
    }

    /** Returns the kinds for which listers were requested. From now on listers of other kinds are refused. */
    public Set<ObjectKind<?>> kindsToWatch() {
        synchronized (tables) {
            watching = true;
            return Set.copyOf(tables.keySet());
        }
    }

    /** Calls a plugin's listener for the existing objects of a kind, and for each change before the handler. */
    public <T extends ClusterObject> void onChange(
            ObjectKind<T> kind, String plugin, Consumer<ObjectChange<T>> listener) {
        Table<T> table = table(kind);
        table.askedBy.add(plugin);
        synchronized (table) {
            for (T object : table.byKey.values()) {
                listener.accept(ObjectChange.initial(object));
            }
            table.listeners.add(listener);
        }
    }

    /** Returns the current objects. */
    public StoredObjects stored() {
        Map<ObjectKind<?>, StoredObjects.Kind> kinds = new HashMap<>();
        tables.forEach((kind, table) -> kinds.put(kind, table.stored()));
        return new StoredObjects(kinds);
    }

    /**
     * Returns a store with the objects of another store, which notifies only plugins. Kinds that the other store did
     * not watch are unavailable.
     *
     * @param objects the objects, copied on the first change
     */
    public static ObjectStore of(StoredObjects objects, FeatureView view) {
        ObjectStore store = new ObjectStore(view, ChangeHandler.NONE, true);
        objects.kinds().forEach((kind, stored) -> store.tables.put(kind, Table.of(stored)));
        return store;
    }

    @Override
    public Set<String> askedBy(ObjectKind<?> kind) {
        Table<?> table = tables.get(kind);
        return table == null ? Set.of() : new TreeSet<>(table.askedBy);
    }

    /** Returns the numbers of objects, by kind. */
    public Map<String, Integer> counts() {
        Map<String, Integer> counts = new HashMap<>();
        tables.forEach((kind, table) -> counts.put(kind.toString(), table.byKey.size()));
        return counts;
    }

    /** Returns the current objects of a kind; none if the kind is not watched. */
    public <T extends ClusterObject> Collection<T> all(ObjectKind<T> kind) {
        return tables.containsKey(kind) ? table(kind).all() : List.of();
    }

    @Override
    public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects) {
        Table<T> table = table(kind);
        synchronized (table) {
            boolean wasUnavailable = !table.unavailable.isEmpty();
            table.unavailable = "";
            Map<String, T> gone = new HashMap<>(table.byKey);
            for (T object : objects) {
                gone.remove(object.key());
            }
            Throwable first = null;
            for (T object : gone.values()) {
                first = firstOf(first, () -> remove(kind, table, object));
            }
            for (T object : objects) {
                first = firstOf(first, () -> put(kind, table, view.of(object)));
            }
            table.isListed = true;
            if (wasUnavailable) {
                first = firstOf(first, handler::availabilityChanged);
            }
            rethrow(first);
        }
    }

    // If handling one change of a list fails, the others are still handled. The first failure is kept.
    private static @Nullable Throwable firstOf(@Nullable Throwable before, Runnable change) {
        try {
            change.run();
            return before;
        } catch (Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            return before == null ? thrown : before;
        }
    }

    private static void rethrow(@Nullable Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown != null) {
            throw (RuntimeException) thrown;
        }
    }

    @Override
    public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
        Table<T> table = table(kind);
        synchronized (table) {
            put(kind, table, view.of(object));
        }
    }

    @Override
    public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
        Table<T> table = table(kind);
        synchronized (table) {
            remove(kind, table, object);
        }
    }

    @Override
    public <T extends ClusterObject> void unavailable(ObjectKind<T> kind, String reason) {
        Table<T> table = table(kind);
        synchronized (table) {
            boolean isNews = !table.unavailable.equals(reason);
            table.unavailable = reason;
            if (isNews) {
                handler.availabilityChanged();
            }
        }
    }

    @Override
    public <T extends ClusterObject> Optional<T> known(ObjectKind<T> kind, String namespace, String name) {
        return table(kind).get(namespace, name);
    }

    // The table's monitor is held while the handler runs, so that changes of a kind are handled in order. If handling a
    // change fails, the table is restored, so that the next list reports the change again.
    private <T extends ClusterObject> void put(ObjectKind<T> kind, Table<T> table, T object) {
        T before = table.own().put(object.key(), object);
        boolean isHandled = false;
        try {
            changed(kind, table, before, object);
            isHandled = true;
        } finally {
            if (!isHandled) {
                table.restore(object.key(), before);
            }
        }
    }

    private <T extends ClusterObject> void changed(ObjectKind<T> kind, Table<T> table, @Nullable T before, T object) {
        if (before == null) {
            publish(kind, table, table.isListed ? ObjectChange.added(object) : ObjectChange.initial(object));
        } else if (!before.metadata().uid().equals(object.metadata().uid())) {
            // Deleted and created again between two lists.
            publish(kind, table, ObjectChange.deleted(before));
            publish(kind, table, ObjectChange.added(object));
        } else if (isCopy
                || before.metadata().resourceVersion().isEmpty()
                || !before.metadata().resourceVersion().equals(object.metadata().resourceVersion())) {
            publish(kind, table, ObjectChange.updated(before, object));
        }
    }

    private <T extends ClusterObject> void publish(ObjectKind<T> kind, Table<T> table, ObjectChange<T> change) {
        for (Consumer<ObjectChange<T>> listener : table.listeners) {
            listener.accept(change);
        }
        handler.changed(kind, change);
    }

    private <T extends ClusterObject> void remove(ObjectKind<T> kind, Table<T> table, T object) {
        T before = table.own().remove(object.key());
        if (before == null) {
            return;
        }
        boolean isHandled = false;
        try {
            publish(kind, table, ObjectChange.deleted(before));
            isHandled = true;
        } finally {
            if (!isHandled) {
                table.restore(before.key(), before);
            }
        }
    }

    @SuppressWarnings("unchecked") // a kind's table is only made here, with the kind's type
    private <T extends ClusterObject> Table<T> table(ObjectKind<T> kind) {
        return (Table<T>)
                tables.computeIfAbsent(kind, any -> new Table<T>(isCopy ? "not watched by the scheduler" : ""));
    }

    private static final class Table<T extends ClusterObject> implements ObjectLister<T> {
        // Shared with another store until the first change, see of.
        volatile Map<String, T> byKey;
        private volatile boolean isShared;
        /** Whether the first list of the kind was handled; guarded by the table's monitor. */
        boolean isListed;

        final List<Consumer<ObjectChange<T>>> listeners = new CopyOnWriteArrayList<>();
        final Set<String> askedBy = ConcurrentHashMap.newKeySet();
        /** The reason why the objects are unavailable; empty if they are available. */
        volatile String unavailable;

        Table(String unavailable) {
            byKey = new ConcurrentHashMap<>();
            this.unavailable = unavailable;
        }

        private Table(Map<String, T> shared, String unavailable) {
            byKey = shared;
            isShared = true;
            isListed = true;
            this.unavailable = unavailable;
        }

        @SuppressWarnings("unchecked") // what a kind's table has stored is of the kind's type
        static <T extends ClusterObject> Table<T> of(StoredObjects.Kind stored) {
            return new Table<>((Map<String, T>) stored.byKey(), stored.unavailable());
        }

        StoredObjects.Kind stored() {
            return new StoredObjects.Kind(
                    isShared ? byKey : Collections.unmodifiableMap(new HashMap<>(byKey)), unavailable);
        }

        // Returns a map that may be changed.
        Map<String, T> own() {
            if (isShared) {
                byKey = new ConcurrentHashMap<>(byKey);
                isShared = false;
            }
            return byKey;
        }

        void restore(String key, @Nullable T before) {
            if (before == null) {
                own().remove(key);
            } else {
                own().put(key, before);
            }
        }

        @Override
        public Optional<T> get(String namespace, String name) {
            return Optional.ofNullable(byKey.get(namespace.isEmpty() ? name : namespace + "/" + name));
        }

        @Override
        public Optional<T> current(T object) {
            return Optional.ofNullable(byKey.get(object.metadata().key()));
        }

        @Override
        public Collection<T> all() {
            return Collections.unmodifiableCollection(byKey.values());
        }

        @Override
        public Collection<T> in(String namespace) {
            List<T> found = new ArrayList<>();
            for (T object : byKey.values()) {
                if (object.namespace().equals(namespace)) {
                    found.add(object);
                }
            }
            return found;
        }

        @Override
        public Optional<String> unavailable() {
            return unavailable.isEmpty() ? Optional.empty() : Optional.of(unavailable);
        }
    }
}
