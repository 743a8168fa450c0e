// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What led to a {@link Decision}, in a few lines whatever the size of the cluster.
 *
 * @param reasons why nodes will not do, the reason of most nodes first; empty if a node was chosen
 * @param best the nodes with the highest totals, the highest first; empty if none was scored
 * @param postFilter what PostFilter answered: the plugin that makes room, or the first one that cannot, with the words of all; empty if it was
 *     not asked
 * @param nominatedNode the node on which PostFilter makes room; empty if there is none
 */
public record AttemptDetails(
        List<NodeReason> reasons, List<NodeTotal> best, Optional<PluginStatus> postFilter, String nominatedNode) {
    /** How many nodes are named as examples of a reason, and as the best ones. */
    public static final int EXAMPLES = 3;

    public AttemptDetails {
        reasons = List.copyOf(reasons);
        best = List.copyOf(best);
        Objects.requireNonNull(nominatedNode, "nominatedNode");
    }

    /**
     * Why nodes will not do.
     *
     * @param plugin the plugin that rejects them; empty if none does
     * @param reason its words
     * @param nodes how many nodes it is the reason of; a node may have several
     * @param examples the names of the first few of them
     */
    public record NodeReason(String plugin, String reason, int nodes, List<String> examples) {
        public NodeReason {
            examples = List.copyOf(examples);
        }
    }

    /**
     * What a node came to.
     *
     * @param nodeName the node
     * @param total the sum of its weighted scores
     */
    public record NodeTotal(String nodeName, long total) {}
}
