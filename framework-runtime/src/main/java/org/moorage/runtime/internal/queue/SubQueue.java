// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

/** Where in the scheduling queue a pod is. */
enum SubQueue {
    /** Ready to be tried. */
    ACTIVE("active"),
    /** Waiting for the end of its backoff. */
    BACKOFF("backoff"),
    /** Waiting for an event. */
    UNSCHEDULABLE("unschedulable"),
    /** Kept out of the active ones by a PreEnqueue plugin. */
    GATED("gated"),
    /** Waiting for a pod group, or one above it, to come into being. */
    INCOMPLETE("incomplete"),
    /** Waiting for its pod group, which is being tried, to return. */
    PENDING("pending");

    private final String text;

    SubQueue(String text) {
        this.text = text;
    }

    /** The name in kube-scheduler's metrics of pending pods. */
    @Override
    public String toString() {
        return text;
    }
}
