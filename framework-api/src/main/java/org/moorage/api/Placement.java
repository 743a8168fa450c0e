// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.moorage.api.annotation.Experimental;

/** Nodes that a group of pods may be placed on together. */
@Experimental
public final class Placement {
    private final String name;
    private final List<NodeInfo> nodes;

    private Placement(String name, List<NodeInfo> nodes) {
        this.name = name;
        this.nodes = nodes;
    }

    /**
     * Returns a placement on these nodes. A node that is given several times counts once.
     *
     * @param name names it in messages, such as the topology domain
     * @param nodes the nodes, ordered by {@link NodeInfo#index()}
     */
    public static Placement of(String name, List<NodeInfo> nodes) {
        return new Placement(Objects.requireNonNull(name, "name"), distinct(List.copyOf(nodes)));
    }

    /** Returns the name for messages, such as the topology domain. */
    public String name() {
        return name;
    }

    /** Returns the nodes, ordered by {@link NodeInfo#index()}; each of them once. */
    public List<NodeInfo> nodes() {
        return nodes;
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

    @Override
    public boolean equals(Object other) {
        return other instanceof Placement that && name.equals(that.name) && nodes.equals(that.nodes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, nodes);
    }

    @Override
    public String toString() {
        return "Placement[name=" + name + ", nodes=" + nodes + "]";
    }
}
