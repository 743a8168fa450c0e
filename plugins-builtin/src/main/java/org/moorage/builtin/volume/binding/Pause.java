// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.time.Duration;

/** Lets time pass. */
@FunctionalInterface
interface Pause {
    /**
     * Waits.
     *
     * @throws IllegalStateException if somebody wants the wait to end
     */
    void last(Duration time);
}
