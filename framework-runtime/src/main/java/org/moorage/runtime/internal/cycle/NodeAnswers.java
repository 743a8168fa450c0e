// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.plugin.PluginFailure;

/**
 * What the plugins of a profile answer about a pod and some nodes, for a scheduler elsewhere that chose these nodes and goes on
 * with the answers.
 */
public final class NodeAnswers implements CycleRecorder {
    private final List<NodeInfo> nodes;
    private @Nullable FilterRun filterRun;
    private final Map<String, PluginStatus> answerByNode = new HashMap<>();
    private final Map<String, NodeScores> scoresByPlugin = new LinkedHashMap<>();

    private NodeAnswers(List<NodeInfo> nodes) {
        this.nodes = nodes;
    }

    /**
     * Runs a scheduling cycle up to the scores. Without Filter plugins in the profile all nodes that PreFilter leaves are scored.
     *
     * @param snapshot the cluster
     * @param nodes the nodes that the question is about, of the snapshot
     * @throws PluginFailure if a plugin fails
     */
    public static NodeAnswers of(
            SchedulingAlgorithm algorithm, Profile profile, Pod pod, TrialSnapshot snapshot, List<NodeInfo> nodes) {
        NodeAnswers answers = new NodeAnswers(nodes);
        SchedulingAlgorithm.Result ignored = algorithm.find(profile, new CycleState(), pod, snapshot, answers);
        return answers;
    }

    /**
     * Whether a pod would fit on a node that others had left, as preemption tries it.
     *
     * @param victimsByNode the pods that would leave, by the node
     * @return the nodes where it would fit
     * @throws PluginFailure if a plugin fails
     */
    public static Set<String> fitsWithout(
            Profile profile, Pod pod, TrialSnapshot snapshot, Map<String, List<Pod>> victimsByNode) {
        CycleState state = new CycleState();
        FilterRun filterRun = FilterRun.preFilter(profile, state, pod, snapshot);
        Set<String> fitting = new TreeSet<>();
        if (filterRun.rejection() != null) {
            return fitting;
        }
        SnapshotTrial trial = SnapshotTrial.of(state, pod);
        victimsByNode.forEach((name, victims) -> {
            if (snapshot.node(name).isPresent() && filterRun.leaves(name)) {
                victims.forEach(victim -> trial.remove(victim, name));
                if (filterRun.filter(trial.state(), trial.node(name)).isSuccess()) {
                    fitting.add(name);
                }
                trial.takeBack(0);
            }
        });
        return fitting;
    }

    /** The rejection of a node, by PreFilter or Filter; empty if it will do. */
    public Optional<PluginStatus> rejection(String nodeName) {
        FilterRun run = filterRun;
        PluginStatus ofPod = run == null ? null : run.rejection();
        if (ofPod != null) {
            return Optional.of(ofPod);
        }
        if (run != null && !run.leaves(nodeName)) {
            return Optional.of(run.leftOut());
        }
        return Optional.ofNullable(answerByNode.get(nodeName)).filter(answer -> !answer.isSuccess());
    }

    /** The normalized scores, by plugin. A plugin that had no say is not there, and neither is a node that will not do. */
    public Map<String, NodeScores> scores() {
        return scoresByPlugin;
    }

    @Override
    public List<NodeInfo> nodes(TrialSnapshot snapshot) {
        return nodes;
    }

    @Override
    public void preFiltered(FilterRun answer) {
        filterRun = answer;
    }

    @Override
    public void filtered(NodeInfo node, PluginStatus answer) {
        answerByNode.put(node.name(), answer);
    }

    @Override
    public void extended(List<NodeInfo> left, Map<String, Status> statuses) {
        throw new IllegalStateException("extended (expected: what answers for an extender asks none)");
    }

    @Override
    public void scored(Extenders.Scores scores) {
        throw new IllegalStateException("scored by an extender (expected: what answers for an extender asks none)");
    }

    @Override
    public void scored(String plugin, NodeScores weighted) {
        scoresByPlugin.put(plugin, weighted);
    }
}
