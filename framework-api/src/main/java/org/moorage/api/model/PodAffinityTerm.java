// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Optional;

/**
 * A set of pods, and the topology key of the domains in which the pod runs together with them, or apart from them.
 *
 * @param labelSelector selects the pods; empty selects none
 * @param namespaces the namespaces of the pods, by name
 * @param namespaceSelector selects further namespaces by their labels; without names and selector, the pod's own
 *     namespace
 * @param topologyKey the node label; nodes with equal values are in one topology domain
 */
public record PodAffinityTerm(
        Optional<LabelSelector> labelSelector,
        List<String> namespaces,
        Optional<LabelSelector> namespaceSelector,
        String topologyKey) {
    public PodAffinityTerm {
        namespaces = List.copyOf(namespaces);
    }

    /**
     * A preferred term.
     *
     * @param weight what a match adds to the score of a node, from 1 to 100
     * @param term the term
     */
    public record Weighted(int weight, PodAffinityTerm term) {}
}
