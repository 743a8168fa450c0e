// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;
import org.moorage.api.Status;

/** The answer of {@link PlacementFeasiblePlugin#placementFeasible}. */
public final class PlacementFeasibleResult {
    private static final PlacementFeasibleResult FEASIBLE = new PlacementFeasibleResult(Outcome.FEASIBLE, "");

    private final Outcome outcome;
    private final String reason;

    /** What a group's progress comes to. */
    public enum Outcome {
        /** Enough, and for good: more pods may be tried, but none has to find a node. */
        FEASIBLE,
        /** Not enough yet; at the end it counts as a rejection. */
        WAIT,
        /** It cannot become enough any more. */
        UNSCHEDULABLE
    }

    private PlacementFeasibleResult(Outcome outcome, String reason) {
        this.outcome = outcome;
        // Bounded as the reasons of a status are.
        this.reason = reason.isEmpty() ? "" : Status.unschedulable(reason).message();
    }

    /** Enough. */
    public static PlacementFeasibleResult feasible() {
        return FEASIBLE;
    }

    /**
     * Not enough yet.
     *
     * @param reason told if it stays so
     */
    public static PlacementFeasibleResult waiting(String reason) {
        return new PlacementFeasibleResult(Outcome.WAIT, reason);
    }

    /**
     * It cannot become enough.
     *
     * @param reason why not
     */
    public static PlacementFeasibleResult unschedulable(String reason) {
        return new PlacementFeasibleResult(Outcome.UNSCHEDULABLE, reason);
    }

    /** What the progress comes to. */
    public Outcome outcome() {
        return outcome;
    }

    /** Why it is not enough; empty if it is. */
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
