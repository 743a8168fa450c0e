// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;

/** Receives the objects of a {@link Cluster} and their changes. */
public interface ClusterListener {
    /** Replaces all objects of a kind; known objects that are not among the given ones are gone. */
    <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects);

    /**
     * Begins a list of all objects of a kind. The default collects them for {@link #replaced}; a listener that can
     * process them one by one overrides it.
     *
     * @return receives the objects one by one
     */
    default <T extends ClusterObject> Listing<T> listing(ObjectKind<T> kind) {
        List<T> all = new ArrayList<>();
        return new Listing<>() {
            @Override
            public void add(T object) {
                all.add(object);
            }

            @Override
            public void end() {
                replaced(kind, all);
            }
        };
    }

    /**
     * Receives the objects of a list. A list that is not ended has no effect.
     *
     * @param <T> the objects' type
     */
    interface Listing<T extends ClusterObject> {
        /** Adds one of the objects. */
        void add(T object);

        /** Ends the list. */
        void end();
    }

    /** Called when an object was created or updated. */
    <T extends ClusterObject> void applied(ObjectKind<T> kind, T object);

    /** Called when an object was deleted. */
    <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object);

    /**
     * Called when the objects of a kind cannot be listed, so that the known ones may be out of date. The next {@link
     * #replaced} ends this state.
     *
     * @param reason the reason, for the messages of pods that need these objects
     */
    default <T extends ClusterObject> void unavailable(ObjectKind<T> kind, String reason) {}

    /**
     * Returns the names of the plugins that requested objects of the kind; none if only the scheduler itself needs
     * them.
     */
    default Set<String> askedBy(ObjectKind<?> kind) {
        return Set.of();
    }

    /**
     * Returns the object of that name as the listener last received it; the namespace is empty for cluster-scoped
     * objects.
     */
    default <T extends ClusterObject> Optional<T> known(ObjectKind<T> kind, String namespace, String name) {
        return Optional.empty();
    }
}
