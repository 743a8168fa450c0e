// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.plugin.PluginCalls;

/**
 * Answers of plugins for pods that are alike, by node. An answer counts as long as the node has the generation that it was given at;
 * no two states of nodes share a generation, so that it does not matter which node had an index before.
 *
 * <p>Several threads may use it, each for other nodes.
 */
final class EquivalenceClass {
    private final EquivalenceCache.Signature signature;
    private final List<Plugin> signing = new ArrayList<>();

    // The first filters, of which all sign the pod.
    private ProfileFilter[] filters = new ProfileFilter[0];
    private long[] filteredAt = new long[0];
    private PluginStatus[] answers = new PluginStatus[0];
    private final List<Scores> scores = new ArrayList<>();
    // The indexes and generations of the nodes of this pass, by their place in it.
    private int[] indexes = new int[0];
    private long[] generations = new long[0];

    /** The scores of one plugin. */
    private static final class Scores {
        private final ScorePlugin plugin;
        private long[] scoredAt = new long[0];
        private long[] scores = new long[0];

        Scores(ScorePlugin plugin) {
            this.plugin = plugin;
        }
    }

    EquivalenceClass(EquivalenceCache.Signature signature) {
        this.signature = signature;
        List<? extends Plugin> plugins = signature.profile().signPlugins();
        for (int i = 0; i < plugins.size(); i++) {
            if (signature.parts().get(i).isPresent()) {
                signing.add(plugins.get(i));
            }
        }
    }

    EquivalenceCache.Signature signature() {
        return signature;
    }

    /** Gets ready for a pass of these filters over a cluster of so many nodes. */
    void prepareFilters(ProfileFilter[] active, int nodes) {
        int count = 0;
        while (count < active.length && active[count].isOneOf(signing)) {
            count++;
        }
        if (!Arrays.equals(filters, 0, filters.length, active, 0, count)) {
            filters = Arrays.copyOf(active, count);
            Arrays.fill(filteredAt, 0);
        }
        if (filteredAt.length < nodes) {
            filteredAt = Arrays.copyOf(filteredAt, nodes);
            answers = Arrays.copyOf(answers, nodes);
        }
    }

    /** How many of the filters of the pass {@link #filter} stands for. */
    int filters() {
        return filters.length;
    }

    /** What the first filters answer for a node of the snapshot: the first rejection, or {@link PluginStatus#SUCCESS}. */
    PluginStatus filter(CycleState state, Pod pod, NodeInfo node) {
        int index = node.index();
        long generation = node.generation();
        if (filteredAt[index] == generation) {
            return answers[index];
        }
        PluginStatus answer = PluginStatus.SUCCESS;
        for (int i = 0; i < filters.length && answer.isSuccess(); i++) {
            answer = filters[i].filter(state, pod, node);
        }
        answers[index] = answer;
        filteredAt[index] = generation;
        return answer;
    }

    /** Gets ready for the scores of these plugins on a cluster of so many nodes. */
    void prepareScores(ScorePlugin[] plugins, int nodes) {
        if (generations.length < nodes) {
            indexes = new int[nodes];
            generations = new long[nodes];
        }
        for (ScorePlugin plugin : plugins) {
            Scores known = scoresOf(plugin);
            if (known == null && isOneOf(signing, plugin)) {
                known = new Scores(plugin);
                scores.add(known);
            }
            if (known != null && known.scores.length < nodes) {
                known.scoredAt = Arrays.copyOf(known.scoredAt, nodes);
                known.scores = Arrays.copyOf(known.scores, nodes);
            }
        }
    }

    /**
     * Gets ready to score the nodes from one place to before another, once for all plugins.
     *
     * @return whether their indexes follow on each other, so that what is known of them lies together
     */
    boolean prepareScores(List<NodeInfo> nodes, int from, int to) {
        int first = nodes.get(from).index() - from;
        boolean together = true;
        for (int i = from; i < to; i++) {
            NodeInfo node = nodes.get(i);
            indexes[i] = node.index();
            generations[i] = node.generation();
            together &= indexes[i] == first + i;
        }
        return together;
    }

    /**
     * As {@link PluginCalls#score}, with the scores that are known.
     *
     * @param together what {@link #prepareScores(List, int, int)} has answered for these nodes
     */
    void score(
            ScorePlugin plugin,
            CycleState state,
            Pod pod,
            List<NodeInfo> nodes,
            int from,
            int to,
            boolean together,
            long[] into,
            int offset) {
        Scores known = scoresOf(plugin);
        if (known == null) {
            PluginCalls.score(plugin, state, pod, nodes, from, to, into, offset);
            return;
        }
        if (together) {
            int first = indexes[from];
            if (Arrays.equals(known.scoredAt, first, first + to - from, generations, from, to)) {
                System.arraycopy(known.scores, first, into, offset + from, to - from);
                return;
            }
        }
        int asked = from;
        for (int i = from; i < to; i++) {
            int index = indexes[i];
            if (known.scoredAt[index] == generations[i]) {
                ask(known, state, pod, nodes, asked, i, into, offset);
                asked = i + 1;
                into[offset + i] = known.scores[index];
            }
        }
        ask(known, state, pod, nodes, asked, to, into, offset);
    }

    private void ask(
            Scores known, CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, long[] into, int offset) {
        if (from == to) {
            return;
        }
        PluginCalls.score(known.plugin, state, pod, nodes, from, to, into, offset);
        for (int i = from; i < to; i++) {
            known.scores[indexes[i]] = into[offset + i];
            known.scoredAt[indexes[i]] = generations[i];
        }
    }

    @SuppressWarnings("ReferenceEquality") // plugins are compared by what they are
    private @Nullable Scores scoresOf(ScorePlugin plugin) {
        for (int i = 0; i < scores.size(); i++) {
            if (scores.get(i).plugin == plugin) {
                return scores.get(i);
            }
        }
        return null;
    }

    /** Whether a plugin is among these. */
    @SuppressWarnings("ReferenceEquality")
    static boolean isOneOf(List<Plugin> plugins, Plugin plugin) {
        for (Plugin one : plugins) {
            if (one == plugin) {
                return true;
            }
        }
        return false;
    }
}
