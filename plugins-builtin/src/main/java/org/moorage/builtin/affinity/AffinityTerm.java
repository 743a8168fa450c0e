// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.moorage.api.PodCount;
import org.moorage.api.Snapshot;
import org.moorage.api.TemplatePredicate;
import org.moorage.api.model.LabelMatcher;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.builtin.labels.SelectorSyntax;

/** A term of the incoming pod, with its namespace selector resolved to names. Matching a pod allocates nothing. */
final class AffinityTerm {
    private final String topologyKey;
    private final MatchingPods pods;

    private AffinityTerm(String topologyKey, MatchingPods pods) {
        this.topologyKey = topologyKey;
        this.pods = pods;
    }

    private record MatchingPods(Set<String> namespaces, boolean matchesAllNamespaces, LabelMatcher labels)
            implements TemplatePredicate {
        @Override
        public boolean test(Pod pod) {
            return (matchesAllNamespaces || namespaces.contains(pod.namespace())) && labels.matches(pod.labels());
        }
    }

    private record AllMatch(List<MatchingPods> terms) implements TemplatePredicate {
        @Override
        public boolean test(Pod pod) {
            for (int i = 0; i < terms.size(); i++) {
                if (!terms.get(i).test(pod)) {
                    return false;
                }
            }
            return !terms.isEmpty();
        }
    }

    /** Returns a term of a pod, with the namespaces that it selects now. */
    static AffinityTerm of(PodAffinityTerm term, Pod pod, ObjectLister<Namespace> allNamespaces) {
        Set<String> namespaces = new HashSet<>(term.namespaces());
        boolean matchesAllNamespaces = false;
        if (term.namespaceSelector().isPresent()) {
            LabelSelector selector = term.namespaceSelector().get();
            matchesAllNamespaces = selector.isEmpty();
            if (!matchesAllNamespaces) {
                for (Namespace namespace : allNamespaces.all()) {
                    if (selector.matches(namespace.metadata().labels())) {
                        namespaces.add(namespace.name());
                    }
                }
            }
        } else if (namespaces.isEmpty()) {
            namespaces.add(pod.namespace());
        }
        return new AffinityTerm(
                term.topologyKey(),
                new MatchingPods(Set.copyOf(namespaces), matchesAllNamespaces, LabelMatcher.of(term.labelSelector())));
    }

    /** Returns the terms of a pod. */
    static AffinityTerm[] of(List<PodAffinityTerm> terms, Pod pod, ObjectLister<Namespace> allNamespaces) {
        AffinityTerm[] result = new AffinityTerm[terms.size()];
        for (int i = 0; i < result.length; i++) {
            result[i] = of(terms.get(i), pod, allNamespaces);
        }
        return result;
    }

    /** Returns the indices of the terms' topology keys. */
    static int[] keys(AffinityTerm[] terms, TopologyCounts.Builder counts) {
        int[] keys = new int[terms.length];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = counts.key(terms[i].topologyKey);
        }
        return keys;
    }

    String topologyKey() {
        return topologyKey;
    }

    /** Returns whether the term matches a pod. */
    boolean matches(Pod pod) {
        return pods.test(pod);
    }

    /** Returns the pods that the term matches. */
    PodCount matchingPods(Snapshot snapshot) {
        return snapshot.count(pods);
    }

    /** Holds for the pods that all of the terms match; for none if there are no terms. */
    static Predicate<Pod> allMatch(AffinityTerm[] terms) {
        List<MatchingPods> all = new ArrayList<>(terms.length);
        for (AffinityTerm term : terms) {
            all.add(term.pods);
        }
        return new AllMatch(all);
    }

    /**
     * Returns whether a term of an existing pod matches a pod.
     *
     * @param term the term
     * @param namespace the namespace of the pod that has the term
     * @param pod the pod to match
     * @param namespaceLabels the labels of the namespace of the pod to match
     */
    static boolean matches(PodAffinityTerm term, String namespace, Pod pod, Map<String, String> namespaceLabels) {
        boolean matchesNamespace =
                term.namespaceSelector().isEmpty() && term.namespaces().isEmpty()
                        ? namespace.equals(pod.namespace())
                        : term.namespaces().contains(pod.namespace())
                                || term.namespaceSelector().isPresent()
                                        && term.namespaceSelector().get().matches(namespaceLabels);
        return matchesNamespace
                && term.labelSelector().isPresent()
                && term.labelSelector().get().matches(pod.labels());
    }

    /** Returns the first invalid selector of the terms, in kube-scheduler's words; empty if all are valid. */
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

    /** Returns the terms without their weights. */
    static List<PodAffinityTerm> unweighted(List<PodAffinityTerm.Weighted> terms) {
        List<PodAffinityTerm> result = new ArrayList<>(terms.size());
        terms.forEach(weighted -> result.add(weighted.term()));
        return result;
    }

    /** Returns the terms with one weight; none if one of them is invalid, as kube-scheduler drops them all then. */
    static List<PodAffinityTerm.Weighted> weightedIfValid(List<PodAffinityTerm> terms, int weight) {
        if (problem(terms).isPresent()) {
            return List.of();
        }
        List<PodAffinityTerm.Weighted> result = new ArrayList<>(terms.size());
        terms.forEach(term -> result.add(new PodAffinityTerm.Weighted(weight, term)));
        return result;
    }
}
