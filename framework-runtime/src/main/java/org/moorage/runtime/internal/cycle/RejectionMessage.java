// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.Optional;
import org.moorage.runtime.decision.UnschedulableReasons;

/**
 * The message for a pod that has no node.
 *
 * @param text the message; empty if the pod has a node
 * @param reasons the value that the text was made from; empty for other texts, such as the message of a group
 */
public record RejectionMessage(String text, Optional<UnschedulableReasons> reasons) {
    /** The message for a pod that has a node. */
    public static final RejectionMessage NONE = of("");

    /** Returns the message of a pod for which no node is feasible. */
    public static RejectionMessage of(UnschedulableReasons reasons) {
        return new RejectionMessage(reasons.toString(), Optional.of(reasons));
    }

    /** Returns a message without the value that it was made from. */
    public static RejectionMessage of(String text) {
        return new RejectionMessage(text, Optional.empty());
    }
}
