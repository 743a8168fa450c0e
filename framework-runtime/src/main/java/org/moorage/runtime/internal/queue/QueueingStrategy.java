// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

/** What an event means for a pod that a plugin rejected; the more urgent, the later in this order. */
enum QueueingStrategy {
    /** It is of no use to the pod, which stays parked. */
    QUEUE_SKIP,
    /** The pod is worth another attempt, when its backoff is over. */
    QUEUE_AFTER_BACKOFF,
    /** What the pod waited for has come, so that it is spared the backoff. */
    QUEUE_IMMEDIATELY
}
