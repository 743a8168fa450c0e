// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.plugin.ObjectLister;

/**
 * The objects of a kind as they will be: as last seen, or as the scheduler has decided that they become. What is assumed of an
 * object counts until the cluster shows a newer version of it. Safe for use by several threads.
 */
final class AssumeCache<T extends ClusterObject> {
    private final ObjectLister<T> lister;
    private final Map<String, Assumption<T>> assumptions = new ConcurrentHashMap<>();

    /** What is assumed of an object, and the version that it was seen in. */
    private record Assumption<T>(T seen, T assumed) {}

    AssumeCache(ObjectLister<T> lister) {
        this.lister = lister;
    }

    /** The object as it will be. */
    Optional<T> find(String namespace, String name) {
        return lister.get(namespace, name).map(this::latest);
    }

    /** The object as last seen. */
    Optional<T> seen(String namespace, String name) {
        return lister.get(namespace, name);
    }

    /** The objects as last seen. */
    ObjectLister<T> lister() {
        return lister;
    }

    /** All objects as last seen; {@link #latest} makes of each what it will be. */
    Iterable<T> all() {
        return lister.all();
    }

    /** What an object will be, given what is seen of it. */
    T latest(T seen) {
        Assumption<T> assumption = assumptions.isEmpty() ? null : assumptions.get(seen.key());
        return assumption != null && isSame(assumption.seen, seen) ? assumption.assumed : seen;
    }

    /**
     * Assumes that an object changes.
     *
     * @throws IllegalStateException if it has changed otherwise since the decision
     */
    void assume(T changed) {
        T seen = lister.current(changed)
                .orElseThrow(() -> new IllegalStateException("\"" + changed.key() + "\" not found"));
        if (!versionOf(seen).equals(versionOf(changed))) {
            throw new IllegalStateException("\"" + changed.key() + "\" is out of sync (stored: " + versionOf(seen)
                    + ", assume: " + versionOf(changed) + ")");
        }
        assumptions
                .values()
                .removeIf(old -> lister.get(old.seen.namespace(), old.seen.name())
                        .filter(now -> isSame(old.seen, now))
                        .isEmpty());
        assumptions.put(changed.key(), new Assumption<>(seen, changed));
    }

    /** Takes back what is assumed of an object, unless it is about another version. */
    void restore(T changed) {
        Assumption<T> assumption = assumptions.get(changed.key());
        if (assumption != null && versionOf(assumption.assumed).equals(versionOf(changed))) {
            assumptions.remove(changed.key(), assumption);
        }
    }

    /** Whether two are one version of an object. A cluster that does not count versions gives a new object for each. */
    static boolean isSame(ClusterObject first, ClusterObject second) {
        return versionOf(first).isEmpty() ? first == second : versionOf(first).equals(versionOf(second));
    }

    private static String versionOf(ClusterObject object) {
        return object.metadata().resourceVersion();
    }
}
