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

    /** Takes terms, and what each of them counts. */
    interface Sink {
        void take(PodAffinityTerm term, long amount);
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
        List<Integer> keys = new ArrayList<>();
        List<Long> amounts = new ArrayList<>();
        source.name(other.spec().affinity(), (term, amount) -> {
            if (PodTerm.selects(term, other, pod, namespaceLabels)) {
                keys.add(sums.key(term.topologyKey()));
                amounts.add(amount);
            }
        });
        return keys.isEmpty()
                ? Selecting.NONE
                : new Selecting(
                        keys.stream().mapToInt(Integer::intValue).toArray(),
                        amounts.stream().mapToLong(Long::longValue).toArray());
    }
}
