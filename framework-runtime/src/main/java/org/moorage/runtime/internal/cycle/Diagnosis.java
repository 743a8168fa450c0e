// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.FitMessage;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.runtime.decision.AttemptDetails.NodeReason;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.decision.UnschedulableReasons;
import org.moorage.runtime.internal.extender.Extenders;

/**
 * The reasons why nodes are not feasible for a pod: the status of each node, and the plugins that rejected. Messages,
 * preemption and questions read it.
 */
public final class Diagnosis implements NodeStatuses {
    // The status of a node that an extender omits from its answer. As in kube-scheduler, the message has no reason for
    // it.
    private static final PluginStatus NOT_REJECTED = new PluginStatus("", Status.unresolvable("not rejected"));
    private static final Status OMITTED = Status.unresolvable("not in the extender's answer");

    private final List<NodeInfo> nodes;
    private final int nodeCount;
    private final @Nullable PluginStatus[] answerByIndex;
    private final Map<String, Status> statusByExtenders = new TreeMap<>();
    // Why PreFilter has excluded nodes, and the names of the others; null if it has excluded none.
    private final PluginStatus absent;
    private final @Nullable Set<String> included;
    private final String preFilterMessage;
    private final Set<String> namingPlugins = new TreeSet<>();
    // The rejections other than those of the filtered nodes.
    private final List<PluginStatus> otherRejections = new ArrayList<>();
    // The nodes that the filters have left, and those that the extenders have left of them.
    private List<NodeInfo> filtered = List.of();
    private List<NodeInfo> feasible = List.of();
    private @Nullable Set<String> omittedByExtenders;

    private Diagnosis(
            List<NodeInfo> nodes,
            int nodeCount,
            PluginStatus absent,
            @Nullable Set<String> included,
            String preFilterMessage) {
        this.nodes = nodes;
        this.nodeCount = nodeCount;
        // The nodes may be a part of a snapshot's nodes, in the order of their indexes.
        answerByIndex = new PluginStatus
                [nodes.isEmpty() ? 0 : nodes.get(nodes.size() - 1).index() + 1];
        this.absent = absent;
        this.included = included;
        this.preFilterMessage = preFilterMessage;
    }

    /** Returns the diagnosis if there are no nodes to choose from, so that no plugin was run. */
    static Diagnosis ofNoNodes() {
        return new Diagnosis(List.of(), 0, NOT_REJECTED, null, "");
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
        Diagnosis diagnosis = new Diagnosis(
                nodes, nodes.size(), rejection, Set.of(), rejection.status().message());
        diagnosis.namingPlugins.addAll(namingPlugins);
        diagnosis.otherRejections.add(rejection);
        return diagnosis;
    }

    /**
     * Returns a diagnosis for nodes that were filtered or were excluded by PreFilter.
     *
     * @param namingPlugins the plugins whose PreFilter named nodes; if empty, PreFilter excluded no node
     * @param included the nodes that they named; null if PreFilter excluded no node
     * @param nominated the pod's nominated node, which is filtered before the others and regardless of PreFilter; null
     *     if the pod has none, or it was not rejected
     */
    static Diagnosis ofFilter(
            List<NodeInfo> nodes,
            Set<String> namingPlugins,
            @Nullable Set<String> included,
            @Nullable NominatedNode nominated) {
        Set<String> plugins = new TreeSet<>(namingPlugins);
        if (nominated != null) {
            plugins.add(nominated.answer.plugin());
        }
        // kube-scheduler keeps the plugins that named nodes and the plugin that rejected the nominated node in one set.
        PluginStatus absent = namingPlugins.isEmpty() ? NOT_REJECTED : notNamed(plugins);
        Diagnosis diagnosis = new Diagnosis(nodes, nodes.size(), absent, included, "");
        diagnosis.namingPlugins.addAll(namingPlugins);
        if (nominated != null) {
            diagnosis.otherRejections.add(nominated.answer);
            diagnosis.reject(nominated.node, nominated.answer);
        }
        return diagnosis;
    }

    private static PluginStatus notNamed(Set<String> plugins) {
        String names = String.join(" ", plugins);
        return new PluginStatus(names, Status.unresolvable("node(s) didn't satisfy plugin(s) [" + names + "]"));
    }

    /** A pod's nominated node that is not feasible. */
    record NominatedNode(NodeInfo node, PluginStatus answer) {}

    /** Returns the diagnosis if a plugin rejected the chosen node at Reserve or Permit. */
    public static Diagnosis ofChosenNode(PluginStatus rejection) {
        Diagnosis diagnosis = new Diagnosis(List.of(), 1, rejection, null, "");
        diagnosis.otherRejections.add(rejection);
        return diagnosis;
    }

    /** Adds the statuses that extenders have given to nodes; they replace the statuses by plugins. */
    void extended(Map<String, Status> statuses) {
        statusByExtenders.putAll(statuses);
    }

    /** Sets the nodes that the filters and then the extenders have left. */
    void left(List<NodeInfo> byFilters, List<NodeInfo> byExtenders) {
        filtered = byFilters;
        feasible = List.copyOf(byExtenders);
    }

    /** Sets the status by plugins of a node; it replaces a status by extenders. */
    void reject(NodeInfo node, PluginStatus rejection) {
        answerByIndex[node.index()] = rejection;
        // Called for each node; most schedulers have no extenders.
        if (!statusByExtenders.isEmpty()) {
            statusByExtenders.remove(node.name());
        }
    }

    /** Returns the candidate nodes. */
    public List<NodeInfo> nodes() {
        return nodes;
    }

    /** Returns the feasible nodes. */
    public List<NodeInfo> feasible() {
        return feasible;
    }

    /**
     * Returns why a candidate node is not feasible: the rejection of the pod or the exclusion of the node by PreFilter,
     * its first rejection by Filter, or its rejection by extenders. Null if it is feasible, or was not filtered.
     */
    public @Nullable PluginStatus whyNot(NodeInfo node) {
        if (included != null && !included.contains(node.name())) {
            return absent;
        }
        PluginStatus answer = answerByIndex[node.index()];
        return answer == null && omittedByExtenders().contains(node.name())
                ? new PluginStatus(Extenders.NAME, statusByExtenders.getOrDefault(node.name(), OMITTED))
                : answer;
    }

    // An extender may answer in another order, and with other nodes.
    private Set<String> omittedByExtenders() {
        Set<String> omitted = omittedByExtenders;
        if (omitted == null) {
            omitted = new HashSet<>();
            if (!filtered.equals(feasible)) {
                for (NodeInfo node : filtered) {
                    omitted.add(node.name());
                }
                for (NodeInfo node : feasible) {
                    omitted.remove(node.name());
                }
            }
            omittedByExtenders = omitted;
        }
        return omitted;
    }

    /** Returns the plugins that rejected the pod or a node, except {@link #pendingPlugins}. */
    public Set<String> unschedulablePlugins() {
        Set<String> plugins = new TreeSet<>(namingPlugins);
        addRejectors(plugins, code -> code != Code.PENDING);
        if (feasible.isEmpty() && !filtered.isEmpty()) {
            plugins.add(Extenders.NAME);
        }
        return plugins;
    }

    /** Returns the plugins that rejected with {@link Code#PENDING}. */
    public Set<String> pendingPlugins() {
        Set<String> plugins = new TreeSet<>();
        addRejectors(plugins, code -> code == Code.PENDING);
        return plugins;
    }

    private void addRejectors(Set<String> plugins, Predicate<Code> which) {
        List<PluginStatus> rejections = new ArrayList<>(otherRejections);
        PluginStatus last = PluginStatus.SUCCESS;
        for (PluginStatus answer : answerByIndex) {
            // Mostly the next node is rejected for the same reason.
            if (answer != null && !answer.equals(last)) {
                rejections.add(answer);
                last = answer;
            }
        }
        for (PluginStatus rejection : rejections) {
            if (!rejection.plugin().isEmpty() && which.test(rejection.status().code())) {
                plugins.add(rejection.plugin());
            }
        }
    }

    @Override
    public Status status(NodeInfo node) {
        PluginStatus answer = answer(node);
        return answer == null ? absent.status() : answer.status();
    }

    private @Nullable PluginStatus answer(NodeInfo node) {
        Status byExtenders = statusByExtenders.isEmpty() ? null : statusByExtenders.get(node.name());
        return byExtenders == null ? answerByIndex[node.index()] : new PluginStatus(Extenders.NAME, byExtenders);
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

    @SuppressWarnings("ReferenceEquality") // equal statuses that are not the same are counted one after the other
    private void countReasons(FitMessage counts) {
        Map<String, Status> ofOthers = statusesOfOtherNodes();
        ofOthers.values().forEach(counts::add);
        int recorded = ofOthers.size();
        // Mostly the next node is rejected for the same reason.
        Status last = Status.success();
        int nodesInTurn = 0;
        for (NodeInfo node : nodes) {
            PluginStatus answer = answer(node);
            if (answer != null) {
                if (answer.status() != last) {
                    counts.add(last, nodesInTurn);
                    last = answer.status();
                    nodesInTurn = 0;
                }
                nodesInTurn++;
                recorded++;
            }
        }
        counts.add(last, nodesInTurn);
        if (!absent.equals(NOT_REJECTED)) {
            counts.add(absent.status(), nodeCount - recorded);
        }
    }

    // Returns the statuses of nodes that are only in answers of extenders.
    private Map<String, Status> statusesOfOtherNodes() {
        Map<String, Status> others = new TreeMap<>(statusByExtenders);
        if (!others.isEmpty()) {
            nodes.forEach(node -> others.remove(node.name()));
        }
        return others;
    }

    /**
     * Returns the reasons why nodes are not feasible, with the plugin and the number of nodes; the most frequent first.
     */
    public List<NodeReason> reasons() {
        NodeReasons reasons = new NodeReasons();
        Map<String, Status> ofOthers = statusesOfOtherNodes();
        ofOthers.forEach((name, status) -> reasons.add(new PluginStatus(Extenders.NAME, status), 1, name));
        int recorded = ofOthers.size();
        for (NodeInfo node : nodes) {
            PluginStatus answer = answer(node);
            if (answer != null) {
                reasons.add(answer, node);
                recorded++;
            }
        }
        if (recorded < nodeCount) {
            reasons.add(absent, nodeCount - recorded, "");
        }
        return reasons.sorted();
    }
}
