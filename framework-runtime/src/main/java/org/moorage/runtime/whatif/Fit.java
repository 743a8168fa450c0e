// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;

/** The feasible nodes of a pod. Immutable, including its collections. */
public interface Fit {
    /** Returns the pod. */
    Pod pod();

    /** Returns whether the pod has a feasible node and is not gated. */
    boolean fits();

    /**
     * Returns the status of the PreEnqueue plugin that gates the pod; empty if none does. The nodes of a gated pod are
     * reported, too.
     */
    Optional<PluginStatus> gate();

    /** Returns the names of the feasible nodes, in the order in which a cycle visits them. */
    List<String> feasible();

    /** Returns the number of nodes. */
    int nodeCount();

    /** Returns why a node is infeasible; empty if it is feasible, or if there is no such node. */
    Optional<PluginStatus> whyNot(String nodeName);

    /** Returns the rejections of all infeasible nodes, by node name. */
    Map<String, PluginStatus> rejections();

    /** Returns the message of the pod's condition if no node is feasible or the pod is gated; otherwise empty. */
    String message();
}
