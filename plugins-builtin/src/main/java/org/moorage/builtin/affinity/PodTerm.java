// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.LabelMatcher;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.builtin.labels.SelectorSyntax;

/** A term of the pod to schedule, made ready to look at many pods. */
final class PodTerm {
    private final String topologyKey;
    private final Set<String> namespaces;
    private final boolean isForAllNamespaces;
    private final LabelMatcher labels;

    private PodTerm(PodAffinityTerm term, Set<String> namespaces, boolean isForAllNamespaces) {
        topologyKey = term.topologyKey();
        this.namespaces = Set.copyOf(namespaces);
        this.isForAllNamespaces = isForAllNamespaces;
        labels = LabelMatcher.of(term.labelSelector());
    }

    /** A pod's term, with the namespaces that it selects at the moment. */
    static PodTerm of(PodAffinityTerm term, Pod owner, ObjectLister<Namespace> known) {
        Set<String> namespaces = new HashSet<>(term.namespaces());
        boolean isForAllNamespaces = false;
        if (term.namespaceSelector().isPresent()) {
            LabelSelector selector = term.namespaceSelector().get();
            // kube-scheduler keeps the selector beside the names, and then has it look at no labels at all: one that
            // only excludes labels takes every namespace.
            isForAllNamespaces = selector.matches(Map.of());
            if (!isForAllNamespaces) {
                for (Namespace namespace : known.all()) {
                    if (selector.matches(namespace.metadata().labels())) {
                        namespaces.add(namespace.name());
                    }
                }
            }
        } else if (namespaces.isEmpty()) {
            namespaces.add(owner.namespace());
        }
        return new PodTerm(term, namespaces, isForAllNamespaces);
    }

    /** A pod's terms. */
    static PodTerm[] of(List<PodAffinityTerm> terms, Pod owner, ObjectLister<Namespace> known) {
        PodTerm[] result = new PodTerm[terms.size()];
        for (int i = 0; i < result.length; i++) {
            result[i] = of(terms.get(i), owner, known);
        }
        return result;
    }

    /** The numbers of the terms' topology keys. */
    static int[] keys(PodTerm[] terms, DomainSums.Builder sums) {
        int[] keys = new int[terms.length];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = sums.key(terms[i].topologyKey);
        }
        return keys;
    }

    /** The terms without their weights. */
    static List<PodAffinityTerm> unweighted(List<PodAffinityTerm.Weighted> terms) {
        List<PodAffinityTerm> result = new ArrayList<>(terms.size());
        terms.forEach(weighted -> result.add(weighted.term()));
        return result;
    }

    /** What is wrong with the first term of a list that is not valid; empty if all are. */
    static Optional<String> problem(List<PodAffinityTerm> terms) {
        for (PodAffinityTerm term : terms) {
            Optional<String> problem = term.labelSelector().flatMap(SelectorSyntax::problem);
            if (problem.isEmpty()) {
                problem = term.namespaceSelector().flatMap(SelectorSyntax::problem);
            }
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    String topologyKey() {
        return topologyKey;
    }

    /** Whether it selects this pod. */
    boolean selects(Pod pod) {
        return (isForAllNamespaces || namespaces.contains(pod.namespace())) && labels.matches(pod.labels());
    }

    /** Whether there are terms, and all of them select this pod. */
    static boolean allSelect(PodTerm[] terms, Pod pod) {
        for (PodTerm term : terms) {
            if (!term.selects(pod)) {
                return false;
            }
        }
        return terms.length > 0;
    }

    /**
     * Whether a term selects a pod.
     *
     * @param term the term
     * @param owner whose term it is
     * @param pod the pod
     * @param namespaceLabels the labels of the pod's namespace
     */
    static boolean selects(PodAffinityTerm term, Pod owner, Pod pod, Map<String, String> namespaceLabels) {
        if (term.labelSelector().isEmpty() || !term.labelSelector().get().matches(pod.labels())) {
            return false;
        }
        if (term.namespaceSelector().isPresent()) {
            return term.namespaceSelector().get().matches(namespaceLabels)
                    || term.namespaces().contains(pod.namespace());
        }
        return term.namespaces().isEmpty()
                ? owner.namespace().equals(pod.namespace())
                : term.namespaces().contains(pod.namespace());
    }
}
