// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

/** The effect of an event on an unschedulable pod, in order of increasing urgency. */
enum QueueingStrategy {
    /** It stays unschedulable. */
    QUEUE_SKIP,
    /** It is retried when its backoff has ended. */
    QUEUE_AFTER_BACKOFF,
    /** It is retried without backoff. */
    QUEUE_IMMEDIATELY
}
