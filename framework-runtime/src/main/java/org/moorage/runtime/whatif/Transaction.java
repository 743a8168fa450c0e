// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;

/**
 * Changes of a cluster that are only tried, and questions about what has become of it. Pods that a question places stay where they are, with
 * all that plugins have reserved for them, until the transaction is closed: then everything is taken back, the last change first.
 *
 * <p>For the thread that has begun it. Changes can be chained:
 *
 * <pre>{@code
 * try (Transaction drained = cluster.begin().evict(pods).without("node-1")) {
 *     PlacedPods elsewhere = drained.place(pods);
 * }
 * }</pre>
 *
 * <p>All methods but {@link #close} throw an {@link IllegalStateException} on another thread, while an inner transaction is open, and after
 * it is closed.
 */
public interface Transaction extends Questions, AutoCloseable {
    /**
     * Removes pods from their nodes, and releases or deletes their claims as controllers do when pods are deleted. A pod that is given several
     * times counts once.
     *
     * @throws IllegalArgumentException if one is on no node
     */
    Transaction evict(Collection<Pod> pods);

    /**
     * Removes nodes and the pods on them. A node that is named several times counts once.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    Transaction without(Collection<String> nodeNames);

    /** As {@link #without(Collection)}. */
    default Transaction without(String... nodeNames) {
        return without(Arrays.asList(Objects.requireNonNull(nodeNames, "nodeNames")));
    }

    /**
     * Adds objects, or replaces those of their kind and name: nodes, pods with a node, volumes, claims, budgets. The pods on a replaced node
     * stay. Claims that do not wait for a pod are bound, if there is a volume or a provisioner for them.
     *
     * @throws IllegalArgumentException if the node of a pod does not exist, two objects have one kind, namespace and name, two pods have one
     *     UID, or a pod has none
     */
    Transaction with(Collection<? extends ClusterObject> objects);

    /** As {@link #with(Collection)}. */
    default Transaction with(ClusterObject... objects) {
        return with(Arrays.asList(Objects.requireNonNull(objects, "objects")));
    }

    /**
     * Restricts the nodes to choose from to these. The others still exist, with their pods. A node that is named several times counts once.
     * Nodes that are added later are not among them.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    Transaction among(Collection<String> nodeNames);

    /** A transaction within this one, which sees what this one has tried. */
    Transaction begin();

    /**
     * Has what an inner transaction has tried stay with the outer one: closing it takes nothing back any more.
     *
     * @throws IllegalStateException also if it is no inner one: what it has tried can stay nowhere
     */
    void keep();

    /** Takes back what was tried since it was begun. Calling it again does no harm. */
    @Override
    void close();
}
