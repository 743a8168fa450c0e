// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

/**
 * How many pods are where in the scheduling queue.
 *
 * @param active ready to be tried
 * @param backoff soon to be tried again, after rejections as well as errors
 * @param unschedulable waiting for something to happen, without the gated ones
 * @param gated not let in by a PreEnqueue plugin
 * @param inFlight being scheduled
 * @param inFlightEvents events that are kept for the pods being scheduled
 */
public record QueueCounts(int active, int backoff, int unschedulable, int gated, int inFlight, int inFlightEvents) {
    /** All pods that are in the queue, that is, not being scheduled. */
    public int queued() {
        return active + backoff + unschedulable + gated;
    }
}
