// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.decision.UnschedulableReasons;
import org.moorage.runtime.internal.extender.Extenders;

/**
 * The nodes that a pod fits, and why it does not fit the others. Names and rejections are looked up only on request.
 */
public final class FittingNodes {
    private final List<NodeInfo> all;
    private final List<NodeInfo> feasible;
    // The nodes that PreFilter has left, in the order of their indexes, and the result for each.
    private final NodeInfo[] filtered;
    private final PluginStatus[] answers;
    // The rejection of all other nodes.
    private final PluginStatus leftOut;
    private final String message;

    private FittingNodes(
            List<NodeInfo> all,
            List<NodeInfo> feasible,
            NodeInfo[] filtered,
            PluginStatus[] answers,
            PluginStatus leftOut,
            String message) {
        this.all = List.copyOf(all);
        this.feasible = List.copyOf(feasible);
        this.filtered = filtered;
        this.answers = answers;
        this.leftOut = leftOut;
        this.message = message;
    }

    /** Returns the result if there are no nodes to choose from. */
    static FittingNodes none() {
        return new FittingNodes(
                List.of(),
                List.of(),
                new NodeInfo[0],
                new PluginStatus[0],
                PluginStatus.SUCCESS,
                UnschedulableReasons.NO_NODES.toString());
    }

    /** Returns the result if PreFilter has rejected the pod. */
    static FittingNodes ofPod(List<NodeInfo> all, PluginStatus rejection, String message) {
        return new FittingNodes(all, List.of(), new NodeInfo[0], new PluginStatus[0], rejection, message);
    }

    /**
     * Returns the result of filtering nodes.
     *
     * @param leftOut the rejection of the nodes that PreFilter has excluded
     * @param nodes the nodes that PreFilter has left
     * @param answers the results of the filters for these nodes
     * @param left the feasible nodes, after the extenders
     * @param byExtenders the statuses that extenders have given
     * @param message the sentence for the pod's condition if no node is feasible
     */
    static FittingNodes of(
            List<NodeInfo> all,
            PluginStatus leftOut,
            List<NodeInfo> nodes,
            NodePass answers,
            List<NodeInfo> left,
            Map<String, Status> byExtenders,
            String message) {
        PluginStatus[] own = new PluginStatus[nodes.size()];
        int successes = 0;
        for (int i = 0; i < own.length; i++) {
            own[i] = answers.get(i);
            successes += answers.isSuccess(i) ? 1 : 0;
        }
        if (successes != left.size()) {
            // An extender may answer in another order, and with other nodes.
            BitSet kept = new BitSet();
            left.forEach(node -> kept.set(node.index()));
            for (int i = 0; i < own.length; i++) {
                if (own[i].isSuccess() && !kept.get(nodes.get(i).index())) {
                    own[i] = new PluginStatus(
                            Extenders.NAME,
                            byExtenders.getOrDefault(nodes.get(i).name(), PodEvaluation.LEFT_OUT));
                }
            }
        }
        return new FittingNodes(all, left, nodes.toArray(NodeInfo[]::new), own, leftOut, message);
    }

    /** Returns the nodes of the snapshot. */
    public List<NodeInfo> all() {
        return all;
    }

    /** Returns the feasible nodes. */
    public List<NodeInfo> feasible() {
        return feasible;
    }

    /** Returns the sentence for the pod's condition if no node is feasible; otherwise empty. */
    public String message() {
        return message;
    }

    /** Returns why a node is not feasible; null if it is. */
    public @Nullable PluginStatus rejection(NodeInfo node) {
        // Mostly all nodes are in the array.
        for (int i = Math.min(node.index(), filtered.length - 1); i >= 0; i--) {
            if (filtered[i].index() == node.index()) {
                return answers[i].isSuccess() ? null : answers[i];
            }
        }
        return leftOut;
    }

    /** Returns the names of the feasible nodes, in their order. */
    public List<String> names() {
        List<String> names = new ArrayList<>(feasible.size());
        for (NodeInfo node : feasible) {
            names.add(node.name());
        }
        return Collections.unmodifiableList(names);
    }
}
