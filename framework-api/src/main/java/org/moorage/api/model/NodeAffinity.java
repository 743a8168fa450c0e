// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Optional;

/**
 * Which nodes a pod must or would like to run on.
 *
 * @param required nodes outside are no choice; empty for no restriction
 * @param preferred each term that holds adds its weight to a node's score
 */
public record NodeAffinity(Optional<NodeSelector> required, List<Preferred> preferred) {
    /** No wish. */
    public static final NodeAffinity NONE = new NodeAffinity(Optional.empty(), List.of());

    public NodeAffinity {
        preferred = List.copyOf(preferred);
    }

    /**
     * A wish.
     *
     * @param weight how much it counts, from 1 to 100
     * @param term which nodes it is for
     */
    public record Preferred(int weight, NodeSelector.Term term) {}

    /** Whether there is neither a restriction nor a wish. */
    public boolean isEmpty() {
        return required.isEmpty() && preferred.isEmpty();
    }
}
