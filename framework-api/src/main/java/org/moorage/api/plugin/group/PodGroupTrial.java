// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.group;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
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
    /** The result of scheduling the group. */
    final class Result {
        private final Status status;
        private final List<ProposedAssignment> assignments;

        private Result(Status status, List<ProposedAssignment> assignments) {
            this.status = Objects.requireNonNull(status, "status");
            this.assignments = List.copyOf(assignments);
        }

        /** Returns a result with these {@link #status} and {@link #assignments}. */
        public static Result of(Status status, List<ProposedAssignment> assignments) {
            return new Result(status, assignments);
        }

        /** Returns success, or why the group does not fit. */
        public Status status() {
            return status;
        }

        /** Returns the assigned pods; for a composite group, those of all groups below it. */
        public List<ProposedAssignment> assignments() {
            return assignments;
        }

        @Override
        public String toString() {
            return status + ": " + assignments;
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
    Result schedule();

    /**
     * Returns whether the assignments of the last {@link #schedule} are still valid: each pod passes the filters on its
     * node, with the pods before it on theirs.
     */
    boolean holds();
}
