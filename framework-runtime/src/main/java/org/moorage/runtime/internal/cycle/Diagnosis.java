// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.FitMessage;
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

    /** No node was looked at, because a PreFilter plugin rejected the pod, or several left no node. */
    static Diagnosis ofPreFilter(List<NodeInfo> nodes, Rejection rejection, Set<String> namingPlugins) {
        Diagnosis diagnosis = new Diagnosis(
                nodes, nodes.size(), rejection.status(), rejection.status().message());
        diagnosis.unschedulablePlugins.addAll(namingPlugins);
        diagnosis.blame(rejection.plugin(), rejection.status());
        return diagnosis;
    }

    /**
     * Every node was looked at, or left out by PreFilter.
     *
     * @param namingPlugins the plugins whose PreFilter named nodes; without any no node was left out
     * @param nominated the pod's nominated node, which is looked at before the others and whatever PreFilter says, or null
     *     if it has none or that one was not rejected
     */
    static Diagnosis ofFilter(List<NodeInfo> nodes, Set<String> namingPlugins, @Nullable NominatedNode nominated) {
        Set<String> plugins = new TreeSet<>(namingPlugins);
        if (nominated != null) {
            plugins.add(nominated.plugin);
        }
        // kube-scheduler has one set for who named nodes and who rejected the nominated one.
        Status absent = namingPlugins.isEmpty()
                ? Status.unresolvable("not looked at")
                : Status.unresolvable("node(s) didn't satisfy plugin(s) [" + String.join(" ", plugins) + "]");
        Diagnosis diagnosis = new Diagnosis(nodes, nodes.size(), absent, "");
        diagnosis.unschedulablePlugins.addAll(namingPlugins);
        if (nominated != null) {
            diagnosis.reject(nominated.node, nominated.plugin, nominated.status);
        }
        return diagnosis;
    }

    /** A pod's nominated node that will not do. */
    record NominatedNode(NodeInfo node, String plugin, Status status) {}

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
        FitMessage sentence = new FitMessage(nodeCount);
        String ofPreFilter = "";
        if (preFilterMessage.isEmpty()) {
            countReasons(sentence);
        } else {
            ofPreFilter = " " + preFilterMessage + ".";
        }
        return sentence + ofPreFilter + (postFilterMessage.isEmpty() ? "" : " " + postFilterMessage);
    }

    private void countReasons(FitMessage sentence) {
        for (NodeInfo node : nodes) {
            sentence.add(status(node));
        }
        if (nodeCount > nodes.size()) {
            sentence.add(absent, nodeCount - nodes.size());
        }
    }
}
