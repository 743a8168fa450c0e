// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;

/**
 * The cluster's objects as policies see them: {@code data.<resource>["<uid>"]}. Pods are those that are bound and not
 * terminated, including pods that the scheduler just assumed on a node and the API server does not report as bound yet.
 *
 * <p>Each {@link Reader} receives each change once, so that the policy engine has to be sent only the changes. Safe for
 * use by several threads.
 */
final class ClusterData {
    private static final String PODS = ObjectKind.POD.plural();

    private final Map<String, Map<String, ClusterObject>> objects = new LinkedHashMap<>();
    /** The uids of the assumed pods. */
    private final Set<String> assumed = new HashSet<>();

    private final List<Reader> readers = new ArrayList<>();

    /** Starts to track the objects of these kinds. */
    ClusterData(List<ObjectKind<?>> kinds, Handle handle) {
        for (ObjectKind<?> kind : kinds) {
            objects.put(kind.plural(), new LinkedHashMap<>());
        }
        for (ObjectKind<?> kind : kinds) {
            follow(kind, handle);
        }
    }

    private <T extends ClusterObject> void follow(ObjectKind<T> kind, Handle handle) {
        // After a relist the scheduler reports objects that disappeared in the meantime as deletions.
        handle.cluster().lister(kind);
        handle.cluster().onChange(kind, change -> changed(kind.plural(), change));
    }

    private synchronized void changed(String resource, ObjectChange<? extends ClusterObject> change) {
        ClusterObject object = change.latest();
        String uid = uid(object);
        if (object instanceof Pod pod) {
            boolean runs = change.after().isPresent() && !pod.status().isTerminal();
            if (runs && !pod.isBound() && assumed.contains(uid)) {
                return;
            }
            assumed.remove(uid);
            set(resource, uid, runs && pod.isBound() ? Optional.of(pod) : Optional.empty());
        } else {
            set(resource, uid, change.after().map(after -> after));
        }
    }

    // Objects that are read from files may have no uid.
    static String uid(ClusterObject object) {
        String uid = object.metadata().uid();
        return uid.isEmpty() ? object.key() : uid;
    }

    private void set(String resource, String uid, Optional<ClusterObject> object) {
        Map<String, ClusterObject> table = objects.get(resource);
        if (table == null) {
            return;
        }
        if (object.isPresent()) {
            table.put(uid, object.get());
        } else if (table.remove(uid) == null) {
            return;
        }
        for (Reader reader : readers) {
            reader.changed(resource, uid, object);
        }
    }

    /** Assumes a pod on a node, from the next evaluation on. */
    synchronized void assume(Pod pod, String nodeName) {
        assumed.add(uid(pod));
        set(PODS, uid(pod), Optional.of(pod.withNode(nodeName)));
    }

    /**
     * Removes an assumed pod whose binding failed. No effect if the API server has reported the pod as bound or deleted
     * in the meantime.
     */
    synchronized void forget(Pod pod) {
        if (assumed.remove(uid(pod))) {
            set(PODS, uid(pod), Optional.empty());
        }
    }

    /** Returns a new reader, for which all objects are new. */
    synchronized Reader reader() {
        Reader reader = new Reader();
        readers.add(reader);
        return reader;
    }

    /** The objects that have changed since the reader's last call. */
    final class Reader {
        private Map<String, Map<String, Optional<ClusterObject>>> changes = new HashMap<>();
        /** The uids of the objects that the reader has returned. */
        private final Map<String, Set<String>> known = new HashMap<>();

        private Reader() {}

        // OPA rejects a patch as a whole if it removes an unknown object. An object that was both added and deleted
        // since the last call is therefore not a change.
        private void changed(String resource, String uid, Optional<ClusterObject> object) {
            Map<String, Optional<ClusterObject>> table =
                    changes.computeIfAbsent(resource, any -> new LinkedHashMap<>());
            if (object.isPresent() || known.getOrDefault(resource, Set.of()).contains(uid)) {
                table.put(uid, object);
            } else {
                table.remove(uid);
            }
        }

        /** Returns the objects by resource and uid that have changed since the last call; empty for deleted objects. */
        Map<String, Map<String, Optional<ClusterObject>>> changes() {
            synchronized (ClusterData.this) {
                Map<String, Map<String, Optional<ClusterObject>>> taken = changes;
                changes = new HashMap<>();
                taken.forEach((resource, table) -> {
                    Set<String> uids = known.computeIfAbsent(resource, any -> new HashSet<>());
                    table.forEach((uid, object) -> {
                        if (object.isPresent()) {
                            uids.add(uid);
                        } else {
                            uids.remove(uid);
                        }
                    });
                });
                taken.values().removeIf(Map::isEmpty);
                return taken;
            }
        }

        /**
         * Returns all objects by resource and uid, with an entry for each resource, and discards the pending changes.
         */
        Map<String, Map<String, ClusterObject>> all() {
            synchronized (ClusterData.this) {
                changes = new HashMap<>();
                Map<String, Map<String, ClusterObject>> copy = new LinkedHashMap<>();
                objects.forEach((resource, table) -> {
                    copy.put(resource, new LinkedHashMap<>(table));
                    known.put(resource, new HashSet<>(table.keySet()));
                });
                return copy;
            }
        }

        /** Stops collecting changes for this reader. */
        void close() {
            synchronized (ClusterData.this) {
                readers.remove(this);
            }
        }
    }
}
