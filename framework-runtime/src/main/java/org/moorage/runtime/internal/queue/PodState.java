// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.Optional;
import org.moorage.api.model.Pod;

/**
 * What the queue knew of a pod at some moment.
 *
 * @param pod the pod
 * @param place where it was
 * @param attempts how often it had been tried
 * @param unschedulableCount how often plugins had rejected it
 * @param consecutiveErrors how often it had failed otherwise since
 * @param timestamp when it was last put into the queue
 * @param backoffEnd the end of its backoff, cut to a whole second; empty if it has none
 * @param rejectors the plugins that rejected the last attempt, and the one that gates it or has gated it since
 * @param gatedBy the PreEnqueue plugin that does not let it in; empty if there is none
 */
public record PodState(
        Pod pod,
        SubQueue place,
        int attempts,
        int unschedulableCount,
        int consecutiveErrors,
        Instant timestamp,
        Optional<Instant> backoffEnd,
        RejectorPlugins rejectors,
        String gatedBy) {
    static PodState of(QueuedPodInfo entry, SubQueue place) {
        return new PodState(
                entry.pod(),
                place,
                entry.attempts(),
                entry.unschedulableCount(),
                entry.consecutiveErrors(),
                entry.timestamp(),
                entry.backoffEnd(),
                entry.rejectors(),
                entry.gatedBy());
    }
}
