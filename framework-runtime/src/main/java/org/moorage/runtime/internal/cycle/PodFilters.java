// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * The Filter plugins that PreFilter did not skip for a pod. Filters single nodes, with the pods that are nominated to
 * them.
 */
public final class PodFilters {
    private final Profile profile;
    private final CycleState state;
    private final Pod pod;
    private final TrialSnapshot snapshot;
    private final Map<String, List<Pod>> nominated;
    private final PluginCaller[] plugins;
    private final PluginCaller[] extensions;
    private final PointRun calls;

    /**
     * Creates the filters of a pod.
     *
     * @param nominated the nominated pods by node name, the same for the whole cycle: a pod whose nomination moves
     *     while nodes are filtered would be seen on neither node
     * @param plugins the Filter plugins
     * @param extensions the plugins that follow simulated additions and removals of pods
     * @param calls measures the calls for single nodes
     */
    PodFilters(
            Profile profile,
            CycleState state,
            Pod pod,
            TrialSnapshot snapshot,
            Map<String, List<Pod>> nominated,
            PluginCaller[] plugins,
            PluginCaller[] extensions,
            PointRun calls) {
        this.profile = profile;
        this.state = state;
        this.pod = pod;
        this.snapshot = snapshot;
        this.nominated = nominated;
        this.plugins = plugins;
        this.extensions = extensions;
        this.calls = calls;
    }

    /** Returns the Filter plugins. */
    PluginCaller[] plugins() {
        return plugins;
    }

    /** Returns the plugins that follow simulated additions and removals of pods. */
    PluginCaller[] extensions() {
        return extensions;
    }

    /** Returns the snapshot of the cycle. */
    TrialSnapshot snapshot() {
        return snapshot;
    }

    /** Returns whether pods are nominated to any node. */
    boolean hasNominatedPods() {
        return !nominated.isEmpty();
    }

    /**
     * Returns whether the results for a node depend on that node alone: all filters have signed the pod, and no pod is
     * nominated to it.
     */
    boolean dependsOnNodeAlone(String nodeName) {
        if (nominated.containsKey(nodeName)) {
            return false;
        }
        for (PluginCaller filter : plugins) {
            if (!profile.signing().contains(filter) || filter.sign(state, pod).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Runs the filters for a node, once with the pods nominated to it and once without.
     *
     * @param asked the cycle's state, or a fork of it
     * @param node a node of the cycle's snapshot, or of a trial
     * @return the first rejection, or exactly {@link PluginStatus#SUCCESS}
     */
    public PluginStatus filter(CycleState asked, NodeInfo node) {
        return filter(calls, asked, node);
    }

    /** Like {@link #filter(CycleState, NodeInfo)}, measured as a part of a run. */
    PluginStatus filter(PointRun run, CycleState asked, NodeInfo node) {
        PluginStatus answer = filterWithNominatedPods(run, asked, node);
        return answer.isSuccess() ? filterOnce(run, asked, node) : answer;
    }

    /** Runs the filters for a node with the pods nominated to it. Returns a success if no nominated pod counts. */
    PluginStatus filterWithNominatedPods(PointRun run, CycleState asked, NodeInfo node) {
        SnapshotTrial trial = withNominatedPods(asked, node);
        return trial == null ? PluginStatus.SUCCESS : filterOnce(run, trial.state(), trial.node(node.name()));
    }

    // Returns the node with the pods nominated to it assumed on it; null if no nominated pod counts.
    private @Nullable SnapshotTrial withNominatedPods(CycleState asked, NodeInfo node) {
        List<Pod> others = nominated.get(node.name());
        if (others == null) {
            return null;
        }
        SnapshotTrial trial = null;
        for (Pod other : others) {
            if (other.spec().priority() >= pod.spec().priority()
                    && !other.uid().equals(pod.uid())
                    && !snapshot.isAssumed(other)) {
                trial = trial == null ? new SnapshotTrial(asked, pod, snapshot.branch(node)) : trial;
                trial.assume(other, node.name());
            }
        }
        return trial;
    }

    private PluginStatus filterOnce(PointRun run, CycleState asked, NodeInfo node) {
        for (PluginCaller filter : plugins) {
            PluginStatus answer = filter.filter(run, asked, pod, node);
            if (!answer.isSuccess()) {
                return answer;
            }
        }
        return PluginStatus.SUCCESS;
    }

    /**
     * Runs every filter for a node, including those after the first rejection: with the pods nominated to the node,
     * then without them, as {@link #filter(CycleState, NodeInfo)} does. A filter may rely on an earlier one to rule out
     * some nodes, so its exception is an error among the results.
     *
     * @return the results that are not a success, the first of each filter
     */
    List<PluginStatus> objections(NodeInfo node) {
        Map<String, PluginStatus> objections = new LinkedHashMap<>();
        SnapshotTrial trial = withNominatedPods(state, node);
        if (trial != null) {
            addObjections(trial.state(), trial.node(node.name()), objections);
        }
        addObjections(state, node, objections);
        return List.copyOf(objections.values());
    }

    private void addObjections(CycleState asked, NodeInfo node, Map<String, PluginStatus> objections) {
        for (PluginCaller filter : plugins) {
            PluginStatus answer;
            try {
                answer = filter.filter(PointRun.UNMEASURED, asked, pod, node);
            } catch (PluginFailure failure) {
                answer = PluginStatus.error(filter.name(), failure.what());
            }
            if (!answer.isSuccess()) {
                objections.putIfAbsent(filter.name(), answer);
            }
        }
    }

    /** Returns the node as it is filtered first: with the nominated pods that leave this pod less room. */
    NodeInfo nodeWithNominatedPods(NodeInfo node) {
        SnapshotTrial trial = withNominatedPods(state, node);
        return trial == null ? node : trial.node(node.name());
    }
}
