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
 * What policies see of the cluster: {@code data.<resource>["<uid>"]}. Of the pods those that have a node and still run, those that
 * were just placed among them although the API server does not know it yet.
 *
 * <p>Each {@link Reader} is told of every change once, so that whoever evaluates policies sends only what changed. Safe for use by
 * several threads.
 */
final class ClusterData {
    private static final String PODS = ObjectKind.POD.plural();

    private final Map<String, Map<String, ClusterObject>> objects = new LinkedHashMap<>();
    /** The pods that have a node here only, by uid. */
    private final Set<String> assumed = new HashSet<>();

    private final List<Reader> readers = new ArrayList<>();

    /** The objects of these kinds, from now on. */
    ClusterData(List<ObjectKind<?>> kinds, Handle handle) {
        for (ObjectKind<?> kind : kinds) {
            objects.put(kind.plural(), new LinkedHashMap<>());
        }
        for (ObjectKind<?> kind : kinds) {
            follow(kind, handle);
        }
    }

    private <T extends ClusterObject> void follow(ObjectKind<T> kind, Handle handle) {
        // After a new list the scheduler tells of what vanished in the meantime as of deletions.
        handle.lister(kind);
        handle.onChange(kind, change -> changed(kind.plural(), change));
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

    // What is read from files may have none.
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

    /** The next evaluations see the pod on that node. */
    synchronized void assume(Pod pod, String nodeName) {
        assumed.add(uid(pod));
        set(PODS, uid(pod), Optional.of(pod.withNode(nodeName)));
    }

    /** The pod did not get to its node after all. Without effect if the API server has told of it in the meantime. */
    synchronized void forget(Pod pod) {
        if (assumed.remove(uid(pod))) {
            set(PODS, uid(pod), Optional.empty());
        }
    }

    /** A reader to whom all objects are news. */
    synchronized Reader reader() {
        Reader reader = new Reader();
        readers.add(reader);
        return reader;
    }

    /** Which objects have changed since somebody last asked. */
    final class Reader {
        private Map<String, Map<String, Optional<ClusterObject>>> changes = new HashMap<>();
        /** The uids of the objects that it was told of. */
        private final Map<String, Set<String>> known = new HashMap<>();

        private Reader() {}

        // OPA refuses to remove what it does not have, and with it all changes that come along. What came
        // and went in between is no change.
        private void changed(String resource, String uid, Optional<ClusterObject> object) {
            Map<String, Optional<ClusterObject>> table =
                    changes.computeIfAbsent(resource, any -> new LinkedHashMap<>());
            if (object.isPresent() || known.getOrDefault(resource, Set.of()).contains(uid)) {
                table.put(uid, object);
            } else {
                table.remove(uid);
            }
        }

        /** The objects by resource and uid that have changed since the last call, empty for those that are gone. */
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

        /** All objects by resource and uid, in place of their changes. Has a value for each resource. */
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

        /** Nobody asks any more. */
        void close() {
            synchronized (ClusterData.this) {
                readers.remove(this);
            }
        }
    }
}
