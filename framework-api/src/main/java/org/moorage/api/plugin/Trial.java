// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.PreFilterExtensions;

/**
 * A simulation of adding other pods to, and removing them from, nodes, for one pod. It changes neither the cycle's
 * snapshot nor its state. Changes are reverted in reverse order. Not thread-safe.
 */
public interface Trial {
    /** Returns the nodes with the simulated changes. */
    Snapshot snapshot();

    /** Returns the state with the simulated changes, a fork of the cycle's state. Call this again after each change. */
    CycleState state();

    /**
     * Adds a pod to a node, and calls the profile's {@link PreFilterExtensions}.
     *
     * @throws IllegalArgumentException if the node does not exist
     */
    void assume(Pod added, String nodeName);

    /**
     * Removes a pod from a node, and calls the profile's {@link PreFilterExtensions}.
     *
     * @throws IllegalArgumentException if the pod is not on the node
     */
    void remove(Pod removed, String nodeName);

    /** Returns the number of simulated changes. */
    int changes();

    /**
     * Reverts the latest changes until {@code changesLeft} are left, and restores the snapshot and the state of that
     * point.
     */
    void revertTo(int changesLeft);
}
