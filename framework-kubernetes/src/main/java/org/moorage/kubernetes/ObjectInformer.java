// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An adapter of a client library's informer of one kind, for an {@link InformerCluster}. The informer must have all
 * objects of the kind, with all fields that scheduling reads: the requests of a missing pod are not counted on its
 * node.
 *
 * @param <M> the library's model class
 */
public interface ObjectInformer<M> {
    /**
     * Registers a callback for each added, changed or deleted object, called for one object at a time. Called once.
     *
     * @param changed receives an object, which may be older than the informer's current one
     * @return a function that removes the callback
     */
    Runnable onChange(Consumer<M> changed);

    /** Returns whether the informer has listed all objects once. */
    boolean hasSynced();

    /** Returns the current state of all objects. */
    Collection<M> objects();

    /** Returns the current object of the same name and namespace; empty if it is deleted. */
    Optional<M> current(M object);

    /**
     * Returns the fields of an object as in its JSON: strings, numbers, booleans, and lists and maps of such values.
     */
    Map<String, ?> fields(M object);
}
