// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

/** The part of the scheduling queue that a pod is in. */
enum SubQueue {
    /** Ready to be tried. */
    ACTIVE("active"),
    /** Waiting for the end of its backoff. */
    BACKOFF("backoff"),
    /** Waiting for an event. */
    UNSCHEDULABLE("unschedulable"),
    /** Gated by a PreEnqueue plugin. */
    GATED("gated"),
    /** Waiting for its pod group, or an ancestor of it, to be created. */
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
