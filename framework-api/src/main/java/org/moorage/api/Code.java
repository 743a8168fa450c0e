// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

/** What a {@link Status} means for the scheduling cycle. */
public enum Code {
    /** The plugin has no objection; the cycle goes on. */
    SUCCESS("Success"),
    /**
     * The plugin failed. The cycle ends, and the pod is retried after the backoff of errors. What a plugin throws becomes
     * this code, too.
     */
    ERROR("Error"),
    /** Rejected; removing other pods from the node could help, so preemption looks at it. */
    UNSCHEDULABLE("Unschedulable"),
    /**
     * Rejected, and removing pods cannot help: preemption passes the node over. From PreFilter it ends the cycle at
     * once, from PostFilter it ends the chain.
     */
    UNSCHEDULABLE_AND_UNRESOLVABLE("UnschedulableAndUnresolvable"),
    /**
     * From PreFilter and PreScore: leave out this plugin's later Filter or Score. From Bind: not mine, ask the next.
     */
    SKIP("Skip"),
    /**
     * Rejected while somebody else works on it. A later {@code QUEUE} hint of the same plugin sends the pod straight to
     * the active queue, without backoff.
     */
    PENDING("Pending");

    private final String text;

    Code(String text) {
        this.text = text;
    }

    /** Whether this is one of the three codes with which a plugin rejects. */
    public boolean isRejection() {
        return this == UNSCHEDULABLE || this == UNSCHEDULABLE_AND_UNRESOLVABLE || this == PENDING;
    }

    /** The name that kube-scheduler gives the code in its metrics and logs, for example {@code Unschedulable}. */
    @Override
    public String toString() {
        return text;
    }
}
