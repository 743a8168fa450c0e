// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.Arrays;
import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.runtime.internal.plugin.PluginCalls;

/**
 * The scores of one plugin for pods that it has signed alike, by node, if it scores. A score counts as long as the node has the
 * generation that it was given at; no two states of nodes share a generation, so that it does not matter which node had an index before.
 * One equals itself alone, so that some of them can stand for what those plugins have signed.
 *
 * <p>Several threads may use it, each for other nodes.
 */
final class KnownScores {
    private final Plugin plugin;
    private long[] scoredAt = new long[0];
    private long[] scores = new long[0];

    KnownScores(Plugin plugin) {
        this.plugin = plugin;
    }

    @SuppressWarnings("ReferenceEquality") // plugins are compared by what they are
    boolean isOf(Plugin other) {
        return plugin == other;
    }

    /** Gets ready for so many nodes. */
    void prepare(int nodes) {
        if (scores.length < nodes) {
            scoredAt = Arrays.copyOf(scoredAt, nodes);
            scores = Arrays.copyOf(scores, nodes);
        }
    }

    /** As {@link PluginCalls#score}, with the scores that are known. The nodes are in the order of their indexes. */
    void score(
            ScorePlugin asked,
            CycleState state,
            Pod pod,
            List<NodeInfo> nodes,
            long[] generations,
            int from,
            int to,
            long[] into) {
        int first = nodes.get(from).index();
        int end = nodes.get(to - 1).index() + 1;
        // Mostly no node is left out, and none has changed.
        if (end - first == to - from && Arrays.equals(scoredAt, first, end, generations, first, end)) {
            System.arraycopy(scores, first, into, from, to - from);
            return;
        }
        int unknown = from;
        for (int i = from; i < to; i++) {
            int index = nodes.get(i).index();
            if (scoredAt[index] == generations[index]) {
                ask(asked, state, pod, nodes, generations, unknown, i, into);
                unknown = i + 1;
                into[i] = scores[index];
            }
        }
        ask(asked, state, pod, nodes, generations, unknown, to, into);
    }

    private void ask(
            ScorePlugin asked,
            CycleState state,
            Pod pod,
            List<NodeInfo> nodes,
            long[] generations,
            int from,
            int to,
            long[] into) {
        if (from == to) {
            return;
        }
        PluginCalls.score(asked, state, pod, nodes, from, to, into);
        for (int i = from; i < to; i++) {
            int index = nodes.get(i).index();
            scores[index] = into[i];
            scoredAt[index] = generations[index];
        }
    }
}
