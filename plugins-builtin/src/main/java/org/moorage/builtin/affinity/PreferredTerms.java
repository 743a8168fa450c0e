// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.ObjectLister;

/** The preferred affinity and anti-affinity terms of the incoming pod, matched against the existing pods. */
final class PreferredTerms {
    private final AffinityTerm[] terms;
    private final int[] keys;
    // Negative for anti-affinity terms.
    private final long[] weights;
    private final TopologyCounts.Builder scores;

    /**
     * The preferred terms of a pod.
     *
     * @param pod the incoming pod
     * @param namespaces all namespaces
     * @param scores what the weights are added to
     */
    PreferredTerms(Pod pod, ObjectLister<Namespace> namespaces, TopologyCounts.Builder scores) {
        Affinity affinity = pod.spec().affinity();
        List<PodAffinityTerm.Weighted> affinityTerms = affinity.preferredAffinityTerms();
        List<PodAffinityTerm.Weighted> antiAffinityTerms = affinity.preferredAntiAffinityTerms();
        List<PodAffinityTerm> all = new ArrayList<>(AffinityTerm.unweighted(affinityTerms));
        all.addAll(AffinityTerm.unweighted(antiAffinityTerms));
        terms = AffinityTerm.of(all, pod, namespaces);
        keys = AffinityTerm.keys(terms, scores);
        weights = new long[terms.length];
        for (int i = 0; i < affinityTerms.size(); i++) {
            weights[i] = affinityTerms.get(i).weight();
        }
        for (int i = 0; i < antiAffinityTerms.size(); i++) {
            weights[affinityTerms.size() + i] = -antiAffinityTerms.get(i).weight();
        }
        this.scores = scores;
    }

    /** Whether the pod has no preferred terms. */
    boolean isEmpty() {
        return terms.length == 0;
    }

    /** Adds the weight of each term, once for each pod on the node that it matches. */
    void addPodsOn(NodeInfo node) {
        List<Pod> pods = node.pods();
        for (int i = 0; i < pods.size(); i++) {
            for (int j = 0; j < terms.length; j++) {
                if (terms[j].matches(pods.get(i))) {
                    scores.add(keys[j], node, weights[j]);
                }
            }
        }
    }
}
