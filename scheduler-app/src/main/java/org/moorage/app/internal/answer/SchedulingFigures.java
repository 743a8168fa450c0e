// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.moorage.simulation.whatif.SchedulingOutcome;

/**
 * The result of a scheduler's decisions in figures.
 *
 * @param pending the number of pods without a node
 * @param leftTheirNode the number of pods that were on a node and are on another one, or on none
 * @param cluster how the nodes are filled
 */
public record SchedulingFigures(
        int pending, int leftTheirNode, @JsonUnwrapped ClusterFigures cluster) {
    /** Returns the figures of an outcome. */
    public static SchedulingFigures of(SchedulingOutcome outcome) {
        return new SchedulingFigures(
                outcome.pods().unplaced().size(), outcome.leaving(), ClusterFigures.of(outcome.balance()));
    }
}
