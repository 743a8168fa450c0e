// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.plugin.PluginFailure;

/**
 * The results of a profile's plugins for a pod and some nodes. Another scheduler has chosen these nodes, and continues
 * with the results.
 */
public final class NodeAnswers {
    private final PodAttempt attempt;
    private final Map<String, PluginStatus> rejectionByNode = new HashMap<>();

    private NodeAnswers(PodAttempt attempt) {
        this.attempt = attempt;
        for (int i = 0; i < attempt.nodes().size(); i++) {
            PluginStatus answer = attempt.filtered(i);
            if (!answer.isSuccess()) {
                rejectionByNode.put(attempt.nodes().get(i).name(), answer);
            }
        }
    }

    /**
     * Runs a scheduling cycle up to the scores. If the profile has no Filter plugins, all nodes that PreFilter leaves
     * are scored.
     *
     * @param snapshot the cluster
     * @param nodes the nodes of the snapshot to evaluate
     * @throws PluginFailure if a plugin fails
     */
    public static NodeAnswers of(
            SchedulingAlgorithm algorithm, Profile profile, Pod pod, TrialSnapshot snapshot, List<NodeInfo> nodes) {
        PodAttempt attempt =
                new PodAttempt(algorithm, profile, new CycleState(), pod, snapshot, AttemptOptions.explain(nodes));
        SchedulingAlgorithm.Result ignored = attempt.run();
        return new NodeAnswers(attempt);
    }

    /**
     * Returns the nodes that a pod would fit without some pods, evaluated as in preemption.
     *
     * @param victimsByNode the pods that would be removed, by node name
     * @return the names of the nodes that the pod would fit
     * @throws PluginFailure if a plugin fails
     */
    public static Set<String> fitsWithout(
            SchedulingAlgorithm algorithm,
            Profile profile,
            Pod pod,
            TrialSnapshot snapshot,
            Map<String, List<Pod>> victimsByNode) {
        CycleState state = new CycleState();
        PodAttempt attempt = new PodAttempt(algorithm, profile, state, pod, snapshot, AttemptOptions.SCHEDULE);
        attempt.preFilter();
        Set<String> fitting = new TreeSet<>();
        if (attempt.rejection() != null) {
            return fitting;
        }
        SnapshotTrial trial = SnapshotTrial.of(state, pod);
        victimsByNode.forEach((name, victims) -> {
            if (snapshot.node(name).isPresent() && attempt.includes(name)) {
                victims.forEach(victim -> trial.remove(victim, name));
                if (attempt.filters().filter(trial.state(), trial.node(name)).isSuccess()) {
                    fitting.add(name);
                }
                trial.revertTo(0);
            }
        });
        return fitting;
    }

    /** Returns the rejection of a node by PreFilter or Filter; empty if the node is feasible. */
    public Optional<PluginStatus> rejection(String nodeName) {
        PluginStatus ofPod = attempt.rejection();
        if (ofPod != null) {
            return Optional.of(ofPod);
        }
        return attempt.includes(nodeName)
                ? Optional.ofNullable(rejectionByNode.get(nodeName))
                : Optional.of(attempt.exclusion());
    }

    /** Returns the normalized scores of the feasible nodes, by plugin. Skipped plugins have none. */
    public Map<String, NodeScores> scores() {
        return attempt.scoresByPlugin();
    }
}
