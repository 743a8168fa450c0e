// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.FitMessage;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.plugin.NodeStatuses;
import org.moorage.runtime.decision.AttemptDetails.NodeReason;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.decision.UnschedulableReasons;
import org.moorage.runtime.internal.extender.Extenders;

/** The reasons why no node is feasible for a pod: the status of each node, and the plugins that rejected. */
public final class Diagnosis implements NodeStatuses {
    // The status of a node that an extender omits from its answer. As in kube-scheduler, the message has no reason for
    // it.
    private static final PluginStatus NOT_REJECTED = new PluginStatus("", Status.unresolvable("not rejected"));

    private final List<NodeInfo> nodes;
    private final int nodeCount;
    private final @Nullable PluginStatus[] answerByIndex;
    // The statuses of nodes that are only in answers of extenders.
    private final Map<String, Status> statusByOtherName = new TreeMap<>();
    private final PluginStatus absent;
    private final String preFilterMessage;
    private final Set<String> unschedulablePlugins = new TreeSet<>();
    private final Set<String> pendingPlugins = new TreeSet<>();

    private Diagnosis(List<NodeInfo> nodes, int nodeCount, PluginStatus absent, String preFilterMessage) {
        this.nodes = nodes;
        this.nodeCount = nodeCount;
        // The nodes may be a part of a snapshot's nodes, in the order of their indexes.
        answerByIndex = new PluginStatus
                [nodes.isEmpty() ? 0 : nodes.get(nodes.size() - 1).index() + 1];
        this.absent = absent;
        this.preFilterMessage = preFilterMessage;
    }

    /** Returns the diagnosis if there are no nodes to choose from, so that no plugin was run. */
    static Diagnosis ofNoNodes() {
        return new Diagnosis(List.of(), 0, NOT_REJECTED, "");
    }

    /** Returns whether there are no nodes to choose from; as in kube-scheduler, PostFilter is then skipped. */
    boolean hasNoNodes() {
        return nodeCount == 0;
    }

    /**
     * Returns the diagnosis if no node was filtered, because a PreFilter plugin rejected the pod, or because the
     * plugins that name nodes have named no common one.
     */
    static Diagnosis ofPreFilter(List<NodeInfo> nodes, PluginStatus rejection, Set<String> namingPlugins) {
        Diagnosis diagnosis =
                new Diagnosis(nodes, nodes.size(), rejection, rejection.status().message());
        diagnosis.unschedulablePlugins.addAll(namingPlugins);
        diagnosis.addRejector(rejection);
        return diagnosis;
    }

    /**
     * Returns a diagnosis for nodes that were filtered or were excluded by PreFilter.
     *
     * @param namingPlugins the plugins whose PreFilter named nodes; if empty, PreFilter excluded no node
     * @param nominated the pod's nominated node, which is filtered before the others and regardless of PreFilter; null
     *     if the pod has none, or it was not rejected
     */
    static Diagnosis ofFilter(List<NodeInfo> nodes, Set<String> namingPlugins, @Nullable NominatedNode nominated) {
        Set<String> plugins = new TreeSet<>(namingPlugins);
        if (nominated != null) {
            plugins.add(nominated.answer.plugin());
        }
        // kube-scheduler keeps the plugins that named nodes and the plugin that rejected the nominated node in one set.
        PluginStatus absent = namingPlugins.isEmpty()
                ? NOT_REJECTED
                : new PluginStatus(
                        String.join(" ", plugins),
                        Status.unresolvable("node(s) didn't satisfy plugin(s) [" + String.join(" ", plugins) + "]"));
        Diagnosis diagnosis = new Diagnosis(nodes, nodes.size(), absent, "");
        diagnosis.unschedulablePlugins.addAll(namingPlugins);
        if (nominated != null) {
            diagnosis.reject(nominated.node, nominated.answer);
        }
        return diagnosis;
    }

    /** A pod's nominated node that is not feasible. */
    record NominatedNode(NodeInfo node, PluginStatus answer) {}

    /** Returns the diagnosis if a plugin rejected the chosen node at Reserve or Permit. */
    public static Diagnosis ofChosenNode(PluginStatus rejection) {
        Diagnosis diagnosis = new Diagnosis(List.of(), 1, rejection, "");
        diagnosis.addRejector(rejection);
        return diagnosis;
    }

    /** Sets the statuses that extenders have given to nodes; they replace the statuses by plugins. */
    void extended(Map<String, Status> statuses) {
        if (statuses.isEmpty()) {
            return;
        }
        Map<String, Status> others = new TreeMap<>(statuses);
        for (NodeInfo node : nodes) {
            Status status = others.remove(node.name());
            if (status != null) {
                answerByIndex[node.index()] = new PluginStatus(Extenders.NAME, status);
            }
        }
        statusByOtherName.putAll(others);
    }

    /** Records that extenders have left fewer nodes than the plugins. */
    void addExtenderAsRejector() {
        unschedulablePlugins.add(Extenders.NAME);
    }

    void reject(NodeInfo node, PluginStatus rejection) {
        answerByIndex[node.index()] = rejection;
        addRejector(rejection);
    }

    private void addRejector(PluginStatus rejection) {
        if (!rejection.plugin().isEmpty()) {
            (rejection.status().code() == Code.PENDING ? pendingPlugins : unschedulablePlugins).add(rejection.plugin());
        }
    }

    /** Returns the plugins that rejected the pod or a node, except {@link #pendingPlugins}. */
    public Set<String> unschedulablePlugins() {
        return Collections.unmodifiableSet(unschedulablePlugins);
    }

    /** Returns the plugins that rejected with {@link Code#PENDING}. */
    public Set<String> pendingPlugins() {
        return Collections.unmodifiableSet(pendingPlugins);
    }

    @Override
    public Status status(NodeInfo node) {
        PluginStatus answer = answerByIndex[node.index()];
        return answer == null ? absent.status() : answer.status();
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
     * Returns the message for the pod's condition.
     *
     * @param postFilterMessage the message of the PostFilter plugin; may be empty
     */
    public RejectionMessage message(String postFilterMessage) {
        if (hasNoNodes()) {
            return RejectionMessage.of(UnschedulableReasons.NO_NODES);
        }
        FitMessage counts = new FitMessage(nodeCount);
        if (preFilterMessage.isEmpty()) {
            countReasons(counts);
        }
        return RejectionMessage.of(
                new UnschedulableReasons(nodeCount, counts.nodesByReason(), preFilterMessage, postFilterMessage));
    }

    private void countReasons(FitMessage counts) {
        int recorded = statusByOtherName.size();
        for (Status status : statusByOtherName.values()) {
            counts.add(status);
        }
        for (PluginStatus answer : answerByIndex) {
            if (answer != null) {
                counts.add(answer.status());
                recorded++;
            }
        }
        if (!absent.equals(NOT_REJECTED)) {
            counts.add(absent.status(), nodeCount - recorded);
        }
    }

    /**
     * Returns the reasons why nodes are not feasible, with the plugin and the number of nodes; the most frequent first.
     */
    public List<NodeReason> reasons() {
        NodeReasons reasons = new NodeReasons(this::nameOf);
        statusByOtherName.forEach((name, status) -> reasons.add(new PluginStatus(Extenders.NAME, status), 1, name));
        int recorded = statusByOtherName.size();
        for (int index = 0; index < answerByIndex.length; index++) {
            PluginStatus answer = answerByIndex[index];
            if (answer != null) {
                reasons.add(answer, index);
                recorded++;
            }
        }
        if (recorded < nodeCount) {
            reasons.add(absent, nodeCount - recorded, "");
        }
        return reasons.sorted();
    }

    private String nameOf(int index) {
        for (int i = Math.min(index, nodes.size() - 1); i >= 0; i--) {
            if (nodes.get(i).index() == index) {
                return nodes.get(i).name();
            }
        }
        return "";
    }
}
