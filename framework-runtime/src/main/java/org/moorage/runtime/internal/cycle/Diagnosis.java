// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.NodeInfo;
import org.moorage.api.Rejection;
import org.moorage.api.Status;
import org.moorage.api.plugin.NodeStatuses;

/** Why a pod fits on no node: each node's status, and in one sentence. */
public final class Diagnosis implements NodeStatuses {
    private final List<NodeInfo> nodes;
    private final int nodeCount;
    private final @Nullable Status[] statusByIndex;
    private final Status absent;
    private final String preFilterMessage;
    private final Set<String> unschedulablePlugins = new TreeSet<>();
    private final Set<String> pendingPlugins = new TreeSet<>();

    private Diagnosis(List<NodeInfo> nodes, int nodeCount, Status absent, String preFilterMessage) {
        this.nodes = nodes;
        this.nodeCount = nodeCount;
        statusByIndex = new Status[nodes.size()];
        this.absent = absent;
        this.preFilterMessage = preFilterMessage;
    }

    /** No node was looked at, because a PreFilter plugin rejected the pod. */
    static Diagnosis ofPreFilter(List<NodeInfo> nodes, Rejection rejection) {
        Diagnosis diagnosis = new Diagnosis(
                nodes, nodes.size(), rejection.status(), rejection.status().message());
        diagnosis.blame(rejection.plugin(), rejection.status());
        return diagnosis;
    }

    /** Every node was looked at, or left out by PreFilter with the status that says so. */
    static Diagnosis ofFilter(List<NodeInfo> nodes, Status absent) {
        return new Diagnosis(nodes, nodes.size(), absent, "");
    }

    /** A plugin rejected the one node that had been chosen: at Reserve or Permit. */
    public static Diagnosis ofChosenNode(Rejection rejection) {
        Diagnosis diagnosis = new Diagnosis(List.of(), 1, rejection.status(), "");
        diagnosis.blame(rejection.plugin(), rejection.status());
        return diagnosis;
    }

    void reject(NodeInfo node, String plugin, Status status) {
        statusByIndex[node.index()] = status;
        blame(plugin, status);
    }

    void blame(String plugin, Status status) {
        if (!plugin.isEmpty()) {
            (status.code() == Code.PENDING ? pendingPlugins : unschedulablePlugins).add(plugin);
        }
    }

    /** The plugins that rejected, and whose events may help. */
    public Set<String> unschedulablePlugins() {
        return Collections.unmodifiableSet(unschedulablePlugins);
    }

    /** The plugins that rejected while somebody works on it. */
    public Set<String> pendingPlugins() {
        return Collections.unmodifiableSet(pendingPlugins);
    }

    @Override
    public Status status(NodeInfo node) {
        Status status = statusByIndex[node.index()];
        return status == null ? absent : status;
    }

    @Override
    public List<NodeInfo> nodesWithCode(Code code) {
        List<NodeInfo> found = new ArrayList<>();
        for (NodeInfo node : nodes) {
            if (status(node).code() == code) {
                found.add(node);
            }
        }
        return found;
    }

    /**
     * The sentence that kube-scheduler writes into the pod's condition.
     *
     * @param postFilterMessage what PostFilter had to say; may be empty
     */
    public String message(String postFilterMessage) {
        StringBuilder text = new StringBuilder("0/").append(nodeCount).append(" nodes are available:");
        if (!preFilterMessage.isEmpty()) {
            text.append(' ').append(preFilterMessage).append('.');
        } else {
            List<String> counted = countedReasons();
            if (!counted.isEmpty()) {
                text.append(' ').append(String.join(", ", counted)).append('.');
            }
        }
        if (!postFilterMessage.isEmpty()) {
            text.append(' ').append(postFilterMessage);
        }
        return text.toString();
    }

    private List<String> countedReasons() {
        Map<String, Integer> nodesByReason = new HashMap<>();
        for (NodeInfo node : nodes) {
            for (String reason : status(node).reasons()) {
                nodesByReason.merge(reason, 1, Integer::sum);
            }
        }
        if (nodeCount > nodes.size()) {
            for (String reason : absent.reasons()) {
                nodesByReason.merge(reason, nodeCount - nodes.size(), Integer::sum);
            }
        }
        List<String> counted = new ArrayList<>(nodesByReason.size());
        nodesByReason.forEach((reason, count) -> counted.add(count + " " + reason));
        // As texts, not as numbers: "10 ..." comes before "2 ...".
        Collections.sort(counted);
        return counted;
    }
}
