// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.UnschedulableReasons;

/** Where pods would go. Immutable. */
public interface PlacedPods {
    /** The pods, in the order in which they were asked about. */
    List<PlacedPod> pods();

    /** How many have a node. */
    int placed();

    /** Whether all have one. */
    boolean isComplete();

    /** Why they have none together, if they were asked about together; otherwise empty. */
    String message();

    /** A pod that was asked about. Immutable. */
    interface PlacedPod {
        /** The pod, without a node. */
        Pod pod();

        /** The name of its node; empty if it has none. */
        Optional<String> nodeName();

        /** Why it has none; empty if it has one. */
        String message();

        /** The value that the message was made from; empty if it has a node, and for other messages, such as that of a PreEnqueue plugin. */
        Optional<UnschedulableReasons> reasons();
    }
}
