// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

/** The effect of a {@link Status} on the scheduling cycle. */
public enum Code {
    /** The plugin accepts; the cycle continues. */
    SUCCESS("Success"),
    /**
     * The plugin failed. The cycle ends, and the pod is retried after the backoff for errors. An exception from a
     * plugin also becomes this code.
     */
    ERROR("Error"),
    /** Rejected, but preemption could help: the node is a candidate for evicting pods. */
    UNSCHEDULABLE("Unschedulable"),
    /**
     * Rejected, and preemption cannot help: it skips the node. Returned from PreFilter, it ends the cycle immediately.
     * Returned from PostFilter, it stops the remaining PostFilter plugins.
     */
    UNSCHEDULABLE_AND_UNRESOLVABLE("UnschedulableAndUnresolvable"),
    /**
     * From PreFilter or PreScore: skips this plugin's Filter or Score for the cycle. From Bind: leaves the pod to the
     * next Bind plugin.
     */
    SKIP("Skip"),
    /**
     * Rejected while another component works on the cause. A later {@code QUEUE} hint of the same plugin moves the pod
     * directly to the active queue, without backoff.
     */
    PENDING("Pending");

    private final String text;

    Code(String text) {
        this.text = text;
    }

    /** Returns whether this is one of the three codes with which a plugin rejects a pod or node. */
    public boolean isRejection() {
        return this == UNSCHEDULABLE || this == UNSCHEDULABLE_AND_UNRESOLVABLE || this == PENDING;
    }

    /** Returns the code's name in kube-scheduler's metrics and logs, for example {@code Unschedulable}. */
    @Override
    public String toString() {
        return text;
    }
}
