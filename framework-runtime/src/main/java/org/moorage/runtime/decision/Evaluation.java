// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.moorage.api.model.Pod;

/**
 * The results of all plugins of a profile for a pod on every node: the answer to "where would the pod be scheduled, and
 * why not on the other nodes?". All maps and lists are ordered by name. Immutable.
 *
 * @param pod the pod
 * @param nodeCount the number of candidate nodes
 * @param preFilterRejection the rejection of the pod as a whole by PreFilter, after which no node is filtered
 * @param preFilterNodes the only nodes that PreFilter allows; empty for all
 * @param rejections the first rejection of each infeasible node
 * @param objections the statuses of all filters that reject a node, for each infeasible node; an error of a filter that
 *     cannot evaluate a node which an earlier filter has rejected
 * @param feasible the feasible nodes
 * @param scores the weighted scores of each feasible node, by plugin; without plugins that were skipped
 * @param totals the sum of the scores of each feasible node
 * @param message the message of the pod's condition if no node is feasible; otherwise empty
 * @param postFilter the status of PostFilter if no node is feasible; an error if a plugin fails in it
 * @param preemption the node on which PostFilter would make room by preemption, and the victims
 */
public record Evaluation(
        Pod pod,
        int nodeCount,
        Optional<PluginStatus> preFilterRejection,
        Optional<Set<String>> preFilterNodes,
        Map<String, PluginStatus> rejections,
        Map<String, List<PluginStatus>> objections,
        List<String> feasible,
        Map<String, Map<String, Long>> scores,
        Map<String, Long> totals,
        String message,
        Optional<PluginStatus> postFilter,
        Optional<Preemption> preemption) {
    public Evaluation {
        preFilterNodes = preFilterNodes.map(names -> Collections.unmodifiableSet(new TreeSet<>(names)));
        rejections = Collections.unmodifiableMap(new TreeMap<>(rejections));
        objections = SortedCopies.of(objections, List::copyOf);
        feasible = List.copyOf(feasible);
        scores = SortedCopies.of(scores, ofNode -> Collections.unmodifiableMap(new TreeMap<>(ofNode)));
        totals = Collections.unmodifiableMap(new TreeMap<>(totals));
    }

    /**
     * A node and the pods that would be preempted on it.
     *
     * @param nodeName the node
     * @param victims the pods that would be preempted, the most important first; some may be terminating already
     */
    public record Preemption(String nodeName, List<Pod> victims) {
        public Preemption {
            victims = List.copyOf(victims);
        }
    }

    /** Returns whether any node is feasible. */
    public boolean fits() {
        return !feasible.isEmpty();
    }

    /**
     * Returns why a node is infeasible; empty if it is feasible, or if it was not filtered: see {@link
     * #preFilterRejection}, {@link #preFilterNodes}.
     */
    public Optional<PluginStatus> whyNot(String nodeName) {
        return Optional.ofNullable(rejections.get(nodeName));
    }

    /** Returns the nodes with the highest total: any of them is a correct choice. */
    public List<String> best() {
        long highest = Long.MIN_VALUE;
        List<String> best = new ArrayList<>();
        for (Map.Entry<String, Long> total : totals.entrySet()) {
            if (total.getValue() > highest) {
                highest = total.getValue();
                best.clear();
            }
            if (total.getValue() == highest) {
                best.add(total.getKey());
            }
        }
        return best;
    }
}
