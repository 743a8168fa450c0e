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
        Object answer = answer(device, new CostTracker(costs));
        if (answer instanceof Boolean matches) {
            return matches;
        }
        throw new SelectorException(SelectorErrors.notBool(answer), null);
    }

    private Object answer(DeviceMap device, CostTracker tracker) throws SelectorException {
        try {
            return program.trace(Map.of("device", device), tracker::evaluated);
        } catch (CelEvaluationException failed) {
            throw new SelectorException(SelectorErrors.ofEvaluation(failed), failed);
        } catch (CostTracker.Cancelled cancelled) {
            throw new SelectorException(String.valueOf(cancelled.getMessage()), cancelled);
        }
    }

    /** What it costs to ask about a device. */
    long cost(DeviceMap device) throws SelectorException {
        CostTracker tracker = new CostTracker(costs);
        answer(device, tracker);
        return tracker.cost();
    }
}
