// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

/** Whether a change could make a rejected pod schedulable. */
public enum Hint {
    /** It could: the pod is queued for a retry. */
    QUEUE("Queue"),
    /** It cannot: the pod stays unschedulable. */
    SKIP("QueueSkip");

    private final String text;

    Hint(String text) {
        this.text = text;
    }

    /** Returns {@link #QUEUE} if the condition holds, otherwise {@link #SKIP}. */
    public static Hint queueIf(boolean condition) {
        return condition ? QUEUE : SKIP;
    }

    /** Returns the name in kube-scheduler's metrics. */
    @Override
    public String toString() {
        return text;
    }
}
