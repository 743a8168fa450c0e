// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;

/** Is told what objects a {@link Cluster} has. */
public interface ClusterListener {
    /** These are now all the objects of the kind; those that were known and are not among them are gone. */
    <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects);

    /**
     * A list of all objects of the kind begins. Collects them for {@link #replaced}, unless a listener has no need of all of them at once.
     *
     * @return is given them one by one
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
     * Takes the objects of a list. One that is not ended does not count.
     *
     * @param <T> the objects' type
     */
    interface Listing<T extends ClusterObject> {
        /** One of its objects. */
        void add(T object);

        /** These were all. */
        void end();
    }

    /** The object came into being or changed. */
    <T extends ClusterObject> void applied(ObjectKind<T> kind, T object);

    /** The object is gone. */
    <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object);

    /**
     * The objects of the kind cannot be listed, and what was told of them may be out of date. The next {@link #replaced} ends this.
     *
     * @param reason what is missing, for the messages of pods that need it
     */
    default <T extends ClusterObject> void unavailable(ObjectKind<T> kind, String reason) {}

    /** The plugins that asked for objects of the kind, by their names; none if it is the scheduler itself that needs them. */
    default Set<String> askedBy(ObjectKind<?> kind) {
        return Set.of();
    }

    /** The object of that name as the listener was last told of it; the namespace is empty for objects of the whole cluster. */
    default <T extends ClusterObject> Optional<T> known(ObjectKind<T> kind, String namespace, String name) {
        return Optional.empty();
    }
}
