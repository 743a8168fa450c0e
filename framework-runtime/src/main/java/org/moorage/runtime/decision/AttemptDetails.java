// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The reasons of a {@link Decision}, in a few lines regardless of the size of the cluster.
 *
 * @param reasons the reasons why nodes are infeasible, the reason of most nodes first; empty if a node was chosen
 * @param best the nodes with the highest totals, the highest first; empty if none was scored
 * @param postFilter the status of PostFilter: of the plugin that makes room, or of the first one that cannot, with the
 *     messages of all; empty if it did not run
 * @param nominatedNode the node on which PostFilter makes room by preemption; empty if there is none
 */
public record AttemptDetails(
        List<NodeReason> reasons, List<NodeTotal> best, Optional<PluginStatus> postFilter, String nominatedNode) {
    /** The maximum number of nodes that are named as examples of a reason, and as the best ones. */
    public static final int EXAMPLES = 3;

    public AttemptDetails {
        reasons = List.copyOf(reasons);
        best = List.copyOf(best);
        Objects.requireNonNull(nominatedNode, "nominatedNode");
    }

    /**
     * A reason why nodes are infeasible.
     *
     * @param plugin the plugin that rejects them; empty if none does
     * @param reason the reason as text
     * @param nodes the number of nodes with this reason; a node may have several
     * @param examples the names of the first few of them
     */
    public record NodeReason(String plugin, String reason, int nodes, List<String> examples) {
        public NodeReason {
            examples = List.copyOf(examples);
        }
    }

    /**
     * The total score of a node.
     *
     * @param nodeName the node
     * @param total the sum of its weighted scores
     */
    public record NodeTotal(String nodeName, long total) {}
}
