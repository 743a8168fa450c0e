// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.moorage.api.PodsWithAffinity;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;

/**
 * Adds up the terms of existing pods that match the incoming pod. The terms are matched once for all pods of a template,
 * and only the pods of matching templates are counted.
 */
final class ExistingPodTerms {
    private ExistingPodTerms() {}

    /**
     * Adds the weights of the matching terms of all existing pods.
     *
     * @param pod the incoming pod
     * @param namespaceLabels the labels of its namespace
     * @param snapshot the nodes, with the existing pods
     * @param counts the counts that the weights are added to
     * @param termsOf returns the terms of an existing pod that count, with their weights
     */
    static void add(
            Pod pod,
            Map<String, String> namespaceLabels,
            Snapshot snapshot,
            TopologyCounts.Builder counts,
            Function<Affinity, List<PodAffinityTerm.Weighted>> termsOf) {
        for (PodsWithAffinity existing : snapshot.podsWithAffinity()) {
            if (!existing.maySelect(pod.namespace()) || !matchesAny(existing, pod, namespaceLabels)) {
                continue;
            }
            for (PodAffinityTerm.Weighted weighted : termsOf.apply(existing.affinity())) {
                if (AffinityTerm.matches(weighted.term(), existing.namespace(), pod, namespaceLabels)) {
                    int key = counts.key(weighted.term().topologyKey());
                    counts.add(key, snapshot.count(existing).in(counts.topology(key)), weighted.weight());
                }
            }
        }
    }

    // Most do not match, and checking whether a term is valid takes longer than matching it.
    private static boolean matchesAny(PodsWithAffinity existing, Pod pod, Map<String, String> namespaceLabels) {
        Affinity affinity = existing.affinity();
        return anyMatches(affinity.requiredAffinityTerms(), existing.namespace(), pod, namespaceLabels)
                || anyMatches(affinity.requiredAntiAffinityTerms(), existing.namespace(), pod, namespaceLabels)
                || anyWeightedMatches(affinity.preferredAffinityTerms(), existing.namespace(), pod, namespaceLabels)
                || anyWeightedMatches(
                        affinity.preferredAntiAffinityTerms(), existing.namespace(), pod, namespaceLabels);
    }

    private static boolean anyMatches(
            List<PodAffinityTerm> terms, String namespace, Pod pod, Map<String, String> namespaceLabels) {
        for (int i = 0; i < terms.size(); i++) {
            if (AffinityTerm.matches(terms.get(i), namespace, pod, namespaceLabels)) {
                return true;
            }
        }
        return false;
    }

    private static boolean anyWeightedMatches(
            List<PodAffinityTerm.Weighted> terms, String namespace, Pod pod, Map<String, String> namespaceLabels) {
        for (int i = 0; i < terms.size(); i++) {
            if (AffinityTerm.matches(terms.get(i).term(), namespace, pod, namespaceLabels)) {
                return true;
            }
        }
        return false;
    }
}
