// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;

/** The nodes that a pod fits. Immutable; so are its collections. */
public interface Fit {
    /** The pod. */
    Pod pod();

    /** Whether there is a node for it, and nothing gates it. */
    boolean fits();

    /** The answer of the PreEnqueue plugin that gates the pod; empty if none does. The nodes of a gated pod are reported, too. */
    Optional<PluginStatus> gate();

    /** The names of the nodes that it fits, in the order in which a cycle looks at them. */
    List<String> feasible();

    /** How many nodes there are. */
    int nodeCount();

    /** Why a node will not do; empty if it will, or if there is no such node. */
    Optional<PluginStatus> whyNot(String nodeName);

    /** Why each node will not do that it does not fit, by name. */
    Map<String, PluginStatus> rejections();

    /** The sentence for the pod's condition if it fits no node or is gated; otherwise empty. */
    String message();
}
