// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

/** A compiled expression about a device. Safe for use by several threads. */
public final class Selector {
    private final Step steps;

    Selector(Step steps) {
        this.steps = steps;
    }

    /**
     * Whether a device satisfies the expression.
     *
     * @throws SelectorException if the expression makes no sense for the device, or costs too much
     */
    public boolean matches(DeviceMap device) throws SelectorException {
        Object answer = answer(Scope.of(device));
        if (answer instanceof Boolean matches) {
            return matches;
        }
        throw new SelectorException(SelectorErrors.notBool(answer), null);
    }

    private Object answer(Scope scope) throws SelectorException {
        Object answer;
        try {
            answer = steps.eval(scope);
        } catch (Meter.Exceeded | SelectorPanic ended) {
            throw new SelectorException(String.valueOf(ended.getMessage()), ended);
        }
        if (answer instanceof Failure failure) {
            throw new SelectorException(failure.message(), null);
        }
        return answer;
    }

    /** What it costs to ask about a device. */
    long cost(DeviceMap device) throws SelectorException {
        Scope scope = Scope.of(device);
        answer(scope);
        return scope.meter().cost();
    }
}
