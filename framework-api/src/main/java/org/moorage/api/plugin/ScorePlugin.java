// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;

/** Says how good a feasible node is for the pod. */
public interface ScorePlugin extends Plugin {
    /**
     * Called for many nodes at once by several threads. It should allocate nothing.
     *
     * @param state what the plugin put there in PreScore
     * @param pod the pod to schedule
     * @param node a feasible node
     * @return the score; from 0 to 100 unless {@link #normalize} brings it there
     */
    long score(CycleState state, Pod pod, NodeInfo node);

    /**
     * Scores some nodes, each as {@link #score(CycleState, Pod, NodeInfo)} would. A plugin overrides this only to be faster, for example
     * because it then looks up once what it needs of the state.
     *
     * @param state as for one node
     * @param pod the pod to schedule
     * @param nodes the feasible nodes
     * @param from the index of the first node to score
     * @param to the index after the last one
     * @param scores where the scores go, by the index of the node
     */
    default void score(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, long[] scores) {
        for (int i = from; i < to; i++) {
            scores[i] = score(state, pod, nodes.get(i));
        }
    }

    /**
     * Brings this plugin's scores into the range from 0 to 100. Called once, when all nodes are scored. A score outside
     * the range fails the cycle.
     *
     * @param state the cycle's state
     * @param pod the pod to schedule
     * @param scores the scores of all feasible nodes
     * @return the scores that count, by default the given ones
     */
    default NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores;
    }
}
