// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.group;

import java.util.Collection;
import java.util.List;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.PreFilterExtensions;

/**
 * A simulation of adding and removing pods, for a pod group. The simulated changes are reverted when the call that
 * received the trial ends. Not thread-safe.
 */
@Experimental
public interface PodGroupTrial {
    /**
     * The result of scheduling the group.
     *
     * @param status success, or why the group does not fit
     * @param assignments the assigned pods; for a composite group, those of all groups below it
     */
    record Simulation(Status status, List<ProposedAssignment> assignments) {
        /** Copies the assignments, so that the result is immutable. */
        public Simulation {
            assignments = List.copyOf(assignments);
        }
    }

    /** Returns the nodes with the simulated changes. */
    Snapshot snapshot();

    /**
     * Adds a pod to a node, and calls the profile's {@link PreFilterExtensions} for each assignment of the last
     * {@link #schedule}.
     *
     * @throws IllegalArgumentException if the node does not exist
     */
    void assume(Pod added, String nodeName);

    /**
     * Removes pods from a node, as one change, and calls the profile's {@link PreFilterExtensions} with each pod for
     * each assignment of the last {@link #schedule}.
     *
     * @throws IllegalArgumentException if a pod is not on the node
     */
    void remove(Collection<Pod> removed, String nodeName);

    /** Returns the number of simulated changes. */
    int changes();

    /** Reverts the latest changes until {@code changesLeft} are left. */
    void revertTo(int changesLeft);

    /** Schedules the whole group again on the nodes with the simulated changes. Nothing stays reserved. */
    Simulation schedule();

    /**
     * Returns whether the assignments of the last {@link #schedule} are still valid: each pod passes the filters on its
     * node, with the pods before it on theirs.
     */
    boolean holds();
}
