// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Collection;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;

/**
 * The objects of one kind as the scheduler last saw them. Safe for use by several threads.
 *
 * @param <T> the objects' type
 */
public interface ObjectLister<T extends ClusterObject> {
    /** The object of that name; the namespace is empty for objects of the whole cluster. */
    Optional<T> get(String namespace, String name);

    /** What has the namespace and name of this object now, which may be another object by now: compare the UIDs. */
    default Optional<T> current(T object) {
        return get(object.namespace(), object.name());
    }

    /** All objects. Not to be changed; it may change while it is read. */
    Collection<T> all();

    /** The objects of a namespace. Not to be changed; it may change while it is read. */
    Collection<T> in(String namespace);

    /**
     * Why the objects of the kind are not known: the API server does not serve it, or does not allow to list it. Empty if they
     * are known, which is nearly always so. Otherwise the other methods return what was known before, usually nothing, and a plugin
     * should reject the pods for which the objects matter.
     */
    default Optional<String> unavailable() {
        return Optional.empty();
    }

    /** Why the objects of one of these kinds are not known; empty if all are. */
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
