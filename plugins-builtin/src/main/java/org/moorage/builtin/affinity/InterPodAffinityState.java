// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.Snapshot;
import org.moorage.api.Topology;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.cluster.ObjectLister;

/**
 * The required terms of the incoming pod and the existing pods that they are about, computed in PreFilter. Immutable.
 *
 * @param affinityTerms the required affinity terms of the incoming pod
 * @param antiAffinityTerms the required anti-affinity terms of the incoming pod
 * @param matchesItself whether all of the pod's affinity terms match the pod itself
 * @param namespaceLabels the labels of the pod's namespace
 * @param scope what counts as one host
 * @param matchesWithoutHost the existing pods that all affinity terms match, on nodes without a host name, if that matters
 * @param affinityCounts the existing pods that all affinity terms match, counted once for each term
 * @param antiAffinityCounts the existing pods that an anti-affinity term matches, counted for each such term
 * @param existingAntiAffinityCounts the required anti-affinity terms of existing pods that match the incoming pod
 */
record InterPodAffinityState(
        AffinityTerm[] affinityTerms,
        AffinityTerm[] antiAffinityTerms,
        boolean matchesItself,
        Map<String, String> namespaceLabels,
        HostScope scope,
        int matchesWithoutHost,
        TopologyCounts affinityCounts,
        TopologyCounts antiAffinityCounts,
        TopologyCounts existingAntiAffinityCounts) {
    private static final String HOSTNAME = "kubernetes.io/hostname";

    /** The nodes that count as one host in terms whose topology key is the host name. */
    enum HostScope {
        /** All nodes of one host name. */
        NAME,
        /**
         * Each node that has a host name. Affinity terms that do not all use the host name keep {@link #NAME}, since
         * one pod must match all terms.
         */
        NODE;

        private Function<String, Topology> topologies(Snapshot snapshot) {
            return this == NAME
                    ? snapshot::topology
                    : key -> key.equals(HOSTNAME) ? snapshot.topology(key).byNode() : snapshot.topology(key);
        }

        private HostScope ofAffinity(AffinityTerm[] terms) {
            for (AffinityTerm term : terms) {
                if (!term.topologyKey().equals(HOSTNAME)) {
                    return NAME;
                }
            }
            return this;
        }
    }

    /**
     * Returns the state of a pod; empty if the pod has no required terms and no required anti-affinity term matches it.
     *
     * @param pod the incoming pod
     * @param namespaceLabels the labels of its namespace
     * @param namespaces all namespaces
     * @param snapshot the nodes, with the existing pods
     * @param scope what counts as one host
     */
    static Optional<InterPodAffinityState> of(
            Pod pod,
            Map<String, String> namespaceLabels,
            ObjectLister<Namespace> namespaces,
            Snapshot snapshot,
            HostScope scope) {
        Affinity affinity = pod.spec().affinity();
        TopologyCounts existingAntiAffinityCounts = existingAntiAffinityCounts(pod, namespaceLabels, snapshot, scope);
        AffinityTerm[] affinityTerms = AffinityTerm.of(affinity.requiredAffinityTerms(), pod, namespaces);
        AffinityTerm[] antiAffinityTerms = AffinityTerm.of(affinity.requiredAntiAffinityTerms(), pod, namespaces);
        if (existingAntiAffinityCounts.isEmpty() && affinityTerms.length == 0 && antiAffinityTerms.length == 0) {
            return Optional.empty();
        }
        HostScope ofAffinity = scope.ofAffinity(affinityTerms);
        TopologyCounts.Builder affinityCounts = new TopologyCounts.Builder(ofAffinity.topologies(snapshot));
        TopologyCounts.Builder antiAffinityCounts = new TopologyCounts.Builder(scope.topologies(snapshot));
        int matchesWithoutHost = 0;
        Predicate<Pod> matchesAll = AffinityTerm.allMatch(affinityTerms);
        int[] affinityKeys = AffinityTerm.keys(affinityTerms, affinityCounts);
        int[] antiAffinityKeys = AffinityTerm.keys(antiAffinityTerms, antiAffinityCounts);
        if (affinityTerms.length > 0) {
            PodCount matching = snapshot.count(matchesAll);
            for (int key : affinityKeys) {
                affinityCounts.add(key, matching.in(affinityCounts.topology(key)));
            }
            if (ofAffinity == HostScope.NODE) {
                matchesWithoutHost = matchesWithoutHost(matching, snapshot);
            }
        }
        for (int i = 0; i < antiAffinityTerms.length; i++) {
            int key = antiAffinityKeys[i];
            antiAffinityCounts.add(
                    key, antiAffinityTerms[i].matchingPods(snapshot).in(antiAffinityCounts.topology(key)));
        }
        return Optional.of(new InterPodAffinityState(
                affinityTerms,
                antiAffinityTerms,
                matchesAll.test(pod),
                namespaceLabels,
                scope,
                matchesWithoutHost,
                affinityCounts.build(),
                antiAffinityCounts.build(),
                existingAntiAffinityCounts));
    }

    private static int matchesWithoutHost(PodCount matching, Snapshot snapshot) {
        Topology hosts = snapshot.topology(HOSTNAME);
        int matches = 0;
        if (!hosts.hasAllNodes()) {
            for (NodeInfo node : snapshot.nodes()) {
                matches += hosts.domain(node) == Topology.NONE ? matching.on(node) : 0;
            }
        }
        return matches;
    }

    private static TopologyCounts existingAntiAffinityCounts(
            Pod pod, Map<String, String> namespaceLabels, Snapshot snapshot, HostScope scope) {
        TopologyCounts.Builder counts = new TopologyCounts.Builder(scope.topologies(snapshot));
        ExistingPodTerms.add(
                pod,
                namespaceLabels,
                snapshot,
                counts,
                affinity -> AffinityTerm.weightedIfValid(affinity.requiredAntiAffinityTerms(), 1));
        return counts.build();
    }

    /**
     * Returns the state with an existing pod added to a node, or removed from it.
     *
     * @param pod the incoming pod
     * @param existing the existing pod
     * @param node the node
     * @param amount 1 to add the pod, -1 to remove it
     * @param snapshot the nodes
     */
    InterPodAffinityState with(Pod pod, Pod existing, NodeInfo node, int amount, Snapshot snapshot) {
        List<String> affinityKeys = new ArrayList<>();
        HostScope ofAffinity = scope.ofAffinity(affinityTerms);
        int withoutHost = 0;
        if (AffinityTerm.allMatch(affinityTerms).test(existing)) {
            boolean hasNoHost = snapshot.topology(HOSTNAME).domain(node) == Topology.NONE;
            withoutHost = ofAffinity == HostScope.NODE && hasNoHost ? amount : 0;
            for (AffinityTerm term : affinityTerms) {
                affinityKeys.add(term.topologyKey());
            }
        }
        List<String> antiAffinityKeys = new ArrayList<>();
        for (AffinityTerm term : antiAffinityTerms) {
            if (term.matches(existing)) {
                antiAffinityKeys.add(term.topologyKey());
            }
        }
        List<String> existingAntiAffinityKeys = new ArrayList<>();
        List<PodAffinityTerm> existingTerms = existing.spec().affinity().requiredAntiAffinityTerms();
        for (PodAffinityTerm.Weighted weighted : AffinityTerm.weightedIfValid(existingTerms, 1)) {
            if (AffinityTerm.matches(weighted.term(), existing.namespace(), pod, namespaceLabels)) {
                existingAntiAffinityKeys.add(weighted.term().topologyKey());
            }
        }
        return new InterPodAffinityState(
                affinityTerms,
                antiAffinityTerms,
                matchesItself,
                namespaceLabels,
                scope,
                matchesWithoutHost + withoutHost,
                affinityCounts.plus(node, affinityKeys, amount, ofAffinity.topologies(snapshot)),
                antiAffinityCounts.plus(node, antiAffinityKeys, amount, scope.topologies(snapshot)),
                existingAntiAffinityCounts.plus(node, existingAntiAffinityKeys, amount, scope.topologies(snapshot)));
    }

    /** Returns whether the node satisfies the affinity terms of the incoming pod. */
    boolean satisfiesAffinity(NodeInfo node) {
        if (!affinityCounts.hasAllKeys(node)) {
            return false;
        }
        // The first pod of a group whose terms match the group itself may be scheduled to any node that has the keys.
        return affinityCounts.areAllPositive(node) || isFirst();
    }

    private boolean isFirst() {
        return affinityCounts.isEmpty() && matchesWithoutHost <= 0 && matchesItself;
    }

    /** Returns whether the node satisfies the anti-affinity terms of the incoming pod. */
    boolean satisfiesAntiAffinity(NodeInfo node) {
        return !antiAffinityCounts.isAnyPositive(node);
    }

    /** Returns whether the node satisfies the anti-affinity terms of the existing pods. */
    boolean satisfiesExistingAntiAffinity(NodeInfo node) {
        return !existingAntiAffinityCounts.isAnyPositive(node);
    }
}
