// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.PluginException;

/**
 * The objects of a kind as they will be: as last seen, or as the scheduler has decided that they become. What is assumed of an
 * object counts until the cluster shows a newer version of it. Several pods may assume something of one object: what was assumed last
 * counts, and each is taken back for itself. Safe for use by several threads.
 */
final class AssumeCache<T extends ClusterObject> {
    private final ObjectLister<T> lister;
    // By the key of the object, the latest first.
    private final Map<String, Assumption<T>> assumptions = new ConcurrentHashMap<>();

    /** What is assumed of an object, the version that it was seen in, and what was assumed before and is not taken back. */
    private record Assumption<T>(
            T seen, T assumed, @Nullable Assumption<T> before) {
        @Nullable
        Assumption<T> without(T changed) {
            List<Assumption<T>> later = new ArrayList<>(0);
            Assumption<T> found = this;
            while (found != null && found.assumed != changed) {
                later.add(found);
                found = found.before;
            }
            if (found == null) {
                return this;
            }
            Assumption<T> staying = found.before;
            for (int i = later.size() - 1; i >= 0; i--) {
                staying = new Assumption<>(later.get(i).seen, later.get(i).assumed, staying);
            }
            return staying;
        }
    }

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
     * @throws PluginException if it has changed otherwise since the decision
     */
    void assume(T changed) {
        T seen = lister.current(changed).orElseThrow(() -> new PluginException("\"" + changed.key() + "\" not found"));
        if (!versionOf(seen).equals(versionOf(changed))) {
            throw new PluginException("\"" + changed.key() + "\" is out of sync (stored: " + versionOf(seen)
                    + ", assume: " + versionOf(changed) + ")");
        }
        assumptions
                .values()
                .removeIf(old -> lister.get(old.seen.namespace(), old.seen.name())
                        .filter(now -> isSame(old.seen, now))
                        .isEmpty());
        assumptions.merge(
                changed.key(),
                new Assumption<>(seen, changed, null),
                (before, latest) -> new Assumption<>(seen, changed, before));
    }

    /** Takes back that an object was {@linkplain #assume assumed} to become this one. */
    void restore(T changed) {
        assumptions.computeIfPresent(changed.key(), (key, latest) -> latest.without(changed));
    }

    /** Drops what was assumed of an object, if the cluster has shown another version of it since. */
    void dropSuperseded(T changed) {
        assumptions.computeIfPresent(
                changed.key(),
                (key, latest) -> lister.get(changed.namespace(), changed.name())
                                .filter(now -> isSame(latest.seen, now))
                                .isPresent()
                        ? latest
                        : null);
    }

    /** Whether two are one version of an object. A cluster that does not count versions gives a new object for each. */
    static boolean isSame(ClusterObject first, ClusterObject second) {
        return versionOf(first).isEmpty() ? first == second : versionOf(first).equals(versionOf(second));
    }

    private static String versionOf(ClusterObject object) {
        return object.metadata().resourceVersion();
    }
}
