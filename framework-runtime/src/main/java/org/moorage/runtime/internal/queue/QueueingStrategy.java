// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

/** Where an event sends an unschedulable pod; the more urgent, the later in this order. */
enum QueueingStrategy {
    /** It stays unschedulable. */
    QUEUE_SKIP,
    /** It is tried again when its backoff is over. */
    QUEUE_AFTER_BACKOFF,
    /** It is tried again without backoff. */
    QUEUE_IMMEDIATELY
}
