// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Objects;
import java.util.Optional;

/**
 * The nodes on which devices are available, as resource slices and devices select them. The first field that is set
 * applies.
 *
 * @param nodeName the only node; empty if not set
 * @param allNodes whether all nodes are selected
 * @param nodeSelector selects the nodes
 */
public record NodeSelection(String nodeName, boolean allNodes, Optional<NodeSelector> nodeSelector) {
    /** Selects no node. */
    public static final NodeSelection NONE = new NodeSelection("", false, Optional.empty());

    public NodeSelection {
        Objects.requireNonNull(nodeName, "nodeName");
        Objects.requireNonNull(nodeSelector, "nodeSelector");
    }

    /** Returns whether no field is set. */
    public boolean isEmpty() {
        return nodeName.isEmpty() && !allNodes && nodeSelector.isEmpty();
    }

    /** Returns whether a node is selected. */
    public boolean includes(Node node) {
        if (!nodeName.isEmpty()) {
            return nodeName.equals(node.name());
        }
        return allNodes || nodeSelector.isPresent() && nodeSelector.get().matches(node);
    }
}
