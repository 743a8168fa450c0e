// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.cluster;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.KeptJson;

/** The objects of the cluster that a scheduler works on: the only way in which it sees them. */
public interface ClusterSource extends AutoCloseable {
    /**
     * No objects, for those who know only what they are asked about. Kinds other than pods and nodes are unavailable, and nothing can be
     * read.
     *
     * @param reason what to do to have some
     */
    static ClusterSource none(String reason) {
        return new NoObjects(reason);
    }

    /**
     * These objects, which do not change.
     *
     * @param objects of several with one kind and name the last one counts
     */
    static ClusterSource of(Collection<? extends ClusterObject> objects) {
        return new GivenObjects(objects);
    }

    /**
     * Starts to tell a listener about the objects of these kinds, and returns when it has been told once of all that there are, or
     * that they cannot be listed ({@link ClusterListener#unavailable}); pods and nodes always can. Waits for a server that does not
     * answer. Called once.
     *
     * @param kinds the kinds
     * @param json which objects must carry their JSON text
     * @param listener whom to tell; for one kind the calls come one after the other, for several they may come at once
     * @throws org.moorage.api.plugin.ClusterException if the objects cannot be had
     */
    void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener);

    /**
     * An object as the API server has it now, whatever the listener was told; for finding out what became of a change.
     *
     * @param namespace its namespace; empty for objects of the whole cluster
     * @return empty if it is not there
     * @throws org.moorage.api.plugin.ClusterException if it cannot be had
     */
    <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name);

    /** Stops telling the listener, and gives back what the source holds. Calling it again does no harm. */
    @Override
    void close();
}
