// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.time.Duration;
import org.moorage.api.model.Pod;

/** Lets time pass. */
@FunctionalInterface
interface Pause {
    /**
     * Waits, as long as nobody calls the pod back.
     *
     * @throws IllegalStateException if somebody wants the wait to end
     */
    void last(Pod pod, Duration time);
}
