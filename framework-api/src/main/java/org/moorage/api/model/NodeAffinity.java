// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Optional;

/**
 * The nodes that a pod may run on, and those that it prefers.
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
     * Returns why kube-scheduler rejects the preferred terms, in its words; empty if it accepts them. Terms of weight 0
     * are not read. {@link NodeSelector#parseError} describes what may be invalid.
     */
    public Optional<String> preferredParseError() {
        SelectorErrors errors = new SelectorErrors();
        for (int i = 0; i < preferred.size(); i++) {
            if (preferred.get(i).weight() != 0) {
                preferred.get(i).term().parse("[" + i + "]", errors);
            }
        }
        return errors.text();
    }

    /**
     * A preferred term.
     *
     * @param weight what it adds to the score of a node, from 1 to 100
     * @param term selects the nodes
     */
    public record Preferred(int weight, NodeSelector.Term term) {}
}
