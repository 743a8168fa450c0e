// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.whatif.FittingChange;

/**
 * The plugins' results for a pod at one moment of a {@link Simulation}, and the pod's outcome.
 *
 * @param moment when the plugins evaluated the pod
 * @param outcome the pod at the end of the simulation; empty for {@link Moment#NOW}
 * @param decision the pod's last attempt; empty if it was never tried, and for {@link Moment#NOW}
 * @param podsBefore the number of other pods that had been tried by then
 * @param evaluation the plugins' results. They cover every node, including those that the attempt did not visit
 * @param changes changes that would make the pod fit, each of them verified separately by a further evaluation. Empty
 *     if the pod fits
 */
public record Explanation(
        Moment moment,
        Optional<SimulatedPod> outcome,
        Optional<Decision> decision,
        int podsBefore,
        Evaluation evaluation,
        List<FittingChange> changes) {
    public Explanation {
        Objects.requireNonNull(moment, "moment");
        Objects.requireNonNull(evaluation, "evaluation");
        changes = List.copyOf(changes);
    }

    /** The moment at which the plugins evaluated the pod. */
    public enum Moment {
        /** Just before the pod's last attempt. */
        TURN,
        /** At the end, since the pod is never tried. */
        END,
        /** Before any pod was scheduled. */
        NOW
    }
}
