// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.util.Objects;
import java.util.Optional;
import org.moorage.runtime.decision.GroupEvaluation;

/**
 * The result of an attempt at a group of pods at one moment of a {@link Simulation}, and the group's outcome.
 *
 * @param moment when it was tried
 * @param outcome the group at the end of the simulation; empty for {@link Explanation.Moment#NOW}, and if none of its
 *     pods is pending
 * @param attempts the number of attempts in the simulation; 0 for {@link Explanation.Moment#NOW}
 * @param podsBefore the number of other pods that had been tried by then
 * @param evaluation what was found, by the same code and in the same order as in the simulation
 */
public record GroupExplanation(
        Explanation.Moment moment,
        Optional<SimulatedGroup> outcome,
        int attempts,
        int podsBefore,
        GroupEvaluation evaluation) {
    public GroupExplanation {
        Objects.requireNonNull(moment, "moment");
        Objects.requireNonNull(evaluation, "evaluation");
    }
}
