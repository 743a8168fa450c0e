// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.ObjectLister;

/**
 * Where the pods are that matter to the pod to schedule. Immutable.
 *
 * @param affinity its terms about pods to be near to
 * @param antiAffinity its terms about pods to be apart from
 * @param isOwnNeighbour whether all of its terms about pods to be near to select the pod itself
 * @param namespaceLabels the labels of its namespace
 * @param wanted pods that all its terms select, counted once for each term
 * @param unwanted pods that it must be apart from
 * @param averse pods that must be apart from it
 */
record Neighbours(
        PodTerm[] affinity,
        PodTerm[] antiAffinity,
        boolean isOwnNeighbour,
        Map<String, String> namespaceLabels,
        DomainSums wanted,
        DomainSums unwanted,
        DomainSums averse) {

    /**
     * Those of a pod; empty if there is nothing that any pod could do to it.
     *
     * @param pod the pod
     * @param namespaceLabels the labels of its namespace
     * @param namespaces all namespaces
     * @param snapshot the nodes, with the pods there
     */
    static Optional<Neighbours> of(
            Pod pod, Map<String, String> namespaceLabels, ObjectLister<Namespace> namespaces, Snapshot snapshot) {
        DomainSums averse = averse(pod, namespaceLabels, snapshot);
        PodTerm[] affinity = PodTerm.of(pod.spec().affinity().near().required(), pod, namespaces);
        PodTerm[] antiAffinity = PodTerm.of(pod.spec().affinity().apart().required(), pod, namespaces);
        if (averse.isEmpty() && affinity.length == 0 && antiAffinity.length == 0) {
            return Optional.empty();
        }
        DomainSums.Builder wanted = new DomainSums.Builder(snapshot);
        DomainSums.Builder unwanted = new DomainSums.Builder(snapshot);
        int[] wantedKeys = PodTerm.keys(affinity, wanted);
        int[] unwantedKeys = PodTerm.keys(antiAffinity, unwanted);
        if (affinity.length > 0 || antiAffinity.length > 0) {
            List<NodeInfo> nodes = snapshot.nodes();
            for (int i = 0; i < nodes.size(); i++) {
                NodeInfo node = nodes.get(i);
                List<Pod> pods = node.pods();
                for (int j = 0; j < pods.size(); j++) {
                    Pod other = pods.get(j);
                    if (PodTerm.allSelect(affinity, other)) {
                        for (int key : wantedKeys) {
                            wanted.add(key, node, 1);
                        }
                    }
                    for (int k = 0; k < antiAffinity.length; k++) {
                        if (antiAffinity[k].selects(other)) {
                            unwanted.add(unwantedKeys[k], node, 1);
                        }
                    }
                }
            }
        }
        return Optional.of(new Neighbours(
                affinity,
                antiAffinity,
                PodTerm.allSelect(affinity, pod),
                namespaceLabels,
                wanted.build(),
                unwanted.build(),
                averse));
    }

    private static DomainSums averse(Pod pod, Map<String, String> namespaceLabels, Snapshot snapshot) {
        DomainSums.Builder averse = new DomainSums.Builder(snapshot);
        TermsOfOthers others = new TermsOfOthers(
                pod,
                namespaceLabels,
                averse,
                (affinity, sink) -> sink.take(affinity.apart().required(), 1));
        List<NodeInfo> nodes = snapshot.nodesWithRequiredAntiAffinityPods();
        for (int i = 0; i < nodes.size(); i++) {
            List<Pod> pods = nodes.get(i).podsWithRequiredAntiAffinity();
            for (int j = 0; j < pods.size(); j++) {
                others.add(pods.get(j), nodes.get(i));
            }
        }
        return averse.build();
    }

    /**
     * The same with another pod added to a node, or taken off.
     *
     * @param pod the pod to schedule
     * @param other the other pod
     * @param node the node
     * @param amount 1 to add it, -1 to take it off
     * @param snapshot the nodes
     */
    Neighbours with(Pod pod, Pod other, NodeInfo node, int amount, Snapshot snapshot) {
        List<String> wantedKeys = new ArrayList<>();
        if (PodTerm.allSelect(affinity, other)) {
            for (PodTerm term : affinity) {
                wantedKeys.add(term.topologyKey());
            }
        }
        List<String> unwantedKeys = new ArrayList<>();
        for (PodTerm term : antiAffinity) {
            if (term.selects(other)) {
                unwantedKeys.add(term.topologyKey());
            }
        }
        List<String> averseKeys = new ArrayList<>();
        List<PodAffinityTerm> terms = other.spec().affinity().apart().required();
        for (PodAffinityTerm term : PodTerm.problem(terms).isEmpty() ? terms : List.<PodAffinityTerm>of()) {
            if (PodTerm.selects(term, other, pod, namespaceLabels)) {
                averseKeys.add(term.topologyKey());
            }
        }
        return new Neighbours(
                affinity,
                antiAffinity,
                isOwnNeighbour,
                namespaceLabels,
                wanted.plus(node, wantedKeys, amount, snapshot),
                unwanted.plus(node, unwantedKeys, amount, snapshot),
                averse.plus(node, averseKeys, amount, snapshot));
    }

    /** Whether the node is near to all pods that the pod must be near to. */
    boolean isNear(NodeInfo node) {
        if (!wanted.hasAllKeys(node)) {
            return false;
        }
        // The first of pods that must be near to each other has to go somewhere.
        return wanted.areAllPositive(node) || wanted.isEmpty() && isOwnNeighbour;
    }

    /** Whether the node is near to a pod that the pod must be apart from. */
    boolean isTooNear(NodeInfo node) {
        return unwanted.isAnyPositive(node);
    }

    /** Whether the node is near to a pod that must be apart from the pod. */
    boolean isUnwelcome(NodeInfo node) {
        return averse.isAnyPositive(node);
    }
}
