// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.time.Instant;
import java.util.Optional;
import org.moorage.api.model.Pod;

/** A pod in the scheduling queue, or a group of pods that waits as one. */
public interface QueuedPod {
    /** The pod; of a group, the first of its pods. */
    Pod pod();

    /** The priority of the pod, or of the group. */
    default int priority() {
        return pod().spec().priority();
    }

    /** When it was last put into the queue, by {@link Handle#monotonicClock}. */
    Instant timestamp();

    /** How often it was tried. */
    int attempts();

    /** When it first became ready to be tried, by {@link Handle#monotonicClock}; empty if it never was. */
    Optional<Instant> initialAttemptTimestamp();
}
