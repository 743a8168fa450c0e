// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.Optional;
import org.moorage.api.model.Pod;

/**
 * The result of one attempt to schedule a pod.
 *
 * @param pod the pod as it was tried
 * @param outcome the outcome of the attempt
 * @param nodeName the chosen node; empty if there is none
 * @param score the chosen node's total score; 0 if it was the only feasible node, which is not scored
 * @param message the reason why there is no node, as in the pod's condition; empty if there is one
 * @param reasons the value that the message was made from; empty for errors and for other messages, such as the message
 *     of a group, and for a message that is too long for a condition
 * @param evaluatedNodes the number of nodes that plugins evaluated
 * @param feasibleNodes the number of these that are feasible
 * @param attempts the number of attempts so far, including this one
 */
public record Decision(
        Pod pod,
        Outcome outcome,
        String nodeName,
        long score,
        String message,
        Optional<UnschedulableReasons> reasons,
        int evaluatedNodes,
        int feasibleNodes,
        int attempts) {
    /** The outcome of an attempt. */
    public enum Outcome {
        /** A node was chosen, and the pod is being bound to it. */
        SCHEDULED,
        /** The plugins rejected it; it stays unschedulable until the cluster changes. */
        UNSCHEDULABLE,
        /** An error occurred; the pod is retried. */
        ERROR
    }

    /** Returns the chosen node, or empty. */
    public Optional<String> node() {
        return nodeName.isEmpty() ? Optional.empty() : Optional.of(nodeName);
    }
}
