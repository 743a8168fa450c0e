// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.cluster;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.objects.KeptJson;

/** The source of all cluster objects of a scheduler. */
public interface ClusterSource extends AutoCloseable {
    /**
     * Returns a source without objects, for programs that only evaluate the objects of each request. Kinds other than
     * pods and nodes are unavailable, and reading fails.
     *
     * @param reason the reason, such as how to configure a cluster
     */
    static ClusterSource none(String reason) {
        return new NoObjects(reason);
    }

    /**
     * Returns a source of the given objects, which do not change.
     *
     * @param objects the objects; of several with the same kind and name the last one is used
     */
    static ClusterSource of(Collection<? extends ClusterObject> objects) {
        return new GivenObjects(objects);
    }

    /**
     * Starts to watch the objects of the given kinds. Returns when the listener has received all existing objects of
     * each kind, or has been notified that they cannot be listed ({@link ClusterListener#unavailable}); pods and nodes
     * are always available. Blocks while the server does not respond. Called once.
     *
     * @param kinds the kinds
     * @param json selects the objects that must carry their JSON text
     * @param listener the listener; calls for one kind are sequential, calls for different kinds may be concurrent
     * @throws org.moorage.api.plugin.cluster.ClusterException if the objects cannot be listed
     */
    void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener);

    /**
     * Reads an object from the API server, regardless of what the listener received, to determine the result of a
     * change.
     *
     * @param namespace its namespace; empty for objects of the whole cluster
     * @return empty if it does not exist
     * @throws org.moorage.api.plugin.cluster.ClusterException if it cannot be read
     */
    <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name);

    /**
     * Lists the pods with a label whose phase is {@code Succeeded} or {@code Failed}, as far as {@link #watch} omits
     * them; none if it omits no pods.
     *
     * @throws org.moorage.api.plugin.cluster.ClusterException if they cannot be listed
     */
    default List<Pod> endedPods(String label, String value) {
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(value, "value");
        return List.of();
    }

    /** Stops calling the listener and releases the resources of the source. Further calls have no effect. */
    @Override
    void close();
}
