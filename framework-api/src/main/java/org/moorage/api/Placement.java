// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import java.util.Objects;

/**
 * Nodes that a group of pods may be placed on together.
 *
 * @param name names it in messages, such as the topology domain
 * @param nodes the nodes, ordered by {@link NodeInfo#index()}
 */
public record Placement(String name, List<NodeInfo> nodes) {
    /** A placement whose nodes do not change any more. */
    public Placement {
        Objects.requireNonNull(name, "name");
        nodes = List.copyOf(nodes);
    }
}
