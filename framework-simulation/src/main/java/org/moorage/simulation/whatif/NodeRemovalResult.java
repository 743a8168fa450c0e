// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.model.Pod;

/**
 * Which nodes can go. Immutable.
 *
 * @param nodes each node that was asked about, alone: the least used first
 * @param together the names of those that can go all at once, in the order in which they were tried
 * @param drain what comes of draining these at once
 */
public record NodeRemovalResult(List<RemovableNode> nodes, List<String> together, DrainResult drain) {
    public NodeRemovalResult {
        nodes = List.copyOf(nodes);
        together = List.copyOf(together);
        Objects.requireNonNull(drain, "drain");
    }

    /**
     * A node, and whether it can go while all others stay.
     *
     * @param nodeName its name
     * @param utilization the share of its cpu or memory, whichever is more, that pods request; 1 for all of it
     * @param pods how many pods have to move
     * @param moves the nodes that they move to, by the name of the pod that goes; empty if the node cannot go
     * @param obstacles why it cannot go, by reason; empty if it can
     */
    public record RemovableNode(
            String nodeName, double utilization, int pods, Map<String, String> moves, List<Obstacle> obstacles) {
        public RemovableNode {
            Objects.requireNonNull(nodeName, "nodeName");
            moves = Map.copyOf(moves);
            obstacles = List.copyOf(obstacles);
        }

        /** Whether it can go. */
        public boolean isRemovable() {
            return obstacles.isEmpty();
        }
    }

    /**
     * Why a node cannot go.
     *
     * @param reason why, in words that are the same for all nodes that cannot go for it
     * @param pods the pods because of which; none if it is no pod
     */
    public record Obstacle(String reason, List<Pod> pods) {
        public Obstacle {
            Objects.requireNonNull(reason, "reason");
            pods = List.copyOf(pods);
        }
    }

    /** How many can go one by one. */
    public int removable() {
        int count = 0;
        for (RemovableNode node : nodes) {
            count += node.isRemovable() ? 1 : 0;
        }
        return count;
    }
}
