// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.UnschedulableReasons;

/** The result of scheduling a pod with preemption. Immutable. */
public interface PreemptionResult {
    /** Returns the pod, without a node. */
    Pod pod();

    /** Returns the name of its node; empty if it is unschedulable even with preemption. */
    Optional<String> nodeName();

    /** Returns the victims on that node, the most important first; none if the pod fits without preemption. */
    List<Pod> victims();

    /**
     * Returns the reason why it has no node: the message of its condition, including the message of PostFilter. Empty
     * if it has a node.
     */
    String message();

    /**
     * Returns the reasons that the message was created from; empty if it has a node, and for other messages, such as
     * that of a PreEnqueue plugin.
     */
    Optional<UnschedulableReasons> reasons();
}
