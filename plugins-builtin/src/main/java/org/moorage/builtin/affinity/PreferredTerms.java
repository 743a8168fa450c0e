// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.PodCount;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.cluster.ObjectLister;

/** The preferred affinity and anti-affinity terms of the incoming pod, matched against the existing pods. */
final class PreferredTerms {
    private final AffinityTerm[] terms;
    private final int[] keys;
    private final PodCount[] matchingPods;
    // Negative for anti-affinity terms.
    private final long[] weights;
    private final TopologyCounts.Builder scores;

    /**
     * Matches the preferred terms of a pod.
     *
     * @param pod the incoming pod
     * @param namespaces all namespaces
     * @param snapshot the nodes, with the existing pods
     * @param scores the scores that the weights are added to
     */
    PreferredTerms(Pod pod, ObjectLister<Namespace> namespaces, Snapshot snapshot, TopologyCounts.Builder scores) {
        Affinity affinity = pod.spec().affinity();
        List<PodAffinityTerm.Weighted> affinityTerms = affinity.preferredAffinityTerms();
        List<PodAffinityTerm.Weighted> antiAffinityTerms = affinity.preferredAntiAffinityTerms();
        List<PodAffinityTerm> all = new ArrayList<>(AffinityTerm.unweighted(affinityTerms));
        all.addAll(AffinityTerm.unweighted(antiAffinityTerms));
        terms = AffinityTerm.of(all, pod, namespaces);
        keys = AffinityTerm.keys(terms, scores);
        weights = new long[terms.length];
        matchingPods = new PodCount[terms.length];
        for (int i = 0; i < terms.length; i++) {
            matchingPods[i] = terms[i].matchingPods(snapshot);
        }
        for (int i = 0; i < affinityTerms.size(); i++) {
            weights[i] = affinityTerms.get(i).weight();
        }
        for (int i = 0; i < antiAffinityTerms.size(); i++) {
            weights[affinityTerms.size() + i] = -antiAffinityTerms.get(i).weight();
        }
        this.scores = scores;
    }

    /** Returns whether the pod has no preferred terms. */
    boolean isEmpty() {
        return terms.length == 0;
    }

    /** Adds the weight of each term, once for each existing pod that it matches. */
    void addExistingPods() {
        for (int i = 0; i < terms.length; i++) {
            scores.add(keys[i], matchingPods[i].in(scores.topology(keys[i])), weights[i]);
        }
    }
}
