// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.Collection;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;

/**
 * The objects of one kind as the scheduler last saw them. Thread-safe.
 *
 * @param <T> the objects' type
 */
public interface ObjectLister<T extends ClusterObject> {
    /** Returns the object with that name; the namespace is empty for cluster-scoped objects. */
    Optional<T> get(String namespace, String name);

    /**
     * Returns the current object with the namespace and name of this one. It may have been replaced: compare the UIDs.
     */
    default Optional<T> current(T object) {
        return get(object.namespace(), object.name());
    }

    /** Returns all objects, as an unmodifiable collection that may change while it is read. */
    Collection<T> all();

    /** Returns the objects of a namespace, as an unmodifiable collection that may change while it is read. */
    Collection<T> in(String namespace);

    /**
     * Returns why the objects of the kind are unavailable: the API server does not serve the kind, or does not allow
     * listing it. Empty if they are available, which is the usual case. Otherwise the other methods return the objects
     * that were known before, usually none, and a plugin should reject pods for which the objects matter.
     */
    default Optional<String> unavailable() {
        return Optional.empty();
    }

    /** Returns why the objects of one of these kinds are unavailable; empty if all are available. */
    static Optional<String> anyUnavailable(ObjectLister<?>... listers) {
        for (ObjectLister<?> lister : listers) {
            Optional<String> reason = lister.unavailable();
            if (reason.isPresent()) {
                return reason;
            }
        }
        return Optional.empty();
    }
}
