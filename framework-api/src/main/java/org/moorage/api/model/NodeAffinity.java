// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Optional;

/**
 * Which nodes a pod may run on, and which it prefers.
 *
 * @param required selects the nodes that the pod may run on; empty for all
 * @param preferred terms that add their weight to the score of a node that they match
 */
public record NodeAffinity(Optional<NodeSelector> required, List<Preferred> preferred) {
    /** Every node, and no preference. */
    public static final NodeAffinity NONE = new NodeAffinity(Optional.empty(), List.of());

    public NodeAffinity {
        preferred = List.copyOf(preferred);
    }

    /**
     * A preferred term.
     *
     * @param weight what it adds to the score of a node, from 1 to 100
     * @param term selects the nodes
     */
    public record Preferred(int weight, NodeSelector.Term term) {}
}
