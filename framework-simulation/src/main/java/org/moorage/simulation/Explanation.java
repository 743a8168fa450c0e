// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.whatif.FittingChange;

/**
 * What the plugins say of a pod at some moment of a {@link Simulation}, and what becomes of it.
 *
 * @param moment when the plugins were asked
 * @param outcome the pod at the end of the simulation; empty for {@link Moment#NOW}
 * @param decision the pod's last attempt; empty if it was never tried, and for {@link Moment#NOW}
 * @param podsBefore how many other pods had been tried by then
 * @param evaluation what the plugins said. It looks at every node, also where the attempt did not
 * @param changes what would make the pod fit; the plugins were asked again with each of them alone. Empty if the pod fits
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
