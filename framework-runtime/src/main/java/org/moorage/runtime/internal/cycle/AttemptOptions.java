// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.List;
import java.util.Optional;
import org.moorage.api.NodeInfo;

/**
 * The options of an attempt.
 *
 * @param nodes the nodes to choose from; empty for all candidates of the snapshot
 * @param explains whether each node is filtered and each feasible one scored, with details kept. Such an attempt
 *     neither samples nor stops at the nominated node, uses no cached results, scores also a single feasible node, and
 *     runs PreFilter also without nodes. The next attempt starts at the node where it would start without this one
 */
record AttemptOptions(Optional<List<NodeInfo>> nodes, boolean explains) {
    /** The options to schedule a pod. */
    static final AttemptOptions SCHEDULE = new AttemptOptions(Optional.empty(), false);

    /** The options to explain what the plugins return for all candidates. */
    static final AttemptOptions EXPLAIN = new AttemptOptions(Optional.empty(), true);

    /** Returns the options to explain what the plugins return for some nodes. */
    static AttemptOptions explain(List<NodeInfo> nodes) {
        return new AttemptOptions(Optional.of(nodes), true);
    }
}
