// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import java.util.Optional;
import org.moorage.simulation.Simulation;

/** The option {@code --seed} of the commands that simulate. */
public final class SimulationSeed {
    private SimulationSeed() {}

    /** Sets the seed of a simulation, if one was given. Any but 0 also breaks ties between nodes at random. */
    public static void set(Simulation simulation, Optional<Long> seed) {
        if (seed.isPresent()) {
            Simulation ignored = simulation.seed(seed.get());
            if (seed.get() != 0) {
                ignored = simulation.breakingTiesAtRandom();
            }
        }
    }
}
