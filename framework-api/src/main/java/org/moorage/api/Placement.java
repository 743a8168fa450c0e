// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.moorage.api.annotation.Experimental;

/**
 * Nodes that a group of pods may be placed on together.
 *
 * @param name names it in messages, such as the topology domain
 * @param nodes the nodes, ordered by {@link NodeInfo#index()}; each of them once
 */
@Experimental
public record Placement(String name, List<NodeInfo> nodes) {
    /** A placement of these nodes. A node that is given several times counts once. */
    public Placement {
        Objects.requireNonNull(name, "name");
        nodes = distinct(List.copyOf(nodes));
    }

    private static List<NodeInfo> distinct(List<NodeInfo> nodes) {
        // In the order of their indexes, as nearly always, none of them can come twice.
        boolean isOrdered = true;
        for (int i = 1; i < nodes.size() && isOrdered; i++) {
            isOrdered = nodes.get(i - 1).index() < nodes.get(i).index();
        }
        if (isOrdered) {
            return nodes;
        }
        Set<String> names = new HashSet<>();
        return nodes.stream().filter(node -> names.add(node.name())).toList();
    }
}
