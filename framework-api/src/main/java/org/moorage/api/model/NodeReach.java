// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Objects;
import java.util.Optional;

/**
 * The nodes from which devices can be used. The first of the three that is there counts.
 *
 * @param nodeName the one node; empty if there is not just one
 * @param allNodes whether it is all of them
 * @param nodeSelector which ones
 */
public record NodeReach(String nodeName, boolean allNodes, Optional<NodeSelector> nodeSelector) {
    /** No node that would be known. */
    public static final NodeReach NONE = new NodeReach("", false, Optional.empty());

    public NodeReach {
        Objects.requireNonNull(nodeName, "nodeName");
        Objects.requireNonNull(nodeSelector, "nodeSelector");
    }

    /** Whether it says nothing. */
    public boolean isEmpty() {
        return nodeName.isEmpty() && !allNodes && nodeSelector.isEmpty();
    }

    /** Whether a node is among them. */
    public boolean includes(Node node) {
        if (!nodeName.isEmpty()) {
            return nodeName.equals(node.name());
        }
        return allNodes || nodeSelector.isPresent() && nodeSelector.get().matches(node);
    }
}
