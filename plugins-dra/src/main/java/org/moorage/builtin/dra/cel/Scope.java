// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import org.jspecify.annotations.Nullable;

/** The variables that a step sees, and the meter of the evaluation. */
abstract class Scope {
    private final Meter meter;

    Scope(Meter meter) {
        this.meter = meter;
    }

    Meter meter() {
        return meter;
    }

    /** The value of a variable, or null if there is none of this name. */
    abstract @Nullable Object find(String name);

    /** The outermost scope, with the device alone. */
    static Scope of(DeviceMap device) {
        return new Scope(new Meter()) {
            @Override
            @Nullable
            Object find(String name) {
                return name.equals("device") ? device : null;
            }
        };
    }
}
