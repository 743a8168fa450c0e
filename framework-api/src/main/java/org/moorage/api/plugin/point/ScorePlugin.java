// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.Optional;
import java.util.function.ToLongFunction;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/** A plugin that scores feasible nodes for a pod. */
public interface ScorePlugin extends Plugin {
    /**
     * Returns the score of one node. Called concurrently by several threads for different nodes; should allocate
     * nothing.
     *
     * @param state the state, with the values that the plugin put there in PreScore
     * @param pod the pod to schedule
     * @param node a feasible node
     * @return the score; from 0 to 100, or any number if {@link #normalize} scales it to that range
     */
    long score(CycleState state, Pod pod, NodeInfo node);

    /**
     * Returns a function that scores many nodes for one pod, with the results of {@link #score}. A plugin overrides this
     * only for speed, as {@link FilterPlugin#nodeFilter}. Called at least once per scheduling cycle with more than one
     * feasible node, and by each thread that scores nodes.
     *
     * @param state as for one node
     * @param pod the pod to schedule
     * @return the function, by default empty: {@link #score} is called for each node
     */
    default Optional<ToLongFunction<NodeInfo>> nodeScorer(CycleState state, Pod pod) {
        return Optional.empty();
    }

    /**
     * Normalizes this plugin's scores to the range from 0 to 100. Called once, after all nodes are scored. A score
     * outside the range fails the cycle.
     *
     * @param state the cycle's state
     * @param pod the pod to schedule
     * @param scores the scores of all feasible nodes
     * @return the normalized scores, by default the given ones
     */
    default NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores;
    }
}
