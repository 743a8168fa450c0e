// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Optional;

/**
 * A set of pods, and the area in which to be together with them or apart from them.
 *
 * @param labelSelector which pods; empty selects none
 * @param namespaces the namespaces to look in, by name
 * @param namespaceSelector further namespaces, by their labels; without either, the pod's own namespace
 * @param topologyKey the node label whose equal values make an area
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
     * A term that is a wish.
     *
     * @param weight how much it counts, from 1 to 100
     * @param term the term
     */
    public record Weighted(int weight, PodAffinityTerm term) {}
}
