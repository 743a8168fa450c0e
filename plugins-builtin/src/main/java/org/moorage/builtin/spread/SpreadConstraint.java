// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.Snapshot;
import org.moorage.api.TemplatePredicate;
import org.moorage.api.Topology;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.LabelMatcher;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.TolerationOperators;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.builtin.labels.SelectorSyntax;

/**
 * A topology spread constraint of the incoming pod with its defaults filled in. Matching pods and nodes allocates
 * nothing.
 *
 * @param maxSkew how much the number of matching pods in a domain may exceed the global minimum
 * @param topologyKey the node label; nodes with equal values are in one topology domain
 * @param selector selects the pods to count
 * @param minDomains with fewer eligible domains the global minimum is 0
 * @param honorsNodeAffinity whether only nodes that match the pod's node selector and node affinity are counted
 * @param honorsNodeTaints whether only nodes whose taints the pod tolerates are counted
 * @param tolerationOperators the operators that tolerations may have
 */
record SpreadConstraint(
        int maxSkew,
        String topologyKey,
        LabelMatcher selector,
        int minDomains,
        boolean honorsNodeAffinity,
        boolean honorsNodeTaints,
        TolerationOperators tolerationOperators) {
    private static final String HONOR = "Honor";
    private static final Predicate<Pod> NO_POD = pod -> false;

    /**
     * The features that constraints depend on.
     *
     * @param matchLabelKeys whether {@code matchLabelKeys} are added to the selector
     * @param tolerationOperators the operators that tolerations may have
     */
    record Features(boolean matchLabelKeys, TolerationOperators tolerationOperators) {
        static Features of(FeatureGates gates) {
            return new Features(
                    gates.isEnabled(FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD), gates.tolerationOperators());
        }
    }

    /**
     * Returns the constraints with one value of {@code whenUnsatisfiable}, for a pod with these labels.
     *
     * @throws IllegalArgumentException if a selector is not valid
     */
    static List<SpreadConstraint> of(
            List<TopologySpreadConstraint> constraints,
            String whenUnsatisfiable,
            Map<String, String> podLabels,
            Features features) {
        List<SpreadConstraint> result = new ArrayList<>(constraints.size());
        for (TopologySpreadConstraint constraint : constraints) {
            if (constraint.whenUnsatisfiable().equals(whenUnsatisfiable)) {
                result.add(new SpreadConstraint(
                        constraint.maxSkew(),
                        constraint.topologyKey(),
                        selector(constraint, podLabels, features),
                        constraint.minDomains().orElse(1),
                        constraint.nodeAffinityPolicy().isEmpty()
                                || constraint.nodeAffinityPolicy().equals(HONOR),
                        constraint.nodeTaintsPolicy().equals(HONOR),
                        features.tolerationOperators()));
            }
        }
        return result;
    }

    private static LabelMatcher selector(
            TopologySpreadConstraint constraint, Map<String, String> podLabels, Features features) {
        constraint.labelSelector().flatMap(SelectorSyntax::problem).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
        LabelMatcher selector = LabelMatcher.of(constraint.labelSelector());
        if (!features.matchLabelKeys() || constraint.matchLabelKeys().isEmpty()) {
            return selector;
        }
        Map<String, String> matchLabels = new HashMap<>();
        for (String key : constraint.matchLabelKeys()) {
            String value = podLabels.get(key);
            if (value != null) {
                matchLabels.put(key, value);
            }
        }
        return LabelMatcher.of(matchLabels).and(selector);
    }

    SpreadConstraint withSelector(LabelMatcher other) {
        return new SpreadConstraint(
                maxSkew, topologyKey, other, minDomains, honorsNodeAffinity, honorsNodeTaints, tolerationOperators);
    }

    /** Returns whether the inclusion policies let a node count for the incoming pod. */
    boolean includes(Pod pod, Node node) {
        if (honorsNodeAffinity && !pod.spec().selects(node)) {
            return false;
        }
        return !honorsNodeTaints
                || !tolerationOperators.hasUntoleratedTaint(pod.spec().tolerations(), node.taints());
    }

    /**
     * Returns whether every node counts for the incoming pod: each has the keys of all topologies, and no inclusion
     * policy is about a node's labels or taints.
     */
    static boolean includeAllNodes(SpreadConstraint[] constraints, Topology[] topologies, Pod pod) {
        boolean selectsNodes = !pod.spec().nodeSelector().isEmpty()
                || pod.spec().affinity().nodeAffinity().required().isPresent();
        for (int c = 0; c < constraints.length; c++) {
            if (!topologies[c].hasAllNodes()
                    || constraints[c].honorsNodeTaints
                    || constraints[c].honorsNodeAffinity && selectsNodes) {
                return false;
            }
        }
        return true;
    }

    private record SelectedPods(String namespace, LabelMatcher selector) implements TemplatePredicate {
        @Override
        public boolean test(Pod pod) {
            return pod.namespace().equals(namespace) && !pod.metadata().isDeleting() && selector.matches(pod.labels());
        }
    }

    /**
     * Returns the matching pods of a namespace. As in kube-scheduler, a selector that matches everything counts none.
     */
    PodCount matchingPods(String namespace, Snapshot snapshot) {
        return snapshot.count(selector.matchesEverything() ? NO_POD : new SelectedPods(namespace, selector));
    }

    /** Returns whether a node with these labels has the topology keys of all constraints. */
    static boolean hasAllKeys(SpreadConstraint[] constraints, Map<String, String> nodeLabels) {
        for (SpreadConstraint constraint : constraints) {
            if (!nodeLabels.containsKey(constraint.topologyKey)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a node has the keys of all topologies. */
    static boolean hasAllKeys(Topology[] topologies, NodeInfo node) {
        for (Topology topology : topologies) {
            if (topology.domain(node) == Topology.NONE) {
                return false;
            }
        }
        return true;
    }
}
