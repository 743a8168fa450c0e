// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;

/**
 * Adds up those terms of other pods that select the pod to schedule. Pods of one template have one {@link Affinity}, so
 * which of its terms do is found out once for all of them. For one thread.
 */
final class TermsOfOthers {
    private final Pod pod;
    private final Map<String, String> namespaceLabels;
    private final DomainSums.Builder sums;
    private final Source source;
    private final Map<Affinity, Map<String, Selecting>> known = new IdentityHashMap<>();
    private @Nullable Affinity lastAffinity;
    private String lastNamespace = "";
    private Selecting last = Selecting.NONE;

    /**
     * No pod yet.
     *
     * @param pod the pod to schedule
     * @param namespaceLabels the labels of its namespace
     * @param sums where to add to
     * @param source which terms to look at
     */
    TermsOfOthers(Pod pod, Map<String, String> namespaceLabels, DomainSums.Builder sums, Source source) {
        this.pod = pod;
        this.namespaceLabels = namespaceLabels;
        this.sums = sums;
        this.source = source;
    }

    /** Names the terms of a pod's affinity that are to be looked at. */
    interface Source {
        void name(Affinity affinity, Sink sink);
    }

    /** Takes terms, and what they count. */
    interface Sink {
        /** Terms that each count as much. */
        void take(List<PodAffinityTerm> terms, long amount);

        /** Terms that count their weight, times a sign. */
        void takeWeighted(List<PodAffinityTerm.Weighted> terms, int sign);
    }

    private record Selecting(int[] keys, long[] amounts) {
        static final Selecting NONE = new Selecting(new int[0], new long[0]);
    }

    /** Adds the terms of a pod on a node. */
    @SuppressWarnings("ReferenceEquality") // as in the map: comparing the contents costs more than it saves
    void add(Pod other, NodeInfo node) {
        Affinity affinity = other.spec().affinity();
        if (affinity != lastAffinity || !other.namespace().equals(lastNamespace)) {
            last = known.computeIfAbsent(affinity, any -> new HashMap<>())
                    .computeIfAbsent(other.namespace(), any -> selecting(other));
            lastAffinity = affinity;
            lastNamespace = other.namespace();
        }
        int[] keys = last.keys;
        for (int i = 0; i < keys.length; i++) {
            sums.add(keys[i], node, last.amounts[i]);
        }
    }

    private Selecting selecting(Pod other) {
        Selection selection = new Selection(other);
        source.name(other.spec().affinity(), selection);
        return selection.selecting();
    }

    private final class Selection implements Sink {
        private final Pod other;
        private final List<Integer> keys = new ArrayList<>();
        private final List<Long> amounts = new ArrayList<>();

        Selection(Pod other) {
            this.other = other;
        }

        // kube-scheduler drops all terms of a sort when one of them is not valid.
        @Override
        public void take(List<PodAffinityTerm> terms, long amount) {
            if (PodTerm.problem(terms).isEmpty()) {
                terms.forEach(term -> add(term, amount));
            }
        }

        @Override
        public void takeWeighted(List<PodAffinityTerm.Weighted> terms, int sign) {
            if (PodTerm.problem(PodTerm.unweighted(terms)).isEmpty()) {
                terms.forEach(wish -> add(wish.term(), sign * (long) wish.weight()));
            }
        }

        private void add(PodAffinityTerm term, long amount) {
            if (PodTerm.selects(term, other, pod, namespaceLabels)) {
                keys.add(sums.key(term.topologyKey()));
                amounts.add(amount);
            }
        }

        Selecting selecting() {
            return keys.isEmpty()
                    ? Selecting.NONE
                    : new Selecting(
                            keys.stream().mapToInt(Integer::intValue).toArray(),
                            amounts.stream().mapToLong(Long::longValue).toArray());
        }
    }
}
