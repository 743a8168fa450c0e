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
 * Everything that a profile's plugins say about a pod on every node: the answer to "where would it go, and why not there?".
 * All maps and lists are ordered by name. Immutable.
 *
 * @param pod the pod
 * @param nodeCount how many nodes there are to choose from
 * @param preFilterRejection the rejection of the pod as a whole, after which no node is looked at
 * @param preFilterNodes the only nodes that PreFilter leaves; empty for all
 * @param rejections the first rejection of each node that will not do
 * @param objections what each filter that rejects a node answers, for each node that will not do; an error of a filter that
 *     cannot judge a node which an earlier one has ruled out
 * @param feasible the nodes that will do
 * @param scores the weighted scores of each such node, by plugin; a plugin that had no say is not there
 * @param totals the sum of the scores of each such node
 * @param message the sentence for the pod's condition if no node will do; otherwise empty
 * @param postFilter what PostFilter says if no node will do; an error if a plugin fails in it
 * @param preemption the node on which PostFilter would make room, and the pods that would have to leave it
 */
public record Evaluation(
        Pod pod,
        int nodeCount,
        Optional<Rejection> preFilterRejection,
        Optional<Set<String>> preFilterNodes,
        Map<String, Rejection> rejections,
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
     * How room would be made.
     *
     * @param nodeName the node
     * @param victims the pods that would have to leave it, the most important first; some may be on their way already
     */
    public record Preemption(String nodeName, List<Pod> victims) {
        public Preemption {
            victims = List.copyOf(victims);
        }
    }

    /** Whether any node will do. */
    public boolean fits() {
        return !feasible.isEmpty();
    }

    /** Why a node will not do; empty if it will, or if it was not looked at: see {@link #preFilterRejection}, {@link #preFilterNodes}. */
    public Optional<Rejection> whyNot(String nodeName) {
        return Optional.ofNullable(rejections.get(nodeName));
    }

    /** The nodes with the highest total: any of them is a right choice. */
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
