// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.RemedyPlugin;
import org.moorage.api.plugin.WaitingPod;

/**
 * Simulated changes of a cluster, and questions about the changed cluster. Pods that a question places stay on their
 * nodes, with all reservations of plugins, until the transaction is closed, which reverts all changes in reverse order.
 *
 * <p>Only for the thread that began it. Changes can be chained:
 *
 * <pre>{@code
 * try (Transaction drained = cluster.begin().evict(pods).without("node-1")) {
 *     PlacedPods elsewhere = drained.place(pods);
 * }
 * }</pre>
 *
 * <p>All methods but {@link #close} throw an {@link IllegalStateException} on another thread, while an inner
 * transaction is open, and after it is closed.
 */
public interface Transaction extends Questions, AutoCloseable {
    /**
     * Removes pods from their nodes, and releases or deletes their claims as controllers do when pods are deleted.
     * Duplicates are ignored.
     *
     * @throws IllegalArgumentException if a pod is on no node
     */
    Transaction evict(Collection<Pod> pods);

    /**
     * Removes nodes and the pods on them. Duplicates are ignored.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    Transaction without(Collection<String> nodeNames);

    /** As {@link #without(Collection)}. */
    default Transaction without(String... nodeNames) {
        return without(Arrays.asList(Objects.requireNonNull(nodeNames, "nodeNames")));
    }

    /**
     * Adds objects, or replaces existing ones of the same kind and name: nodes, pods with a node, volumes, claims,
     * budgets. The pods on a replaced node stay. Claims that do not wait for a pod are bound, if there is a volume or a
     * provisioner for them.
     *
     * @throws IllegalArgumentException if the node of a pod does not exist, two objects have the same kind, namespace
     *     and name, two pods have the same UID, or a pod has none
     */
    Transaction with(Collection<? extends ClusterObject> objects);

    /** As {@link #with(Collection)}. */
    default Transaction with(ClusterObject... objects) {
        return with(Arrays.asList(Objects.requireNonNull(objects, "objects")));
    }

    /**
     * Adds pending pods, so that plugins that count the pods of the cluster, such as the members of a gang, see all of
     * them before the first one is placed. Pods whose namespace and name are in use are not added.
     */
    Transaction withPending(Collection<Pod> pods);

    /**
     * Restricts the candidate nodes to the given ones. The others still exist, with their pods. Duplicates are ignored.
     * Nodes that are added later are no candidates.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    Transaction among(Collection<String> nodeNames);

    /**
     * Returns the pods that were placed here and wait for permits of plugins. Time does not pass, so that a pod whose
     * plugins never allow it stays until {@link #evict} takes it off its node.
     */
    Collection<WaitingPod> waitingPods();

    /**
     * Returns the changes that plugins propose for a pending pod, see {@link RemedyPlugin}. They are not tried. A plugin
     * that fails proposes none.
     */
    List<RemedyPlugin.Remedy> remedies(Pod pod);

    /**
     * Removes nodes from the candidate nodes. They still exist, with their pods. Duplicates, and nodes that are no
     * candidates, are ignored. Nodes that are added later are no candidates.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    Transaction excluding(Collection<String> nodeNames);

    /** Begins an inner transaction, which sees the changes of this one. */
    Transaction begin();

    /**
     * Commits an inner transaction to the outer one: closing the inner one then reverts nothing.
     *
     * @throws IllegalStateException also if it is not an inner transaction
     */
    void keep();

    /** Reverts all changes since the transaction began. Further calls have no effect. */
    @Override
    void close();
}
