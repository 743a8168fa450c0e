// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import java.util.Objects;
import org.moorage.api.annotation.Experimental;

/** The assignments of the pods of a group in a placement that the group fits in. */
@Experimental
public final class PodGroupAssignments {
    private final Placement placement;
    private final List<ProposedAssignment> proposed;

    private PodGroupAssignments(Placement placement, List<ProposedAssignment> proposed) {
        this.placement = Objects.requireNonNull(placement, "placement");
        this.proposed = List.copyOf(proposed);
    }

    /** Returns the assignments in a placement. */
    public static PodGroupAssignments of(Placement placement, List<ProposedAssignment> proposed) {
        return new PodGroupAssignments(placement, proposed);
    }

    /** Returns the placement. */
    public Placement placement() {
        return placement;
    }

    /** Returns the proposed node of each pending pod of the group. */
    public List<ProposedAssignment> proposed() {
        return proposed;
    }

    @Override
    public String toString() {
        return placement.name() + ": " + proposed;
    }
}
