// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.time.Instant;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;

/** A pod in the scheduling queue, or a pod group that is queued as a unit. */
public interface QueuedPod {
    /** Returns the pod; for a group, the first of its pods. */
    Pod pod();

    /** Returns the priority of the pod, or of the group. */
    default int priority() {
        return pod().spec().priority();
    }

    /** Returns when it was last added to the queue, by {@link Handle#monotonicClock}. */
    Instant timestamp();

    /** Returns the number of scheduling attempts. */
    int attempts();

    /** Returns when it first became ready to be scheduled, by {@link Handle#monotonicClock}; empty if it never was. */
    Optional<Instant> initialAttemptTimestamp();
}
