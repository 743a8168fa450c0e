// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

/** Where in the scheduling queue a pod is. */
public enum SubQueue {
    /** Ready to be tried. */
    ACTIVE("active"),
    /** Rejected by plugins, and soon to be tried again; or at once when no pod is active. */
    BACKOFF("backoff"),
    /** Failed for another reason than a rejection, and soon to be tried again. */
    ERROR_BACKOFF("backoff"),
    /** Rejected by plugins, until something happens that could help. */
    UNSCHEDULABLE("unschedulable"),
    /** Not let in by a PreEnqueue plugin. */
    GATED("gated"),
    /** Taken from the queue and being scheduled. */
    IN_FLIGHT("in flight");

    private final String text;

    SubQueue(String text) {
        this.text = text;
    }

    /** The name in kube-scheduler's metrics of pending pods, which do not tell the two backoffs apart. */
    @Override
    public String toString() {
        return text;
    }
}
