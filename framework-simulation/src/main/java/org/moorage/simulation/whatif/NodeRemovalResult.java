// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.model.Pod;

/**
 * The nodes that can be removed. Immutable.
 *
 * @param nodes each checked node individually, the least used first
 * @param together the names of nodes that can be removed together, in the order in which they were tried; the largest
 *     such set is not known
 * @param drain the result of draining these at the same time
 */
public record NodeRemovalResult(List<RemovableNode> nodes, List<String> together, DrainResult drain) {
    public NodeRemovalResult {
        nodes = List.copyOf(nodes);
        together = List.copyOf(together);
        Objects.requireNonNull(drain, "drain");
    }

    /**
     * A node, and whether it can be removed while all others stay.
     *
     * @param nodeName its name
     * @param utilization the share of its cpu or memory, whichever is more, that pods request; 1 for all of it
     * @param pods how many pods have to move
     * @param moves the nodes that they move to, by the name of the pod that goes; empty if the node cannot be removed
     * @param obstacles why it cannot be removed, by reason; empty if it can
     */
    public record RemovableNode(
            String nodeName, double utilization, int pods, Map<String, String> moves, List<Obstacle> obstacles) {
        public RemovableNode {
            Objects.requireNonNull(nodeName, "nodeName");
            moves = Map.copyOf(moves);
            obstacles = List.copyOf(obstacles);
        }

        /** Returns whether it can be removed. */
        public boolean isRemovable() {
            return obstacles.isEmpty();
        }
    }

    /**
     * A reason why a node cannot be removed.
     *
     * @param reason the reason, in the same words for all such nodes
     * @param pods the pods that keep the node; none if it is no pod
     */
    public record Obstacle(String reason, List<Pod> pods) {
        public Obstacle {
            Objects.requireNonNull(reason, "reason");
            pods = List.copyOf(pods);
        }
    }

    /** Returns the number of nodes that can be removed individually. */
    public int removable() {
        int count = 0;
        for (RemovableNode node : nodes) {
            count += node.isRemovable() ? 1 : 0;
        }
        return count;
    }
}
