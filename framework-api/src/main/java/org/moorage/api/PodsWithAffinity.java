// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;

/**
 * A group of pods: those of a namespace that have the same pod affinity and pod anti-affinity, see {@link
 * Snapshot#podsWithAffinity}. Equal to another group of the same namespace and affinity.
 */
public final class PodsWithAffinity implements TemplatePredicate {
    private final String namespace;
    private final Affinity affinity;
    private final boolean selectsOtherNamespaces;
    private final int hash;

    private PodsWithAffinity(String namespace, Affinity affinity) {
        this.namespace = namespace;
        this.affinity = affinity;
        selectsOtherNamespaces = selectsOtherNamespaces(affinity.requiredAffinityTerms())
                || selectsOtherNamespaces(affinity.requiredAntiAffinityTerms())
                || affinity.preferredAffinityTerms().stream().anyMatch(any -> selectsOtherNamespaces(any.term()))
                || affinity.preferredAntiAffinityTerms().stream().anyMatch(any -> selectsOtherNamespaces(any.term()));
        hash = 31 * namespace.hashCode() + affinity.hashCode();
    }

    private static boolean selectsOtherNamespaces(List<PodAffinityTerm> terms) {
        return terms.stream().anyMatch(PodsWithAffinity::selectsOtherNamespaces);
    }

    private static boolean selectsOtherNamespaces(PodAffinityTerm term) {
        return term.namespaceSelector().isPresent() || !term.namespaces().isEmpty();
    }

    /** Returns the group of a pod that has pod affinity or anti-affinity. */
    public static PodsWithAffinity of(Pod pod) {
        Affinity affinity = pod.spec().affinity();
        return new PodsWithAffinity(
                pod.namespace(), new Affinity(NodeAffinity.NONE, affinity.podAffinity(), affinity.podAntiAffinity()));
    }

    /** Returns the namespace of the pods. */
    public String namespace() {
        return namespace;
    }

    /** Returns the affinity of the pods, without their node affinity. */
    public Affinity affinity() {
        return affinity;
    }

    /** Returns whether a term may match pods of a namespace, as far as the namespaces that the terms name decide it. */
    public boolean maySelect(String otherNamespace) {
        return selectsOtherNamespaces || namespace.equals(otherNamespace);
    }

    /** Returns whether a pod belongs to the group. */
    @Override
    public boolean test(Pod pod) {
        Affinity other = pod.spec().affinity();
        return other.hasPodAffinity()
                && affinity.podAntiAffinity().equals(other.podAntiAffinity())
                && affinity.podAffinity().equals(other.podAffinity())
                && namespace.equals(pod.namespace());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PodsWithAffinity group
                && hash == group.hash
                && namespace.equals(group.namespace)
                && affinity.equals(group.affinity);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return namespace + " " + affinity;
    }
}
