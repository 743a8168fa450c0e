// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.ObjectLister;

/** The preferred terms of the pod to schedule, made ready to look at many pods. */
final class Wishes {
    private final PodTerm[] terms;
    private final int[] keys;
    private final long[] weights;
    private final DomainSums.Builder sums;

    /**
     * The wishes of a pod.
     *
     * @param pod the pod
     * @param namespaces all namespaces
     * @param sums where to add to
     */
    Wishes(Pod pod, ObjectLister<Namespace> namespaces, DomainSums.Builder sums) {
        List<PodAffinityTerm.Weighted> nearer = pod.spec().affinity().near().preferred();
        List<PodAffinityTerm.Weighted> farther = pod.spec().affinity().apart().preferred();
        List<PodAffinityTerm> all = new ArrayList<>();
        weights = new long[nearer.size() + farther.size()];
        for (PodAffinityTerm.Weighted wish : nearer) {
            weights[all.size()] = wish.weight();
            all.add(wish.term());
        }
        for (PodAffinityTerm.Weighted wish : farther) {
            weights[all.size()] = -wish.weight();
            all.add(wish.term());
        }
        terms = PodTerm.of(all, pod, namespaces);
        keys = PodTerm.keys(terms, sums);
        this.sums = sums;
    }

    /** Whether there is no wish. */
    boolean isEmpty() {
        return terms.length == 0;
    }

    /** Adds the weights of the wishes that are about pods on a node. */
    void add(NodeInfo node) {
        List<Pod> pods = node.pods();
        for (int i = 0; i < pods.size(); i++) {
            for (int j = 0; j < terms.length; j++) {
                if (terms[j].selects(pods.get(i))) {
                    sums.add(keys[j], node, weights[j]);
                }
            }
        }
    }
}
