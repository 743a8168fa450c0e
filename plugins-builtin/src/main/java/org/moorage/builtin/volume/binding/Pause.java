// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.time.Duration;
import org.moorage.api.model.Pod;

/** A way to pause the binding of a pod. */
@FunctionalInterface
interface Pause {
    /**
     * Waits for a time, unless the binding of the pod is cancelled.
     *
     * @throws IllegalStateException if the wait is cancelled
     */
    void last(Pod pod, Duration time);
}
