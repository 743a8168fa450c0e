// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;

/** The last steps of a simulation, for the report of a failure. */
final class Trace {
    private static final int KEPT = Integer.getInteger("simulation.steps", 80);

    private final Deque<Object[]> steps = new ArrayDeque<>();
    private InstantSource clock = InstantSource.system();

    /** Sets the clock that steps are dated with. */
    void clock(InstantSource value) {
        clock = value;
    }

    /** Adds a step; its parts become text only if it is shown. */
    void add(Object... parts) {
        if (steps.size() == KEPT) {
            steps.removeFirst();
        }
        Object[] step = new Object[parts.length + 1];
        step[0] = clock.instant();
        System.arraycopy(parts, 0, step, 1, parts.length);
        steps.addLast(step);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Object[] step : steps) {
            text.append("\n ");
            for (Object part : step) {
                text.append(' ').append(part);
            }
        }
        return text.toString();
    }
}
