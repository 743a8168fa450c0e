// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.Map;

/** A compiled expression about a device. Safe for use by several threads. */
public final class Selector {
    private final CelRuntime.Program program;
    private final CostTracker.Plan costs;

    Selector(CelRuntime.Program program, CostTracker.Plan costs) {
        this.program = program;
        this.costs = costs;
    }

    /**
     * Whether a device satisfies the expression.
     *
     * @throws SelectorException if the expression makes no sense for the device, or costs too much
     */
    public boolean matches(DeviceMap device) throws SelectorException {
        try {
            Object answer = program.trace(Map.of("device", device), new CostTracker(costs)::evaluated);
            if (answer instanceof Boolean matches) {
                return matches;
            }
            String found = Functions.type(answer).name();
            throw new SelectorException("CEL result of type " + found + " could not be converted to bool", null);
        } catch (CelEvaluationException | CostTracker.Cancelled failed) {
            throw new SelectorException(String.valueOf(failed.getMessage()), failed);
        }
    }
}
