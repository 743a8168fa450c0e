// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;

/**
 * Adds up the terms of existing pods that match the incoming pod. Pods of one template share one {@link Affinity}, so its
 * terms are matched once per template and namespace. For one thread.
 */
final class ExistingPodTerms {
    private final Pod pod;
    private final Map<String, String> namespaceLabels;
    private final TopologyCounts.Builder counts;
    private final Function<Affinity, List<PodAffinityTerm.Weighted>> termsOf;
    private final Map<Affinity, Map<String, MatchingTerms>> matchingByTemplate = new IdentityHashMap<>();
    private @Nullable Affinity lastAffinity;
    private String lastNamespace = "";
    private MatchingTerms last = MatchingTerms.NONE;

    /**
     * Creates an instance without existing pods.
     *
     * @param pod the incoming pod
     * @param namespaceLabels the labels of its namespace
     * @param counts the counts that the weights of matching terms are added to
     * @param termsOf returns the terms of an existing pod that count, with their weights
     */
    ExistingPodTerms(
            Pod pod,
            Map<String, String> namespaceLabels,
            TopologyCounts.Builder counts,
            Function<Affinity, List<PodAffinityTerm.Weighted>> termsOf) {
        this.pod = pod;
        this.namespaceLabels = namespaceLabels;
        this.counts = counts;
        this.termsOf = termsOf;
    }

    /** The topology keys and weights of the terms of one template that match the incoming pod. */
    private record MatchingTerms(int[] keys, long[] weights) {
        static final MatchingTerms NONE = new MatchingTerms(new int[0], new long[0]);
    }

    /** Adds the terms of an existing pod on a node. */
    @SuppressWarnings("ReferenceEquality") // as in the map: comparing the contents costs more than it saves
    void add(Pod existing, NodeInfo node) {
        Affinity affinity = existing.spec().affinity();
        if (affinity != lastAffinity || !existing.namespace().equals(lastNamespace)) {
            last = matchingByTemplate
                    .computeIfAbsent(affinity, key -> new HashMap<>())
                    .computeIfAbsent(existing.namespace(), key -> matching(existing));
            lastAffinity = affinity;
            lastNamespace = existing.namespace();
        }
        int[] keys = last.keys;
        for (int i = 0; i < keys.length; i++) {
            counts.add(keys[i], node, last.weights[i]);
        }
    }

    private MatchingTerms matching(Pod existing) {
        List<PodAffinityTerm.Weighted> terms = termsOf.apply(existing.spec().affinity());
        int[] keys = new int[terms.size()];
        long[] weights = new long[terms.size()];
        int size = 0;
        for (PodAffinityTerm.Weighted weighted : terms) {
            if (AffinityTerm.matches(weighted.term(), existing, pod, namespaceLabels)) {
                keys[size] = counts.key(weighted.term().topologyKey());
                weights[size++] = weighted.weight();
            }
        }
        return size == 0
                ? MatchingTerms.NONE
                : new MatchingTerms(Arrays.copyOf(keys, size), Arrays.copyOf(weights, size));
    }
}
