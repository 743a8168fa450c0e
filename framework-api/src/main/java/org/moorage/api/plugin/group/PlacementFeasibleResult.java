// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.group;

import java.util.Objects;
import org.moorage.api.Status;
import org.moorage.api.annotation.Experimental;

/** The result of {@link PlacementFeasiblePlugin#placementFeasible}. */
@Experimental
public final class PlacementFeasibleResult {
    private static final PlacementFeasibleResult FEASIBLE = new PlacementFeasibleResult(Outcome.FEASIBLE, "");

    private final Outcome outcome;
    private final String reason;

    /** The feasibility of a placement, given a group's progress. */
    public enum Outcome {
        /** Enough, permanently: more pods may be tried, but no further pod has to be scheduled. */
        FEASIBLE,
        /** Not enough yet; counts as a rejection if it is the final outcome. */
        WAIT,
        /** It can no longer become enough. */
        UNSCHEDULABLE
    }

    private PlacementFeasibleResult(Outcome outcome, String reason) {
        this.outcome = outcome;
        // Truncated like the reasons of a status.
        this.reason = reason.isEmpty() ? "" : Status.unschedulable(reason).message();
    }

    /** Returns the result that enough pods are scheduled. */
    public static PlacementFeasibleResult feasible() {
        return FEASIBLE;
    }

    /**
     * Returns the result that not enough pods are scheduled yet.
     *
     * @param reason the reason that is reported if this is the final outcome
     */
    public static PlacementFeasibleResult waiting(String reason) {
        return new PlacementFeasibleResult(Outcome.WAIT, reason);
    }

    /**
     * Returns the result that the placement can no longer become feasible.
     *
     * @param reason why not
     */
    public static PlacementFeasibleResult unschedulable(String reason) {
        return new PlacementFeasibleResult(Outcome.UNSCHEDULABLE, reason);
    }

    /** Returns the outcome. */
    public Outcome outcome() {
        return outcome;
    }

    /** Returns why the pods are not enough; empty if they are. */
    public String reason() {
        return reason;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PlacementFeasibleResult that && outcome == that.outcome && reason.equals(that.reason);
    }

    @Override
    public int hashCode() {
        return Objects.hash(outcome, reason);
    }

    @Override
    public String toString() {
        return reason.isEmpty() ? outcome.toString() : outcome + ": " + reason;
    }
}
