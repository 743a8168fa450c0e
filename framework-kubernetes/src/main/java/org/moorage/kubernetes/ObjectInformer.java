// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The objects of one kind as an informer of a client library keeps them, for an {@link InformerCluster}. It must have all of them, with
 * all fields that scheduling reads: a pod that it leaves out takes nothing on its node.
 *
 * @param <M> the library's type of the objects
 */
public interface ObjectInformer<M> {
    /**
     * Tells from now on of each object that comes, changes or goes, one after the other. Called once.
     *
     * @param changed takes an object, which may be older than what the informer has by then
     * @return what ends it
     */
    Runnable onChange(Consumer<M> changed);

    /** Whether the informer has listed all objects once. */
    boolean hasSynced();

    /** All objects, as they are known now. */
    Collection<M> objects();

    /** The object of the same name and namespace as it is known now; empty if it is gone. */
    Optional<M> current(M object);

    /** The fields of an object as in its JSON: texts, numbers, booleans, lists and maps of such values. */
    Map<String, ?> fields(M object);
}
