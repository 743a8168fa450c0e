// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.Map;

/** A selector that the CEL library evaluates. */
final class CelSelector implements Selector {
    private final CelRuntime.Program program;
    private final CostTracker.Plan costs;

    CelSelector(CelRuntime.Program program, CostTracker.Plan costs) {
        this.program = program;
        this.costs = costs;
    }

    @Override
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
