// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.UnschedulableReasons;

/** The nodes that pods would be scheduled to. Immutable. */
public interface PlacedPods {
    /** Returns the pods, in the order of the question. */
    List<PlacedPod> pods();

    /** Returns the number of pods that have a node. */
    int placed();

    /** Returns whether all pods have a node. */
    boolean isComplete();

    /**
     * Returns the reason why the pods cannot be scheduled together, for a question about pods together; otherwise
     * empty.
     */
    String message();

    /** The result for one pod. Immutable. */
    interface PlacedPod {
        /** Returns the pod, without a node. */
        Pod pod();

        /** Returns the name of its node; empty if it is unschedulable. */
        Optional<String> nodeName();

        /** Returns the reason why it has no node; empty if it has one. */
        String message();

        /**
         * Returns the reasons that the message was created from; empty if it has a node, and for other messages, such
         * as that of a PreEnqueue plugin.
         */
        Optional<UnschedulableReasons> reasons();
    }
}
