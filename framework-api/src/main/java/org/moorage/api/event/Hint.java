// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

/** Whether a change could make a rejected pod schedulable. */
public enum Hint {
    /** It could: have the pod tried again. */
    QUEUE("Queue"),
    /** It cannot: let the pod wait on. */
    SKIP("QueueSkip");

    private final String text;

    Hint(String text) {
        this.text = text;
    }

    /** {@link #QUEUE} if the condition holds, otherwise {@link #SKIP}. */
    public static Hint queueIf(boolean condition) {
        return condition ? QUEUE : SKIP;
    }

    /** The name in kube-scheduler's metrics. */
    @Override
    public String toString() {
        return text;
    }
}
