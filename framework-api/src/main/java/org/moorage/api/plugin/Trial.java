// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Pod;

/**
 * Tries for a pod what would be if other pods were on nodes, or were not. Neither the cycle's snapshot nor its state is changed. Changes
 * are taken back in reverse order. For one thread at a time.
 */
public interface Trial {
    /** The nodes with the changes. */
    Snapshot snapshot();

    /** The state with the changes, a fork of the cycle's. To be asked for anew after each change. */
    CycleState state();

    /**
     * Adds a pod to a node, and tells the profile's {@link PreFilterExtensions}.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    void assume(Pod added, String nodeName);

    /**
     * Removes a pod from a node, and tells the profile's {@link PreFilterExtensions}.
     *
     * @throws IllegalArgumentException if it is not there
     */
    void remove(Pod removed, String nodeName);

    /** How many changes are tried. */
    int changes();

    /** Takes the last changes back until only so many are left: snapshot and state are as they were then. */
    void takeBack(int changesLeft);
}
