// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.Objects;
import java.util.Optional;
import org.moorage.api.model.Pod;

/**
 * What one attempt to schedule a pod came to.
 *
 * @param pod the pod as it was tried
 * @param outcome in one word
 * @param nodeName the chosen node; empty if there is none
 * @param score the chosen node's total; 0 if it was the only choice, which is not scored
 * @param message why there is no node, as it is written into the pod's condition; empty if there is one
 * @param evaluatedNodes how many nodes were looked at
 * @param feasibleNodes how many of those would do
 * @param attempts how often the pod was tried by now, this time included
 */
public record Decision(
        Pod pod,
        Outcome outcome,
        String nodeName,
        long score,
        String message,
        int evaluatedNodes,
        int feasibleNodes,
        int attempts) {
    public Decision {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(nodeName, "nodeName");
        Objects.requireNonNull(message, "message");
    }

    /** How an attempt ended. */
    public enum Outcome {
        /** A node was chosen, and the pod is being bound to it. */
        SCHEDULED,
        /** The plugins rejected it; it waits for the cluster to change. */
        UNSCHEDULABLE,
        /** Something failed; it is tried again. */
        ERROR
    }

    /** The chosen node, or empty. */
    public Optional<String> node() {
        return nodeName.isEmpty() ? Optional.empty() : Optional.of(nodeName);
    }
}
