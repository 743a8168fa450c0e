// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.UnschedulableReasons;

/** Where a pod would go if others may have to leave for it. Immutable. */
public interface PreemptionResult {
    /** The pod, without a node. */
    Pod pod();

    /** The name of its node; empty if it has none even then. */
    Optional<String> nodeName();

    /** The pods that have to leave that node, the most important first; none if it fits as it is. */
    List<Pod> victims();

    /** Why it has no node: the sentence of its condition, with what PostFilter answers. Empty if it has one. */
    String message();

    /** The value that the message was made from; empty if it has a node, and for other messages, such as that of a PreEnqueue plugin. */
    Optional<UnschedulableReasons> reasons();
}
