// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.runtime.controllers.ObjectTable;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cluster.ObjectStore;

/** The objects of a workspace's store. Each change is one of the changes of its snapshot, and is undone with them. */
final class TrialObjects implements ObjectTable {
    // Higher than any version of a server, so that plugins consider such an object the latest.
    private static final long FIRST_VERSION = 1_000_000_000_000_000_000L;

    private final ObjectStore store;
    private final TrialSnapshot snapshot;
    private long version = FIRST_VERSION;

    TrialObjects(ObjectStore store, TrialSnapshot snapshot) {
        this.store = store;
        this.snapshot = snapshot;
    }

    @Override
    public <T extends ClusterObject> Optional<T> find(ObjectKind<T> kind, String key) {
        int slash = key.indexOf('/');
        return slash < 0
                ? store.known(kind, "", key)
                : store.known(kind, key.substring(0, slash), key.substring(slash + 1));
    }

    @Override
    public <T extends ClusterObject> Collection<T> all(ObjectKind<T> kind) {
        return List.copyOf(store.all(kind));
    }

    @Override
    public <T extends ClusterObject> T update(T object) {
        T latest = ObjectTable.withVersion(object, Long.toString(++version));
        put(latest);
        return latest;
    }

    /** Stores an object unchanged, replacing the one with its kind and key. */
    <T extends ClusterObject> void put(T object) {
        ObjectKind<T> kind = kindOf(object);
        Optional<T> before = store.known(kind, object.namespace(), object.name());
        store.applied(kind, object);
        snapshot.onRevert(() -> {
            if (before.isPresent()) {
                store.applied(kind, before.get());
            } else {
                store.deleted(kind, object);
            }
        });
    }

    @Override
    public <T extends ClusterObject> Optional<T> remove(ObjectKind<T> kind, String key) {
        Optional<T> removed = find(kind, key);
        removed.ifPresent(object -> {
            store.deleted(kind, object);
            snapshot.onRevert(() -> store.applied(kind, object));
        });
        return removed;
    }

    @SuppressWarnings("unchecked") // an object is of the type of its kind
    private static <T extends ClusterObject> ObjectKind<T> kindOf(T object) {
        return (ObjectKind<T>) ObjectKind.of(object);
    }
}
