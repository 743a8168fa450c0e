// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.NodeInfo;
import org.moorage.api.Topology;
import org.moorage.api.model.LabelMatcher;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Tolerance;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.builtin.labels.SelectorSyntax;

/**
 * A constraint of the pod to schedule, complete and made ready to look at many pods and nodes.
 *
 * @param maxSkew by how many pods domains may differ
 * @param topologyKey the node label whose equal values make a domain
 * @param selector which pods are counted
 * @param minDomains below this number of domains the least counts as 0
 * @param honorsNodeAffinity whether nodes that the pod does not select are left out
 * @param honorsTaints whether nodes with taints that keep the pod off are left out
 * @param tolerance how taints are tolerated
 */
record Constraint(
        int maxSkew,
        String topologyKey,
        LabelMatcher selector,
        int minDomains,
        boolean honorsNodeAffinity,
        boolean honorsTaints,
        Tolerance tolerance) {
    private static final String HONOR = "Honor";

    /**
     * What features have a say in.
     *
     * @param readsLabelKeys whether the keys of labels count beside a selector
     * @param tolerance how taints are tolerated
     */
    record Rules(boolean readsLabelKeys, Tolerance tolerance) {
        static Rules of(FeatureGates features) {
            return new Rules(
                    features.isEnabled(FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD), features.tolerance());
        }
    }

    /**
     * Those of a list of constraints that say this of what cannot be satisfied, for pods with these labels.
     *
     * @throws IllegalArgumentException if a selector is not valid
     */
    static List<Constraint> of(
            List<TopologySpreadConstraint> all, String whenUnsatisfiable, Map<String, String> podLabels, Rules rules) {
        List<Constraint> result = new ArrayList<>(all.size());
        for (TopologySpreadConstraint one : all) {
            if (one.whenUnsatisfiable().equals(whenUnsatisfiable)) {
                result.add(new Constraint(
                        one.maxSkew(),
                        one.topologyKey(),
                        selector(one, podLabels, rules),
                        one.minDomains().orElse(1),
                        one.nodeAffinityPolicy().isEmpty()
                                || one.nodeAffinityPolicy().equals(HONOR),
                        one.nodeTaintsPolicy().equals(HONOR),
                        rules.tolerance()));
            }
        }
        return result;
    }

    private static LabelMatcher selector(
            TopologySpreadConstraint constraint, Map<String, String> podLabels, Rules rules) {
        constraint.labelSelector().flatMap(SelectorSyntax::problem).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
        LabelMatcher selector = LabelMatcher.of(constraint.labelSelector());
        if (!rules.readsLabelKeys() || constraint.matchLabelKeys().isEmpty()) {
            return selector;
        }
        Map<String, String> shared = new HashMap<>();
        for (String key : constraint.matchLabelKeys()) {
            String value = podLabels.get(key);
            if (value != null) {
                shared.put(key, value);
            }
        }
        return LabelMatcher.of(shared).and(selector);
    }

    Constraint withSelector(LabelMatcher other) {
        return new Constraint(maxSkew, topologyKey, other, minDomains, honorsNodeAffinity, honorsTaints, tolerance);
    }

    /** Whether pods on this node count when the pod is scheduled. */
    boolean includes(Pod pod, Node node) {
        if (honorsNodeAffinity && !pod.spec().selects(node)) {
            return false;
        }
        return !honorsTaints || !tolerance.keepsOff(pod.spec().tolerations(), node.taints());
    }

    /** How many pods on a node count. A selector that takes everything counts nothing. */
    int count(NodeInfo node, String namespace) {
        if (selector.takesEverything()) {
            return 0;
        }
        List<Pod> pods = node.pods();
        int count = 0;
        for (int i = 0; i < pods.size(); i++) {
            Pod pod = pods.get(i);
            if (pod.namespace().equals(namespace) && !pod.metadata().isDeleting() && selector.matches(pod.labels())) {
                count++;
            }
        }
        return count;
    }

    /** Whether the node has the keys of all constraints. */
    static boolean haveKeys(Constraint[] constraints, Map<String, String> nodeLabels) {
        for (Constraint constraint : constraints) {
            if (!nodeLabels.containsKey(constraint.topologyKey)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the node is in a domain of all these topologies. */
    static boolean isIn(Topology[] topologies, NodeInfo node) {
        for (Topology topology : topologies) {
            if (topology.domain(node) == Topology.NONE) {
                return false;
            }
        }
        return true;
    }
}
