// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.Map;
import org.moorage.api.model.DeviceAttribute;

/** An expression that the CEL library evaluates. */
final class CelExpression implements Selector, AttributeExpression {
    private final CelRuntime.Program program;
    private final CostTracker.Plan costs;

    CelExpression(CelRuntime.Program program, CostTracker.Plan costs) {
        this.program = program;
        this.costs = costs;
    }

    @Override
    public boolean matches(DeviceMap device) throws SelectorException {
        Object answer = evaluate(device);
        if (answer instanceof Boolean matches) {
            return matches;
        }
        String found = Functions.type(answer).name();
        throw new SelectorException("CEL result of type " + found + " could not be converted to bool", null);
    }

    @Override
    public DeviceAttribute value(DeviceMap device) throws SelectorException {
        return AttributeValues.of(evaluate(device));
    }

    private Object evaluate(DeviceMap device) throws SelectorException {
        try {
            return program.trace(Map.of("device", device), new CostTracker(costs)::evaluated);
        } catch (CelEvaluationException failed) {
            throw new SelectorException(CelErrors.ofEvaluation(failed), failed);
        } catch (CostTracker.Cancelled failed) {
            throw new SelectorException(String.valueOf(failed.getMessage()), failed);
        }
    }
}
