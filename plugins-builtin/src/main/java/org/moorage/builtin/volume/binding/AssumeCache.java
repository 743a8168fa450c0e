// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.ObjectLister;

/**
 * The objects of a kind as last seen, or as the scheduler assumes them after a decision. An assumption about an object
 * counts until the cluster shows a newer version of the object. Several pods may make assumptions about one object: the
 * last one counts, and each is reverted separately. Safe for use by several threads.
 */
final class AssumeCache<T extends ClusterObject> {
    private final ObjectLister<T> lister;
    // By the key of the object, the latest first.
    private final Map<String, Assumption<T>> assumptions = new ConcurrentHashMap<>();

    /** An assumption about an object, the version that it is based on, and the previous assumption not yet reverted. */
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

    /** Returns the object, in its assumed version if there is one. */
    Optional<T> find(String namespace, String name) {
        return lister.get(namespace, name).map(this::latest);
    }

    /** Returns the object as last seen. */
    Optional<T> seen(String namespace, String name) {
        return lister.get(namespace, name);
    }

    /** Returns the lister of the objects as last seen. */
    ObjectLister<T> lister() {
        return lister;
    }

    /** Returns all objects as last seen; {@link #latest} applies the assumption about each. */
    Iterable<T> all() {
        return lister.all();
    }

    /** Returns the assumed version of an object, or the one last seen if nothing is assumed about it. */
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

    /** Reverts the {@linkplain #assume assumption} that an object becomes this one. */
    void restore(T changed) {
        assumptions.computeIfPresent(changed.key(), (key, latest) -> latest.without(changed));
    }

    /** Drops the assumptions about an object, if the cluster has shown another version of it since. */
    void dropSuperseded(T changed) {
        assumptions.computeIfPresent(
                changed.key(),
                (key, latest) -> lister.get(changed.namespace(), changed.name())
                                .filter(now -> isSame(latest.seen, now))
                                .isPresent()
                        ? latest
                        : null);
    }

    /**
     * Returns whether two are one version of an object. A cluster that does not count versions gives a new object for
     * each.
     */
    static boolean isSame(ClusterObject first, ClusterObject second) {
        return versionOf(first).isEmpty() ? first == second : versionOf(first).equals(versionOf(second));
    }

    private static String versionOf(ClusterObject object) {
        return object.metadata().resourceVersion();
    }
}
