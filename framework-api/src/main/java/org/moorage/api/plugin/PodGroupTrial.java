// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Collection;
import java.util.List;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/**
 * Tries for a group what would be if pods were gone, or were there. What is tried is taken back when the call that was given it ends. For
 * one thread at a time.
 */
public interface PodGroupTrial {
    /**
     * What came of scheduling the group.
     *
     * @param status success, or why the group does not fit
     * @param assignments the pods that found a node, those of all groups below a composite one
     */
    record Simulation(Status status, List<ProposedAssignment> assignments) {
        /** A result that does not change. */
        public Simulation {
            assignments = List.copyOf(assignments);
        }
    }

    /** The nodes with the changes. */
    Snapshot snapshot();

    /**
     * Adds a pod to a node, and tells the profile's {@link PreFilterExtensions} for each assignment of the last {@link #schedule}.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    void assume(Pod added, String nodeName);

    /**
     * Removes pods from a node, which is one change, and tells the profile's {@link PreFilterExtensions} of each for each assignment of the
     * last {@link #schedule}.
     *
     * @throws IllegalArgumentException if one is not there
     */
    void remove(Collection<Pod> removed, String nodeName);

    /** How many changes are tried. */
    int changes();

    /** Takes the last changes back until only so many are left. */
    void takeBack(int changesLeft);

    /** Schedules the whole group anew on the nodes with the changes. Nothing stays reserved. */
    Simulation schedule();

    /**
     * Whether the assignments of the last {@link #schedule} still hold: each pod passes the filters on its node, once the pods before
     * it are on theirs.
     */
    boolean holds();
}
